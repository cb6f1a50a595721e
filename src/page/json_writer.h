// Compact JSON, written piece by piece.
#pragma once
#include <string>
#include <string_view>
#include <utility>

#include "base/json.h"
#include "base/strings.h"

namespace rung {

/// Puts the commas; that brackets fit, and that each member of an object has a key, is the caller's business.
class JsonWriter {
 public:
  void open(char bracket) {
    comma();
    out_ += bracket;
    first_ = true;
  }
  void close(char bracket) {
    out_ += bracket;
    first_ = false;
  }
  void key(std::string_view name) {
    text(name);
    out_ += ':';
    first_ = true;
  }
  void text(std::string_view text) {
    comma();
    json::append_string(out_, text);
  }
  void number(size_t number) {
    comma();
    append_part(out_, number);
  }
  void null() {
    comma();
    out_ += "null";
  }
  void member(std::string_view name, std::string_view value) {
    key(name);
    text(value);
  }
  std::string take() { return std::move(out_); }

 private:
  void comma() {
    if (!first_) out_ += ',';
    first_ = false;
  }

  std::string out_;
  bool first_ = true;
};

}  // namespace rung
