// Arithmetic on symbolic sizes by hand, for check_sizes.py. A line of standard input is an operation in prefix form and
// the values of the symbols ("mul s0 (floordiv s1 2); s0=3 s1=7") or "srepr TEXT"; the answer is one line: the
// expression as torch prints it, a tab, and its value, "-" where there is none. What fails is "!" and why.
// Symbols that begin with s are positive integers, those with u integers, those with z floats.
#include <cctype>
#include <cstdlib>
#include <iostream>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "shape/arithmetic.h"
#include "shape/expr.h"
#include "shape/value_range.h"

namespace {

using rung::Expr;

std::optional<rung::SymOp> find_op(const std::string& word) {
  for (const char* place : {"_operator.", "torch.", "math."})
    if (auto op = rung::find_sym_op(place + word)) return op;
  return std::nullopt;
}

const Expr* make_leaf(const std::string& word) {
  if (word == "true" || word == "false") return rung::make_constant(word);
  if (std::isalpha(static_cast<unsigned char>(word[0])) != 0)
    return rung::make_symbol(word, word[0] == 's'   ? "positive=True, integer=True"
                                   : word[0] == 'u' ? "integer=True"
                                                    : "real=True");
  if (word.find_first_of(".e") != std::string::npos) return rung::make_float(std::strtod(word.c_str(), nullptr));
  return rung::make_integer(std::strtoll(word.c_str(), nullptr, 10));
}

class Reader {
 public:
  explicit Reader(const std::string& text) : text_(text) {}

  const Expr* read() {
    std::string word = next();
    if (word == "(") {
      const Expr* inner = read();
      next();
      return inner;
    }
    auto op = find_op(word);
    if (!op) return make_leaf(word);
    std::vector<const Expr*> operands;
    for (int i = 0; i < rung::operand_count(*op); ++i) operands.push_back(read());
    return rung::apply(*op, operands);
  }

 private:
  std::string next() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    if (at_ >= text_.size()) rung::fail_input("the line ends too early");
    size_t start = at_++;
    if (text_[start] != '(' && text_[start] != ')')
      while (at_ < text_.size() && text_[at_] != ' ' && text_[at_] != '(' && text_[at_] != ')') ++at_;
    return text_.substr(start, at_ - start);
  }

  const std::string& text_;
  size_t at_ = 0;
};

std::map<std::string, int64_t> read_values(const std::string& text) {
  std::map<std::string, int64_t> values;
  for (size_t at = 0; (at = text.find('=', at)) != std::string::npos; ++at) {
    size_t space = text.find_last_of(' ', at);
    size_t start = space == std::string::npos ? 0 : space + 1;
    values[text.substr(start, at - start)] = std::strtoll(text.c_str() + at + 1, nullptr, 10);
  }
  return values;
}

std::string value_text(const Expr* expr, const std::map<std::string, int64_t>& values) {
  auto value_of = [&](const Expr* symbol) -> std::optional<int64_t> {
    auto found = values.find(std::string(symbol->name));
    return found == values.end() ? std::nullopt : std::optional(found->second);
  };
  try {
    auto value = rung::evaluate(expr, value_of);
    return value ? std::to_string(*value) : "-";
  } catch (const rung::Error& error) {
    return std::string("!") + error.what();
  }
}

std::string answer(const std::string& line) {
  if (line.starts_with("srepr ")) return rung::str(rung::parse_srepr(line.substr(6)));
  size_t semicolon = line.find(';');
  std::string text = line.substr(0, semicolon);
  const Expr* expr = Reader(text).read();
  std::map<std::string, int64_t> values = read_values(semicolon == std::string::npos ? "" : line.substr(semicolon + 1));
  return rung::str(expr) + '\t' + value_text(expr, values);
}

}  // namespace

int main() {
  std::ios::sync_with_stdio(false);
  for (std::string line; std::getline(std::cin, line);) {
    try {
      std::cout << answer(line) << '\n';
    } catch (const rung::Error& error) {
      std::cout << "!" << error.what() << '\n';
    }
  }
}
