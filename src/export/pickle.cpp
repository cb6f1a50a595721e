// The pickle machine: a stack, a memo, and the few functions of torch that tensors in a state dict go through.
#include "export/pickle.h"

#include <bit>
#include <cstring>
#include <deque>
#include <unordered_map>
#include <unordered_set>

#include "base/error.h"

namespace rung {
namespace {

// Containers and tensors are held by number, so that nested ones need no nested destructors.
struct Item {
  enum class Kind : uint8_t { kMark, kNone, kBool, kInt, kFloat, kString, kTuple, kDict, kGlobal, kStorage, kTensor };
  Kind kind = Kind::kNone;
  int64_t number = 0;  // the value; the bits of a float; index of a container, storage or tensor
  std::string_view text = {};
};
using Kind = Item::Kind;
using Items = std::vector<Item>;

struct Storage {
  DType dtype = DType::kUInt8;
  bool untyped = false;
  std::string_view key, location;
  int64_t elements = 0;
};

std::string_view kind_name(Kind kind) {
  switch (kind) {
    case Kind::kMark: return "a mark";
    case Kind::kNone: return "None";
    case Kind::kBool: return "a bool";
    case Kind::kInt: return "an integer";
    case Kind::kFloat: return "a float";
    case Kind::kString: return "a string";
    case Kind::kTuple: return "a tuple or list";
    case Kind::kDict: return "a dictionary";
    case Kind::kGlobal: return "a function or type";
    case Kind::kStorage: return "a storage";
    case Kind::kTensor: return "a tensor";
  }
  return "?";
}

struct StorageType {
  std::string_view name;
  DType dtype;
};
constexpr StorageType kStorageTypes[] = {
    {"torch.FloatStorage", DType::kFloat32},
    {"torch.DoubleStorage", DType::kFloat64},
    {"torch.HalfStorage", DType::kFloat16},
    {"torch.BFloat16Storage", DType::kBFloat16},
    {"torch.LongStorage", DType::kInt64},
    {"torch.IntStorage", DType::kInt32},
    {"torch.ShortStorage", DType::kInt16},
    {"torch.CharStorage", DType::kInt8},
    {"torch.ByteStorage", DType::kUInt8},
    {"torch.BoolStorage", DType::kBool},
    {"torch.ComplexFloatStorage", DType::kComplex64},
    {"torch.ComplexDoubleStorage", DType::kComplex128},
};
constexpr std::string_view kUntyped = "torch.storage.UntypedStorage";

const StorageType* find_storage_type(std::string_view name) {
  for (const StorageType& type : kStorageTypes)
    if (type.name == name) return &type;
  return nullptr;
}

class Machine {
 public:
  explicit Machine(std::span<const char> pickle) : bytes_(pickle) {}

  std::vector<PickledTensor> tensors() {
    run();
    return result();
  }
  std::vector<PickledLeaf> leaves() {
    run();
    std::vector<PickledLeaf> out;
    append_leaves(pop(), out);
    return out;
  }

 private:
  void run() {
    bool stopped = false;
    while (!stopped) {
      start_ = at_;
      try {
        stopped = step(static_cast<uint8_t>(take(1)[0]));
      } catch (const Error& error) {
        throw error.at(cat("byte ", start_, " of the pickle"));
      }
    }
  }

  bool step(uint8_t opcode);
  bool value_step(uint8_t opcode);
  bool container_step(uint8_t opcode);
  bool memo_step(uint8_t opcode);

  // Reading.
  std::string_view take(uint64_t count) {
    if (count > bytes_.size() - at_) fail_input("the pickle ends too early");
    std::string_view out(bytes_.data() + at_, count);
    at_ += count;
    return out;
  }
  uint64_t take_number(size_t count) {
    uint64_t value = 0;
    std::string_view bytes = take(count);
    for (size_t i = 0; i < count; ++i) value |= uint64_t{static_cast<uint8_t>(bytes[i])} << (8 * i);
    return value;
  }
  std::string_view take_line() {
    std::string_view rest(bytes_.data() + at_, bytes_.size() - at_);
    size_t end = rest.find('\n');
    if (end == rest.npos) fail_input("the pickle ends too early");
    at_ += end + 1;
    return rest.substr(0, end);
  }
  int64_t take_long() {
    size_t count = take_number(1);
    if (count > 8) fail_input("an integer of ", count, " bytes is too large");
    if (count == 0) return 0;
    // Sign-extend what is shorter than 64 bits.
    int shift = static_cast<int>(64 - 8 * count);
    return static_cast<int64_t>(take_number(count) << shift) >> shift;
  }

  // The stack.
  void push(Kind kind, int64_t number = 0, std::string_view text = {}) { stack_.push_back({kind, number, text}); }
  Item pop() {
    if (stack_.empty()) fail_input("the pickle takes more values than it has made");
    Item item = stack_.back();
    stack_.pop_back();
    return item;
  }
  Item pop(Kind wanted) {
    Item item = pop();
    expect(item, wanted);
    return item;
  }
  Items pop_to_mark() {
    size_t mark = stack_.size();
    while (mark > 0 && stack_[mark - 1].kind != Kind::kMark) --mark;
    if (mark == 0) fail_input("the pickle closes what it has not opened");
    Items items(stack_.begin() + static_cast<ptrdiff_t>(mark), stack_.end());
    stack_.resize(mark - 1);
    return items;
  }
  void push_container(Kind kind, Items items) {
    containers_.push_back(std::move(items));
    push(kind, static_cast<int64_t>(containers_.size() - 1));
  }
  void push_tuple(size_t count) {
    Items items(count);
    for (size_t i = count; i-- > 0;) items[i] = pop();
    push_container(Kind::kTuple, std::move(items));
  }
  static void expect(const Item& item, Kind wanted) {
    if (item.kind != wanted) fail_input("expected ", kind_name(wanted), ", found ", kind_name(item.kind));
  }
  const Items& items_of(const Item& item) const { return containers_[static_cast<size_t>(item.number)]; }
  Items& items_of(const Item& item) { return containers_[static_cast<size_t>(item.number)]; }
  const Items& tuple_of(const Item& item) const {
    expect(item, Kind::kTuple);
    return items_of(item);
  }
  PickledTensor& tensor_of(const Item& item) {
    expect(item, Kind::kTensor);
    return tensors_[static_cast<size_t>(item.number)];
  }

  void add_entries(const Items& entries);
  void append_items(const Items& added);
  void put(uint64_t place);
  void push_remembered(uint64_t place);
  void push_global(std::string_view module, std::string_view name) {
    global_names_.push_back(cat(module, '.', name));
    push(Kind::kGlobal, 0, global_names_.back());
  }

  // Objects of torch.
  void push_storage(const Item& id);
  void push_call();
  void call(std::string_view function, const Items& args);
  void push_tensor(const Items& args, const Item* dtype, const Item* metadata);
  void push_parameter(const Items& args);
  void refuse_conjugates(const Item& metadata);
  std::vector<int64_t> integers(const Item& item);
  std::vector<PickledTensor> result();
  void append_leaves(const Item& item, std::vector<PickledLeaf>& out);
  PickledLeaf leaf_of(const Item& item);

  std::span<const char> bytes_;
  size_t at_ = 0, start_ = 0;
  Items stack_;
  std::unordered_map<uint64_t, Item> memo_;
  std::deque<Items> containers_;
  std::deque<Storage> storages_;
  std::deque<PickledTensor> tensors_;
  std::deque<std::string> global_names_;
};

// Opcodes have the names of Python's pickletools. Returns true at the end of the pickle.
bool Machine::step(uint8_t opcode) {
  if (opcode == '.') return true;
  if (value_step(opcode) || container_step(opcode) || memo_step(opcode)) return false;
  switch (opcode) {
    case 0x80: {  // PROTO
      uint64_t protocol = take_number(1);
      if (protocol > 4) fail_input("the pickle's protocol is ", protocol, ", expected at most 4");
      return false;
    }
    case 0x95: take(8); return false;  // FRAME
    case 'c': {                        // GLOBAL
      std::string_view module = take_line(), name = take_line();
      push_global(module, name);
      return false;
    }
    case 0x93: {  // STACK_GLOBAL
      Item name = pop(Kind::kString), module = pop(Kind::kString);
      push_global(module.text, name.text);
      return false;
    }
    case 'Q': push_storage(pop()); return false;  // BINPERSID
    case 'R': push_call(); return false;          // REDUCE
    case 'b':                                     // BUILD: attributes of a dictionary mean nothing here
      pop();
      if (stack_.empty()) fail_input("the pickle takes more values than it has made");
      expect(stack_.back(), Kind::kDict);
      return false;
    default: break;
  }
  fail_input("the opcode ", static_cast<int>(opcode), " is none that a dictionary of tensors needs");
}

bool Machine::value_step(uint8_t opcode) {
  switch (opcode) {
    case 'N': push(Kind::kNone); return true;
    case 0x88: push(Kind::kBool, 1); return true;
    case 0x89: push(Kind::kBool, 0); return true;
    case 'K': push(Kind::kInt, static_cast<int64_t>(take_number(1))); return true;                         // BININT1
    case 'M': push(Kind::kInt, static_cast<int64_t>(take_number(2))); return true;                         // BININT2
    case 'J': push(Kind::kInt, static_cast<int32_t>(static_cast<uint32_t>(take_number(4)))); return true;  // BININT
    case 'G':  // BINFLOAT: eight bytes, the highest first
      push(Kind::kFloat, static_cast<int64_t>(__builtin_bswap64(take_number(8))));
      return true;
    case 0x8a: push(Kind::kInt, take_long()); return true;                 // LONG1
    case 'X': push(Kind::kString, 0, take(take_number(4))); return true;   // BINUNICODE
    case 0x8c: push(Kind::kString, 0, take(take_number(1))); return true;  // SHORT_BINUNICODE
    default: return false;
  }
}

bool Machine::container_step(uint8_t opcode) {
  switch (opcode) {
    case '(': push(Kind::kMark); return true;
    case '}': push_container(Kind::kDict, {}); return true;
    case ')':
    case ']': push_container(Kind::kTuple, {}); return true;
    case 'a': append_items({pop()}); return true;        // APPEND
    case 'e': append_items(pop_to_mark()); return true;  // APPENDS
    case 't': push_container(Kind::kTuple, pop_to_mark()); return true;
    case 0x85: push_tuple(1); return true;
    case 0x86: push_tuple(2); return true;
    case 0x87: push_tuple(3); return true;
    case 's': {  // SETITEM
      Item value = pop(), key = pop();
      add_entries({key, value});
      return true;
    }
    case 'u': add_entries(pop_to_mark()); return true;  // SETITEMS
    default: return false;
  }
}

bool Machine::memo_step(uint8_t opcode) {
  switch (opcode) {
    case 'q': put(take_number(1)); return true;              // BINPUT
    case 'r': put(take_number(4)); return true;              // LONG_BINPUT
    case 0x94: put(memo_.size()); return true;               // MEMOIZE
    case 'h': push_remembered(take_number(1)); return true;  // BINGET
    case 'j': push_remembered(take_number(4)); return true;  // LONG_BINGET
    default: return false;
  }
}

void Machine::put(uint64_t place) {
  if (stack_.empty()) fail_input("the pickle remembers a value that it has not made");
  memo_[place] = stack_.back();
}

void Machine::push_remembered(uint64_t place) {
  auto found = memo_.find(place);
  if (found == memo_.end()) fail_input("the pickle recalls value ", place, ", which it has not made");
  stack_.push_back(found->second);
}

void Machine::add_entries(const Items& entries) {
  if (stack_.empty()) fail_input("the pickle takes more values than it has made");
  expect(stack_.back(), Kind::kDict);
  if (entries.size() % 2 != 0) fail_input("a dictionary gets a key without a value");
  Items& items = items_of(stack_.back());
  items.insert(items.end(), entries.begin(), entries.end());
}

void Machine::append_items(const Items& added) {
  if (stack_.empty()) fail_input("the pickle takes more values than it has made");
  expect(stack_.back(), Kind::kTuple);
  Items& items = items_of(stack_.back());
  items.insert(items.end(), added.begin(), added.end());
}

// ('storage', type, key, location, number of elements)
void Machine::push_storage(const Item& id) {
  const Items& parts = tuple_of(id);
  if (parts.size() != 5 || parts[0].kind != Kind::kString || parts[0].text != "storage")
    fail_input("a storage is not described by ('storage', type, key, location, size)");
  for (size_t i : {size_t{2}, size_t{3}}) expect(parts[i], Kind::kString);
  expect(parts[1], Kind::kGlobal);
  expect(parts[4], Kind::kInt);
  Storage storage{DType::kUInt8, parts[1].text == kUntyped, parts[2].text, parts[3].text, parts[4].number};
  if (!storage.untyped) {
    const StorageType* type = find_storage_type(parts[1].text);
    if (type == nullptr) fail_input("the storage type '", parts[1].text, "' is unknown");
    storage.dtype = type->dtype;
  }
  if (storage.elements < 0) fail_input("a storage has ", storage.elements, " elements");
  storages_.push_back(storage);
  push(Kind::kStorage, static_cast<int64_t>(storages_.size() - 1));
}

void Machine::push_call() {
  Item arguments = pop(Kind::kTuple), function = pop(Kind::kGlobal);
  call(function.text, items_of(arguments));
}

void Machine::call(std::string_view function, const Items& args) {
  auto count = [&](size_t low, size_t high) {
    if (args.size() < low || args.size() > high) fail_input(function, " gets ", args.size(), " arguments");
  };
  if (function == "collections.OrderedDict") {
    count(0, 0);
    return push_container(Kind::kDict, {});
  }
  if (function == "torch._utils._rebuild_tensor_v2") {
    count(6, 7);
    return push_tensor(args, nullptr, args.size() > 6 ? &args[6] : nullptr);
  }
  if (function == "torch._utils._rebuild_tensor_v3") {
    count(7, 8);
    return push_tensor(args, &args[6], args.size() > 7 ? &args[7] : nullptr);
  }
  if (function == "torch._utils._rebuild_parameter" || function == "torch._utils._rebuild_parameter_with_state") {
    count(3, 4);
    return push_parameter(args);
  }
  if (function == "torch._tensor._rebuild_from_type_v2") {
    // (function, type, its arguments, attributes): a plain tensor that somebody hung attributes on.
    count(4, 4);
    expect(args[0], Kind::kGlobal);
    expect(args[1], Kind::kGlobal);
    std::string_view type = args[1].text;
    if (type != "torch.Tensor" && type != "torch.nn.parameter.Parameter" && type != "torch.nn.parameter.Buffer")
      fail_input("a tensor of the type '", type, "' cannot be read");
    if (args[0].text == function) fail_input(function, " calls itself");
    return call(args[0].text, Items(tuple_of(args[2])));
  }
  fail_input("the pickle calls '", function, "', which no plain tensor needs; rung does not run code from files");
}

// (storage, offset, sizes, strides, requires_grad, hooks, [dtype], [metadata])
void Machine::push_tensor(const Items& args, const Item* dtype, const Item* metadata) {
  expect(args[0], Kind::kStorage);
  expect(args[1], Kind::kInt);
  expect(args[4], Kind::kBool);
  const Storage& storage = storages_[static_cast<size_t>(args[0].number)];
  PickledTensor tensor;
  tensor.dtype = storage.dtype;
  tensor.offset = args[1].number;
  tensor.sizes = integers(args[2]);
  tensor.strides = integers(args[3]);
  tensor.requires_grad = args[4].number != 0;
  tensor.storage = storage.key;
  tensor.location = storage.location;
  tensor.storage_elements = storage.elements;
  if (dtype != nullptr) {
    expect(*dtype, Kind::kGlobal);
    auto known = dtype_from_name(dtype->text);
    if (!known) fail_input("the dtype '", dtype->text, "' is unknown");
    tensor.dtype = *known;
  }
  if (storage.untyped != (dtype != nullptr)) fail_input("the tensor's storage and its dtype do not fit together");
  if (tensor.sizes.size() != tensor.strides.size())
    fail_input("a tensor has ", tensor.sizes.size(), " sizes, but ", tensor.strides.size(), " strides");
  if (tensor.offset < 0) fail_input("a tensor begins at element ", tensor.offset);
  if (metadata != nullptr) refuse_conjugates(*metadata);
  tensors_.push_back(std::move(tensor));
  push(Kind::kTensor, static_cast<int64_t>(tensors_.size() - 1));
}

// The bytes of a lazily conjugated or negated tensor are not its values.
void Machine::refuse_conjugates(const Item& metadata) {
  if (metadata.kind != Kind::kDict) return;
  const Items& entries = items_of(metadata);
  for (size_t i = 0; i + 1 < entries.size(); i += 2)
    if (entries[i + 1].kind == Kind::kBool && entries[i + 1].number != 0)
      fail_input("a tensor with the mark '", entries[i].text, "' cannot be read");
}

void Machine::push_parameter(const Items& args) {
  expect(args[1], Kind::kBool);
  PickledTensor parameter = tensor_of(args[0]);
  parameter.requires_grad = args[1].number != 0;
  parameter.is_parameter = true;
  tensors_.push_back(std::move(parameter));
  push(Kind::kTensor, static_cast<int64_t>(tensors_.size() - 1));
}

std::vector<int64_t> Machine::integers(const Item& item) {
  std::vector<int64_t> out;
  for (const Item& number : tuple_of(item)) {
    expect(number, Kind::kInt);
    if (number.number < 0) fail_input("a size or stride is negative: ", number.number);
    out.push_back(number.number);
  }
  return out;
}

std::vector<PickledTensor> Machine::result() {
  if (stack_.size() != 1 || stack_[0].kind != Kind::kDict) fail_input("the pickle holds no dictionary");
  const Items& entries = items_of(stack_[0]);
  std::vector<PickledTensor> out;
  std::unordered_set<std::string_view> names;
  for (size_t i = 0; i + 1 < entries.size(); i += 2) {
    expect(entries[i], Kind::kString);
    std::string_view name = entries[i].text;
    if (!names.insert(name).second) fail_input("the tensor '", name, "' is there twice");
    if (entries[i + 1].kind != Kind::kTensor)
      fail_input("the entry '", name, "' is ", kind_name(entries[i + 1].kind), ", expected a tensor");
    out.push_back(tensor_of(entries[i + 1]));
    out.back().name = name;
  }
  return out;
}

// Values of dictionaries without their keys. A container that holds itself, or is met too often, is refused.
void Machine::append_leaves(const Item& item, std::vector<PickledLeaf>& out) {
  constexpr size_t kDeepest = 100, kMost = 1'000'000;
  struct Open {
    const Items* items;
    size_t next, step;
  };
  const Items first = {item};
  std::vector<Open> open = {{&first, 0, 1}};
  for (size_t visited = 0; !open.empty(); ++visited) {
    if (open.size() > kDeepest || visited > kMost) fail_input("the pickle's values are nested without end");
    Open& top = open.back();
    if (top.next >= top.items->size()) {
      open.pop_back();
      continue;
    }
    const Item& each = (*top.items)[top.next];
    top.next += top.step;
    if (each.kind == Kind::kTuple) {
      open.push_back({&items_of(each), 0, 1});
    } else if (each.kind == Kind::kDict) {
      open.push_back({&items_of(each), 1, 2});
    } else {
      out.push_back(leaf_of(each));
    }
  }
}

PickledLeaf Machine::leaf_of(const Item& item) {
  PickledLeaf leaf;
  switch (item.kind) {
    case Kind::kTensor: leaf.tensor = tensor_of(item); break;
    case Kind::kNone: break;
    case Kind::kBool: leaf.value = Argument::of(item.number != 0); break;
    case Kind::kInt: leaf.value = Argument::of(item.number); break;
    case Kind::kFloat: leaf.value = Argument::of(std::bit_cast<double>(item.number)); break;
    case Kind::kString: leaf.value = Argument::string(item.text); break;
    default: fail_input("found ", kind_name(item.kind), " where a tensor or number is expected");
  }
  return leaf;
}

}  // namespace

std::vector<PickledTensor> read_tensor_pickle(std::span<const char> pickle) { return Machine(pickle).tensors(); }
std::vector<PickledLeaf> read_leaves_pickle(std::span<const char> pickle) { return Machine(pickle).leaves(); }

}  // namespace rung
