// torch.fx's rule for names: base, base_1, base_2; a name that shadows Python starts at base_1.
#include "ir/names.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "base/strings.h"

namespace rung {
namespace {

// Python's keywords and builtins, and what torch.fx puts into the globals of generated code; sorted.
constexpr std::string_view kReserved[] = {
    "ArithmeticError",
    "AssertionError",
    "AttributeError",
    "BaseException",
    "BaseExceptionGroup",
    "BlockingIOError",
    "BrokenPipeError",
    "BufferError",
    "BytesWarning",
    "ChildProcessError",
    "ConnectionAbortedError",
    "ConnectionError",
    "ConnectionRefusedError",
    "ConnectionResetError",
    "DeprecationWarning",
    "EOFError",
    "Ellipsis",
    "EncodingWarning",
    "EnvironmentError",
    "Exception",
    "ExceptionGroup",
    "False",
    "FileExistsError",
    "FileNotFoundError",
    "FloatingPointError",
    "FutureWarning",
    "GeneratorExit",
    "IOError",
    "ImportError",
    "ImportWarning",
    "IndentationError",
    "IndexError",
    "InterruptedError",
    "IsADirectoryError",
    "KeyError",
    "KeyboardInterrupt",
    "LookupError",
    "MemoryError",
    "ModuleNotFoundError",
    "NameError",
    "None",
    "NoneType",
    "NotADirectoryError",
    "NotImplemented",
    "NotImplementedError",
    "OSError",
    "OverflowError",
    "PendingDeprecationWarning",
    "PermissionError",
    "ProcessLookupError",
    "RecursionError",
    "ReferenceError",
    "ResourceWarning",
    "RuntimeError",
    "RuntimeWarning",
    "StopAsyncIteration",
    "StopIteration",
    "SyntaxError",
    "SyntaxWarning",
    "SystemError",
    "SystemExit",
    "TabError",
    "TimeoutError",
    "True",
    "TypeError",
    "UnboundLocalError",
    "UnicodeDecodeError",
    "UnicodeEncodeError",
    "UnicodeError",
    "UnicodeTranslateError",
    "UnicodeWarning",
    "UserWarning",
    "ValueError",
    "Warning",
    "ZeroDivisionError",
    "abs",
    "aiter",
    "all",
    "and",
    "anext",
    "any",
    "as",
    "ascii",
    "assert",
    "async",
    "await",
    "bin",
    "bool",
    "break",
    "breakpoint",
    "bytearray",
    "bytes",
    "callable",
    "chr",
    "class",
    "classmethod",
    "compile",
    "complex",
    "continue",
    "copyright",
    "credits",
    "def",
    "del",
    "delattr",
    "device",
    "dict",
    "dir",
    "divmod",
    "elif",
    "else",
    "enumerate",
    "eval",
    "except",
    "exec",
    "exit",
    "filter",
    "finally",
    "float",
    "for",
    "format",
    "from",
    "frozenset",
    "fx_pytree",
    "getattr",
    "global",
    "globals",
    "hasattr",
    "hash",
    "help",
    "hex",
    "id",
    "if",
    "import",
    "in",
    "inf",
    "input",
    "int",
    "is",
    "isinstance",
    "issubclass",
    "iter",
    "lambda",
    "len",
    "license",
    "list",
    "locals",
    "map",
    "max",
    "memoryview",
    "min",
    "nan",
    "next",
    "nonlocal",
    "not",
    "object",
    "oct",
    "open",
    "or",
    "ord",
    "pass",
    "pow",
    "print",
    "property",
    "pytree",
    "quit",
    "raise",
    "range",
    "repr",
    "return",
    "reversed",
    "round",
    "set",
    "setattr",
    "slice",
    "sorted",
    "staticmethod",
    "str",
    "sum",
    "super",
    "torch",
    "try",
    "tuple",
    "type",
    "vars",
    "while",
    "with",
    "yield",
    "zip",
};
static_assert(std::is_sorted(std::begin(kReserved), std::end(kReserved)));

bool is_reserved(std::string_view name) { return std::binary_search(std::begin(kReserved), std::end(kReserved), name); }

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }

struct Parts {
  std::string_view base;
  int64_t number = -1;  // none
};

// "add_12" is base "add" and number 12; "log1p" has no number.
Parts split_number(std::string_view name) {
  size_t end = name.size();
  while (end > 0 && is_digit(name[end - 1])) --end;
  bool has_number = end < name.size() && end > 1 && name[end - 1] == '_' && name.size() - end < 18;
  if (!has_number) return {name, -1};
  int64_t number = 0;
  for (char c : name.substr(end)) number = number * 10 + (c - '0');
  return {name.substr(0, end - 1), number};
}

// Each run of characters that Python does not allow becomes one underscore.
std::string legal(std::string_view candidate) {
  std::string name;
  bool in_run = false;
  for (char c : candidate) {
    bool good = is_digit(c) || is_lower(c) || is_upper(c) || c == '_';
    if (good)
      name += c;
    else if (!in_run)
      name += '_';
    in_run = !good;
  }
  if (name.empty()) return "_unnamed";
  if (is_digit(name[0])) name.insert(name.begin(), '_');
  return name;
}

bool is_legal(std::string_view candidate) {
  return !candidate.empty() && !is_digit(candidate[0]) && std::all_of(candidate.begin(), candidate.end(), [](char c) {
    return is_digit(c) || is_lower(c) || is_upper(c) || c == '_';
  });
}

}  // namespace

// A name without a number (-1) is at position 0.
bool Names::Base::is_used(int64_t number) const {
  size_t position = static_cast<size_t>(number + 1);
  return position < used.size() ? used[position] : used_far.contains(position);
}

void Names::Base::use(int64_t number) {
  constexpr size_t kFar = size_t{1} << 20;
  size_t position = static_cast<size_t>(number + 1);
  if (position >= used.size() + kFar) {
    used_far.insert(position);
    return;
  }
  while (position >= used.size()) {
    used.push_back(!used_far.empty() && used_far.contains(used.size()));
  }
  used[position] = true;
}

std::string_view Names::create(std::string_view candidate) {
  std::string made;
  if (!is_legal(candidate)) candidate = made = legal(candidate);
  Parts parts = split_number(candidate);
  auto found = bases_.find(parts.base);
  if (found == bases_.end()) found = bases_.emplace(arena_.copy(parts.base), Base()).first;
  Base& base = found->second;

  int64_t number = parts.number, next = parts.number;
  if (number < 0 || base.is_used(number)) {
    next = base.last_number;
    if (is_reserved(candidate)) number = ++next;
  }
  while (base.is_used(number)) number = ++next;
  base.last_number = next;
  base.use(number);
  return number < 0 ? found->first : arena_.copy(std::string_view(cat(found->first, '_', number)));
}

bool Names::is_given(std::string_view name) const {
  Parts parts = split_number(name);
  auto found = bases_.find(parts.base);
  return found != bases_.end() && found->second.is_used(parts.number);
}

namespace {

std::string snake_case(std::string_view packet) {
  if (packet.size() > 4 && packet.starts_with("__") && packet.ends_with("__"))
    packet = packet.substr(2, packet.size() - 4);
  std::string name;
  for (size_t i = 0; i < packet.size(); ++i) {
    if (i > 0 && is_upper(packet[i]) && is_lower(packet[i - 1])) name += '_';
    name += is_upper(packet[i]) ? static_cast<char>(packet[i] - 'A' + 'a') : packet[i];
  }
  return name;
}

}  // namespace

std::string_view op_base_name(OpId op) {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const OpSchema& schema : all_ops()) all.push_back(snake_case(schema.packet()));
    return all;
  }();
  return names[op];
}

}  // namespace rung
