// The pickle machine: tensors of every kind that torch.save writes, and nothing else.
#include "export/pickle.h"

#include <doctest/doctest.h>

#include "pt2_files.h"

using namespace rung;
using namespace std::string_literals;

namespace {

std::string text(std::string_view value) {
  std::string out = "X";
  for (int shift = 0; shift < 32; shift += 8) out += static_cast<char>(value.size() >> shift & 0xff);
  return out.append(value);
}
std::string number(uint8_t value) { return "K"s + static_cast<char>(value); }
std::string global(std::string_view module, std::string_view name) { return cat("c", module, "\n", name, "\n"); }
std::string tuple(std::string_view items) { return cat("(", items, "t"); }
std::string storage(std::string_view module, std::string_view type, uint8_t elements) {
  return tuple(text("storage") + global(module, type) + text("0") + text("cpu") + number(elements)) + "Q";
}
const std::string kHooks = global("collections", "OrderedDict") + ")R";
const std::string kTrue = "\x88", kFalse = "\x89";

std::string tensor(const std::string& held, const std::string& tail = "") {
  return global("torch._utils", tail.empty() ? "_rebuild_tensor_v2" : "_rebuild_tensor_v3") +
         tuple(held + number(1) + tuple(number(2) + number(3)) + tuple(number(3) + number(1)) + kFalse + kHooks +
               tail) +
         "R";
}
std::string dictionary(std::string_view name, std::string_view value) {
  return cat("\x80\x02}(", text(name), value, "u.");
}

std::vector<PickledTensor> read(std::string_view pickle) { return read_tensor_pickle(pickle); }
std::string problem(std::string_view pickle) {
  return message_of([&] { read_tensor_pickle(pickle); });
}

}  // namespace

TEST_CASE("pickle: a tensor, a parameter, and what hangs on them") {
  auto plain = read(dictionary("a", tensor(storage("torch", "FloatStorage", 7))));
  REQUIRE(plain.size() == 1);
  CHECK(plain[0].name == "a");
  CHECK(plain[0].dtype == DType::kFloat32);
  CHECK(plain[0].offset == 1);
  CHECK(plain[0].sizes == std::vector<int64_t>{2, 3});
  CHECK(plain[0].strides == std::vector<int64_t>{3, 1});
  CHECK(plain[0].storage == "0");
  CHECK(plain[0].storage_elements == 7);
  CHECK(!plain[0].requires_grad);
  CHECK(!plain[0].is_parameter);

  std::string held = tensor(storage("torch", "BFloat16Storage", 7));
  auto parameter =
      read(dictionary("p", global("torch._utils", "_rebuild_parameter") + tuple(held + kTrue + kHooks) + "R"));
  CHECK(parameter[0].dtype == DType::kBFloat16);
  CHECK(parameter[0].requires_grad);
  CHECK(parameter[0].is_parameter);

  std::string state = "}(" + text("foo") + number(3) + "u";
  auto with_state = read(dictionary(
      "p", global("torch._utils", "_rebuild_parameter_with_state") + tuple(held + kFalse + kHooks + state) + "R"));
  CHECK(with_state[0].is_parameter);
  CHECK(!with_state[0].requires_grad);

  std::string arguments = tuple(storage("torch", "LongStorage", 1) + number(0) + ")" + ")" + kFalse + kHooks);
  auto buffer = read(dictionary(
      "b", global("torch._tensor", "_rebuild_from_type_v2") +
               tuple(global("torch._utils", "_rebuild_tensor_v2") + global("torch", "Tensor") + arguments + state) +
               "R"));
  CHECK(buffer[0].dtype == DType::kInt64);
  CHECK(buffer[0].sizes.empty());
}

TEST_CASE("pickle: dtypes without a storage type of their own") {
  auto untyped =
      read(dictionary("a", tensor(storage("torch.storage", "UntypedStorage", 28), global("torch", "float8_e5m2"))));
  CHECK(untyped[0].dtype == DType::kFloat8E5M2);
  CHECK(problem(dictionary("a", tensor(storage("torch.storage", "UntypedStorage", 28), global("torch", "float7"))))
            .ends_with("the dtype 'torch.float7' is unknown"));
  CHECK(problem(dictionary("a", tensor(storage("torch.storage", "UntypedStorage", 28))))
            .ends_with("the tensor's storage and its dtype do not fit together"));
  CHECK(problem(dictionary("a", tensor(storage("torch", "QInt8Storage", 28))))
            .ends_with("the storage type 'torch.QInt8Storage' is unknown"));
}

TEST_CASE("pickle: every other function is refused by its name") {
  std::string attack = dictionary("a", global("os", "system") + tuple(text("echo boo")) + "R");
  CHECK(problem(attack).ends_with(
      "the pickle calls 'os.system', which no plain tensor needs; rung does not run code from files"));
  for (std::string_view name : {"_rebuild_sparse_tensor", "_rebuild_qtensor", "_rebuild_wrapper_subclass"})
    CHECK(problem(dictionary("a", global("torch._utils", name) + ")R")).find(cat("'torch._utils.", name, "'")) !=
          std::string::npos);
  std::string type = global("torch._tensor", "_rebuild_from_type_v2") +
                     tuple(global("torch._utils", "_rebuild_tensor_v2") + global("mine", "Tensor") + ")" + "}") + "R";
  CHECK(problem(dictionary("a", type)).ends_with("a tensor of the type 'mine.Tensor' cannot be read"));
  std::string itself = global("torch._tensor", "_rebuild_from_type_v2");
  CHECK(problem(dictionary("a", itself + tuple(itself + global("torch", "Tensor") + ")" + "}") + "R"))
            .ends_with("calls itself"));
}

TEST_CASE("pickle: conjugated tensors and wrong shapes are refused") {
  std::string metadata = "}(" + text("conj") + kTrue + "u";
  std::string arguments =
      storage("torch", "ComplexFloatStorage", 1) + number(0) + ")" + ")" + kFalse + kHooks + metadata;
  CHECK(problem(dictionary("a", global("torch._utils", "_rebuild_tensor_v2") + tuple(arguments) + "R"))
            .ends_with("a tensor with the mark 'conj' cannot be read"));
  std::string shapes = storage("torch", "FloatStorage", 1) + number(0) + tuple(number(1)) + ")" + kFalse + kHooks;
  CHECK(problem(dictionary("a", global("torch._utils", "_rebuild_tensor_v2") + tuple(shapes) + "R"))
            .ends_with("a tensor has 1 sizes, but 0 strides"));
  std::string negative = storage("torch", "FloatStorage", 1) + number(0) + tuple("J\xff\xff\xff\xff"s) +
                         tuple(number(1)) + kFalse + kHooks;
  CHECK(problem(dictionary("a", global("torch._utils", "_rebuild_tensor_v2") + tuple(negative) + "R"))
            .ends_with("a size or stride is negative: -1"));
}

TEST_CASE("pickle: damage is refused with its place") {
  CHECK(problem("") == "byte 0 of the pickle: the pickle ends too early");
  CHECK(problem("\x80\x05N.") == "byte 0 of the pickle: the pickle's protocol is 5, expected at most 4");
  CHECK(problem("\x80\x02N.") == "the pickle holds no dictionary");
  CHECK(problem("\x80\x02i.") == "byte 2 of the pickle: the opcode 105 is none that a dictionary of tensors needs");
  CHECK(problem("\x80\x02u.") == "byte 2 of the pickle: the pickle closes what it has not opened");
  CHECK(problem("\x80\x02h\x07.") == "byte 2 of the pickle: the pickle recalls value 7, which it has not made");
  CHECK(problem("\x80\x02}("s + text("a") + "u.").ends_with("a dictionary gets a key without a value"));
  CHECK(problem(dictionary("a", number(3))) == "the entry 'a' is an integer, expected a tensor");
  std::string one = text("a") + tensor(storage("torch", "FloatStorage", 7));
  CHECK(problem("\x80\x02}(" + one + one + "u.") == "the tensor 'a' is there twice");
}

TEST_CASE("pickle: a million nested tuples, every prefix, every changed byte") {
  CHECK(problem("\x80\x02)" + std::string(1000000, '\x85') + ".") == "the pickle holds no dictionary");
  CHECK(problem("\x80\x02" + std::string(1000000, '(')) == "byte 1000002 of the pickle: the pickle ends too early");
  std::string pickle = dictionary("a", tensor(storage("torch", "FloatStorage", 7)));
  for (size_t length = 0; length < pickle.size(); ++length) CHECK(problem(pickle.substr(0, length)) != "");
  for (size_t place = 0; place < pickle.size(); ++place)
    for (int value = 0; value < 256; value += 3) {
      std::string changed = pickle;
      changed[place] = static_cast<char>(value);
      CHECK(!problem(changed).starts_with("WRONG KIND"));
    }
}
