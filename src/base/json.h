// JSON behind a small interface; the parser is simdjson, included in json.cpp only.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace rung::json {

enum class Kind : uint8_t { kMissing, kNull, kBool, kInt, kUInt, kFloat, kString, kArray, kObject };

/// "a list", "an integer": for messages.
std::string_view kind_name(Kind kind);

/// What simdjson leaves of a text (its doc/tape.md): a word for each token, the type in the top byte, and below it the
/// index after a container's end or the offset of a string; a number's value is the word that follows.
struct Tape {
  const uint64_t* words = nullptr;
  const char* strings = nullptr;

  char type(size_t index) const { return static_cast<char>(words[index] >> 56); }
  size_t after(size_t index) const {
    switch (type(index)) {
      case '{':
      case '[': return static_cast<uint32_t>(words[index]);
      case 'l':
      case 'u':
      case 'd': return index + 2;
      default: return index + 1;
    }
  }
  std::string_view string(size_t index) const;
};

/// A handle into a Document (which must outlive it), two words, cheap to copy. A default-made one is kMissing.
/// as_X fail with kInput when the value is something else; the caller adds the place with Error::at.
class Value {
 public:
  Value() = default;
  explicit operator bool() const { return tape_ != nullptr; }
  Kind kind() const;
  bool is_null() const { return tape_ != nullptr && tape_->type(index_) == 'n'; }
  bool is_object() const { return tape_ != nullptr && tape_->type(index_) == '{'; }
  bool is_array() const { return tape_ != nullptr && tape_->type(index_) == '['; }
  bool is_string() const { return tape_ != nullptr && tape_->type(index_) == '"'; }

  bool as_bool() const;
  int64_t as_int() const;              // a float without fraction is refused too
  double as_float() const;             // any number
  std::string_view as_string() const;  // lives as long as the document
  size_t size() const;                 // entries of an array or object

  /// Member of an object; kMissing if there is none. Linear in the number of members before it.
  Value find(std::string_view key) const;
  /// Member that must be there; fails with kInput.
  Value at(std::string_view key) const;

  /// Calls visit(Value) for each item, or visit(std::string_view key, Value) for each member.
  template <typename Visit>
  void for_each_item(Visit&& visit) const {
    expect('[');
    for (size_t i = index_ + 1, end = tape_->after(index_) - 1; i < end; i = tape_->after(i)) visit(Value(tape_, i));
  }
  template <typename Visit>
  void for_each_member(Visit&& visit) const {
    expect('{');
    for (size_t i = index_ + 1, end = tape_->after(index_) - 1; i < end; i = tape_->after(i + 1))
      visit(tape_->string(i), Value(tape_, i + 1));
  }

  /// The same place of the same document.
  friend bool operator==(const Value&, const Value&) = default;

 private:
  friend class Document;
  friend void append_value(std::string& out, Value value);
  Value(const Tape* tape, size_t index) : tape_(tape), index_(index) {}
  void expect(char type) const {
    if (tape_ == nullptr || tape_->type(index_) != type) fail_expected(type);
  }
  [[noreturn]] void fail_expected(char type) const;

  const Tape* tape_ = nullptr;
  size_t index_ = 0;
};

/// A parsed text. Values point into it.
class Document {
 public:
  /// Fails with kInput: what is wrong and at which byte. `readable_after`: bytes behind the text that may be read
  /// (their values do not matter); with a page's end far enough the text need not be copied.
  static std::shared_ptr<const Document> parse(std::string_view text, size_t readable_after = 0);
  Value root() const;
  /// Bytes of the text that was parsed.
  size_t text_size() const;
  ~Document();

 private:
  Document();
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Appends `text` as Python's json.dumps quotes it: ASCII only, \uXXXX.
void append_string(std::string& out, std::string_view text);
/// Appends a number as json.dumps does; infinities and nan are written as torch's serializer does: "Infinity",
/// "-Infinity", "NaN".
void append_float(std::string& out, double value);
/// Appends `value` and all that it holds, with ", " and ": " between, as json.dumps does.
void append_value(std::string& out, Value value);

}  // namespace rung::json
