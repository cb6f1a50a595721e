// JSON text in and out. simdjson says that a text is wrong but not where, so the place is looked for here.
#include "base/json.h"

#include <simdjson.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <utility>
#include <vector>

#include "base/error.h"

namespace rung::json {
namespace {

constexpr size_t kMaxDepth = 1024;

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Walks a text that is not JSON up to the first byte that cannot be right. Says what is wrong there.
class Finder {
 public:
  explicit Finder(std::string_view text) : text_(text) {}

  std::string message() {
    while (problem_ == nullptr) step();
    return cat(problem_, " at byte ", at_);
  }

 private:
  void fail(const char* problem) {
    if (problem_ == nullptr) problem_ = problem;
  }
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void skip_space() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
  }

  // One value, key or closing bracket, and the separator after it.
  void step() {
    skip_space();
    if (at_ >= text_.size()) return fail("the text ends too early");
    bool object = !open_.empty() && open_.back() == '{';
    if (!open_.empty() && peek() == (object ? '}' : ']')) return close();
    if (object) {
      if (peek() != '"') return fail("expected a key");
      string();
      skip_space();
      if (peek() != ':') return fail("expected ':'");
      ++at_;
      skip_space();
    }
    value();
  }

  void value() {
    char c = peek();
    if (c == '{' || c == '[') {
      open_ += c;
      ++at_;
      if (open_.size() >= kMaxDepth) fail("lists and objects are nested too deeply");
      return;
    }
    if (c == '"')
      string();
    else if (c == '-' || is_digit(c))
      number();
    else
      literal();
    if (problem_ == nullptr) separator();
  }

  void close() {
    open_.pop_back();
    ++at_;
    separator();
  }

  void separator() {
    skip_space();
    if (open_.empty()) return fail(at_ < text_.size() ? "text after the end" : "a value that simdjson refuses, before");
    char c = peek();
    if (c == ',')
      ++at_;
    else if (c != (open_.back() == '{' ? '}' : ']'))
      fail(at_ < text_.size() ? "expected ','" : "the text ends too early");
  }

  void string() {
    size_t start = at_++;
    while (at_ < text_.size() && text_[at_] != '"') {
      if (static_cast<uint8_t>(text_[at_]) < 0x20) return fail("a control character in a string");
      at_ += text_[at_] == '\\' ? 2 : 1;
    }
    if (at_ < text_.size()) {
      ++at_;
      return;
    }
    at_ = start;
    fail("a string without end");
  }

  void number() {
    size_t start = at_;
    while (at_ < text_.size() &&
           (is_digit(text_[at_]) || std::string_view("+-.eE").find(text_[at_]) != std::string_view::npos))
      ++at_;
    std::string token(text_.substr(start, at_ - start));
    simdjson::dom::parser parser;
    if (parser.parse(token).error() == simdjson::SUCCESS) return;
    at_ = start;
    fail("a wrong number");
  }

  void literal() {
    for (std::string_view word : {"true", "false", "null"}) {
      if (!text_.substr(at_).starts_with(word)) continue;
      at_ += word.size();
      return;
    }
    fail("expected a value");
  }

  std::string_view text_;
  size_t at_ = 0;
  std::string open_;
  const char* problem_ = nullptr;
};

// json.dumps of older torches writes infinities and nan bare. Gives the text with them quoted; nothing if there are
// none.
std::optional<std::string> quote_python_floats(std::string_view text) {
  std::string out;
  size_t copied = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') {
      for (++i; i < text.size() && text[i] != '"'; ++i) i += text[i] == '\\';
      continue;
    }
    if (text[i] != 'N' && text[i] != 'I' && text[i] != '-') continue;
    for (std::string_view word : {"NaN", "Infinity", "-Infinity"}) {
      if (!text.substr(i).starts_with(word)) continue;
      out += cat(text.substr(copied, i - copied), '"', word, '"');
      i += word.size() - 1;
      copied = i + 1;
      break;
    }
  }
  if (out.empty()) return std::nullopt;
  return out.append(text.substr(copied));
}

// 1 for the bytes that json.dumps writes as they are.
constexpr auto kPlain = [] {
  struct {
    bool plain[256];
  } table{};
  for (int c = 0x20; c < 0x7f; ++c) table.plain[c] = c != '"' && c != '\\';
  return table;
}();

// How many bytes from the front can be written as they are. Eight at a time: a byte is special if it is below ' ',
// above '~', a quote or a backslash; each test sets the top bit of such a byte.
size_t plain_prefix(std::string_view text) {
  constexpr uint64_t kOnes = 0x0101010101010101, kTops = 0x8080808080808080;
  size_t i = 0;
  for (; i + 8 <= text.size(); i += 8) {
    uint64_t word;
    std::memcpy(&word, text.data() + i, sizeof word);
    auto has_zero = [](uint64_t bytes) { return (bytes - kOnes) & ~bytes; };
    uint64_t special =
        word | (word + kOnes) | (word - kOnes * 0x20) | has_zero(word ^ kOnes * '"') | has_zero(word ^ kOnes * '\\');
    if (special & kTops) break;
  }
  while (i < text.size() && kPlain.plain[static_cast<uint8_t>(text[i])]) ++i;
  return i;
}

void append_unit(std::string& out, uint32_t unit) {
  static const char* digits = "0123456789abcdef";
  out += "\\u";
  for (int shift = 12; shift >= 0; shift -= 4) out += digits[(unit >> shift) & 15];
}

// The escape for the character at text[at]; returns the bytes it took. Text comes out of simdjson or of rung: UTF-8.
size_t append_escaped(std::string& out, std::string_view text, size_t at) {
  auto byte = [&](size_t i) { return i < text.size() ? static_cast<uint32_t>(static_cast<uint8_t>(text[i])) : 0u; };
  uint32_t first = byte(at);
  if (first < 0x80) {
    constexpr std::string_view from = "\"\\\n\r\t\f\b", to = "\"\\nrtfb";
    size_t place = from.find(static_cast<char>(first));
    if (place == from.npos)
      append_unit(out, first);
    else
      (out += '\\') += to[place];
    return 1;
  }
  auto low6 = [&](size_t i) { return byte(i) & 0x3f; };
  if (first < 0xe0) {
    append_unit(out, (first & 0x1f) << 6 | low6(at + 1));
    return 2;
  }
  if (first < 0xf0) {
    append_unit(out, (first & 0x0f) << 12 | low6(at + 1) << 6 | low6(at + 2));
    return 3;
  }
  uint32_t code = ((first & 0x07) << 18 | low6(at + 1) << 12 | low6(at + 2) << 6 | low6(at + 3)) - 0x10000;
  append_unit(out, 0xd800 + (code >> 10));
  append_unit(out, 0xdc00 + (code & 0x3ff));
  return 4;
}

void append_scalar(std::string& out, const Tape& tape, size_t index) {
  switch (tape.type(index)) {
    case '"': return append_string(out, tape.string(index));
    case 'l': return append_part(out, static_cast<int64_t>(tape.words[index + 1]));
    case 'u': return append_part(out, tape.words[index + 1]);
    case 'd': return append_float(out, std::bit_cast<double>(tape.words[index + 1]));
    case 't': out += "true"; return;
    case 'f': out += "false"; return;
    default: out += "null"; return;
  }
}

}  // namespace

std::string_view kind_name(Kind kind) {
  switch (kind) {
    case Kind::kMissing: return "nothing";
    case Kind::kNull: return "null";
    case Kind::kBool: return "a bool";
    case Kind::kInt:
    case Kind::kUInt: return "an integer";
    case Kind::kFloat: return "a float";
    case Kind::kString: return "a string";
    case Kind::kArray: return "a list";
    case Kind::kObject: return "an object";
  }
  return "?";
}

std::string_view Tape::string(size_t index) const {
  const char* start = strings + (words[index] & 0x00ffffffffffffff);
  uint32_t length;
  std::memcpy(&length, start, sizeof length);
  return {start + sizeof length, length};
}

Kind Value::kind() const {
  if (tape_ == nullptr) return Kind::kMissing;
  switch (tape_->type(index_)) {
    case 't':
    case 'f': return Kind::kBool;
    case 'l': return Kind::kInt;
    case 'u': return Kind::kUInt;
    case 'd': return Kind::kFloat;
    case '"': return Kind::kString;
    case '[': return Kind::kArray;
    case '{': return Kind::kObject;
    default: return Kind::kNull;
  }
}

void Value::fail_expected(char type) const {
  std::string_view wanted = type == '['   ? "a list"
                            : type == '{' ? "an object"
                            : type == '"' ? "a string"
                            : type == 't' ? "a bool"
                            : type == 'l' ? "an integer"
                                          : "a number";
  fail_input("expected ", wanted, ", found ", kind_name(kind()));
}

bool Value::as_bool() const {
  if (kind() != Kind::kBool) fail_expected('t');
  return tape_->type(index_) == 't';
}

int64_t Value::as_int() const {
  if (kind() == Kind::kUInt) fail_input(tape_->words[index_ + 1], " is too large for a 64-bit integer");
  expect('l');
  return static_cast<int64_t>(tape_->words[index_ + 1]);
}

double Value::as_float() const {
  switch (kind()) {
    case Kind::kInt: return static_cast<double>(static_cast<int64_t>(tape_->words[index_ + 1]));
    case Kind::kUInt: return static_cast<double>(tape_->words[index_ + 1]);
    case Kind::kFloat: return std::bit_cast<double>(tape_->words[index_ + 1]);
    default: fail_expected('d');
  }
}

std::string_view Value::as_string() const {
  expect('"');
  return tape_->string(index_);
}

size_t Value::size() const {
  if (!is_array() && !is_object()) fail_expected('[');
  constexpr size_t kSaturated = 0xffffff;
  size_t count = (tape_->words[index_] >> 32) & kSaturated;
  if (count < kSaturated) return count;
  count = 0;
  if (is_array())
    for_each_item([&](Value) { ++count; });
  else
    for_each_member([&](std::string_view, Value) { ++count; });
  return count;
}

Value Value::find(std::string_view key) const {
  expect('{');
  for (size_t i = index_ + 1, end = tape_->after(index_) - 1; i < end; i = tape_->after(i + 1))
    if (tape_->string(i) == key) return Value(tape_, i + 1);
  return {};
}

Value Value::at(std::string_view key) const {
  Value member = find(key);
  if (!member) fail_input("the key '", key, "' is missing");
  return member;
}

struct Document::Impl {
  simdjson::dom::document document;
  Tape tape;
  size_t text_size = 0;
};

Document::Document() : impl_(std::make_unique<Impl>()) {}
Document::~Document() = default;

std::shared_ptr<const Document> Document::parse(std::string_view text, size_t readable_after) {
  std::shared_ptr<Document> out(new Document);
  simdjson::dom::document& document = out->impl_->document;
  auto parse_into = [&](std::string_view from, bool copy) {
    simdjson::dom::parser parser;
    if (auto error = parser.allocate(from.size(), kMaxDepth)) return error;
    return parser.parse_into_document(document, from.data(), from.size(), copy).error();
  };
  auto error = parse_into(text, readable_after < simdjson::SIMDJSON_PADDING);
  if (error == simdjson::MEMALLOC || error == simdjson::CAPACITY)
    fail_input("the JSON text is too large: ", text.size(), " bytes");
  if (error != simdjson::SUCCESS) {
    auto quoted = quote_python_floats(text);
    if (!quoted || parse_into(*quoted, true) != simdjson::SUCCESS) {
      if (error == simdjson::UTF8_ERROR) fail_input("not JSON: the text is not UTF-8");
      fail_input("not JSON: ", Finder(text).message());
    }
  }
  out->impl_->tape = {document.tape.get(), reinterpret_cast<const char*>(document.string_buf.get())};
  out->impl_->text_size = text.size();
  return out;
}

Value Document::root() const { return Value(&impl_->tape, 1); }
size_t Document::text_size() const { return impl_->text_size; }

void append_string(std::string& out, std::string_view text) {
  out += '"';
  while (!text.empty()) {
    size_t plain = plain_prefix(text);
    out += text.substr(0, plain);
    text.remove_prefix(plain);
    if (!text.empty()) text.remove_prefix(append_escaped(out, text, 0));
  }
  out += '"';
}

void append_float(std::string& out, double value) {
  if (std::isnan(value))
    out += "\"NaN\"";
  else if (std::isinf(value))
    out += value < 0 ? "\"-Infinity\"" : "\"Infinity\"";
  else
    out += python_float(value);
}

void append_value(std::string& out, Value value) {
  if (!value) fail_input("nothing to write");
  const Tape& tape = *value.tape_;
  struct Level {
    bool object, first;
  };
  std::vector<Level> open;
  bool after_key = false;
  for (size_t i = value.index_, end = tape.after(i); i < end;) {
    char type = tape.type(i);
    if (type == ']' || type == '}') {
      out += type;
      open.pop_back();
      ++i;
      continue;
    }
    if (!open.empty() && !after_key && !std::exchange(open.back().first, false)) out += ", ";
    bool is_key = !open.empty() && open.back().object && !after_key;
    if (type == '[' || type == '{') {
      out += type;
      open.push_back({type == '{', true});
      ++i;
    } else {
      append_scalar(out, tape, i);
      i = tape.after(i);
    }
    if (is_key) out += ": ";
    after_key = is_key;
  }
}

}  // namespace rung::json
