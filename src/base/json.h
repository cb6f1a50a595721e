// JSON behind a small interface; the parser is simdjson, included in json.cpp only.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace rung::json {

enum class Kind : uint8_t { kMissing, kNull, kBool, kInt, kUInt, kFloat, kString, kArray, kObject };

/// A handle into a Document (which must outlive it), two words, cheap to copy. A default-made one is kMissing.
/// as_X fail with kInput when the value is something else; the caller adds the place with Error::at.
class Value {
 public:
  Value() = default;
  explicit operator bool() const { return document_ != nullptr; }
  Kind kind() const;
  bool is_null() const { return kind() == Kind::kNull; }
  bool is_object() const { return kind() == Kind::kObject; }
  bool is_array() const { return kind() == Kind::kArray; }
  bool is_string() const { return kind() == Kind::kString; }

  bool as_bool() const;
  int64_t as_int() const;    // a float without fraction is refused too
  double as_float() const;   // any number
  std::string_view as_string() const;  // lives as long as the document
  size_t size() const;       // entries of an array or object

  /// Member of an object; kMissing if there is none. Linear in the number of members before it.
  Value find(std::string_view key) const;
  /// Member that must be there; fails with kInput.
  Value at(std::string_view key) const;

  /// Calls visit(Value) for each item, or visit(std::string_view key, Value) for each member.
  template <typename Visit>
  void for_each_item(Visit&& visit) const {
    for (Cursor c = begin_items(); !done(c); c = next(c)) visit(value_at(c));
  }
  template <typename Visit>
  void for_each_member(Visit&& visit) const {
    for (Cursor c = begin_members(); !done(c); c = next(c)) visit(key_at(c), member_at(c));
  }

 private:
  friend class Document;
  struct Cursor { size_t index, end; bool object; };
  Value(const void* document, size_t index) : document_(document), index_(index) {}
  Cursor begin_items() const;
  Cursor begin_members() const;
  static bool done(const Cursor& c) { return c.index >= c.end; }
  Cursor next(const Cursor& c) const;
  Value value_at(const Cursor& c) const;
  std::string_view key_at(const Cursor& c) const;
  Value member_at(const Cursor& c) const;

  const void* document_ = nullptr;
  size_t index_ = 0;
};

/// A parsed text. Values point into it.
class Document {
 public:
  /// Fails with kInput: what is wrong and at which byte.
  static std::shared_ptr<const Document> parse(std::string_view text);
  Value root() const;
  ~Document();

 private:
  Document();
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Appends `text` as Python's json.dumps quotes it: ASCII only, \uXXXX.
void append_string(std::string& out, std::string_view text);
/// Appends a number as json.dumps does; infinities and nan are written as torch's serializer does: "Infinity", "-Infinity", "NaN".
void append_float(std::string& out, double value);
/// Appends `value` and all that it holds, with ", " and ": " between, as json.dumps does.
void append_value(std::string& out, Value value);

}  // namespace rung::json
