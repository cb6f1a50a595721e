// Reads sympy's srepr text, as .pt2 files hold it, without running anything.
#include <algorithm>
#include <array>
#include <charconv>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "base/error.h"
#include "shape/expr.h"

namespace rung {
namespace {

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

std::string_view relation_name(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 12> kNames = {{
      {"Equality", "Equality"},
      {"Eq", "Equality"},
      {"Unequality", "Unequality"},
      {"Ne", "Unequality"},
      {"LessThan", "LessThan"},
      {"Le", "LessThan"},
      {"StrictLessThan", "StrictLessThan"},
      {"Lt", "StrictLessThan"},
      {"GreaterThan", "GreaterThan"},
      {"Ge", "GreaterThan"},
      {"StrictGreaterThan", "StrictGreaterThan"},
      {"Gt", "StrictGreaterThan"},
  }};
  for (auto [spelling, canonical] : kNames)
    if (name == spelling) return canonical;
  return {};
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  const Expr* parse_all() {
    const Expr* expr = parse();
    skip_spaces();
    if (at_ != text_.size()) fail("text is left over after the expression");
    return expr;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    std::string_view shown = text_.substr(0, 80);
    fail_input("symbolic expression ", python_string(shown), text_.size() > shown.size() ? "..." : "", ": ", what,
               " (at character ", at_, ")");
  }

  void skip_spaces() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool accept(char wanted) {
    skip_spaces();
    if (at_ >= text_.size() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }
  void expect(char wanted) {
    if (!accept(wanted)) fail(cat("expected '", wanted, "'"));
  }

  std::string_view name() {
    skip_spaces();
    size_t start = at_;
    while (at_ < text_.size() && is_name_character(text_[at_])) ++at_;
    if (start == at_) fail("expected a name");
    return text_.substr(start, at_ - start);
  }

  template <typename Number>
  Number number() {
    skip_spaces();
    Number value{};
    auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (error == std::errc::result_out_of_range) fail("a number is too large");
    if (error != std::errc()) fail("expected a number");
    at_ = static_cast<size_t>(end - text_.data());
    return value;
  }

  std::string quoted() {
    skip_spaces();
    if (at_ >= text_.size() || (text_[at_] != '\'' && text_[at_] != '"')) fail("expected a quoted text");
    char quote = text_[at_++];
    std::string out;
    while (at_ < text_.size() && text_[at_] != quote) {
      if (text_[at_] == '\\' && ++at_ == text_.size()) break;
      out += text_[at_++];
    }
    if (at_ == text_.size()) fail("a quoted text does not end");
    ++at_;
    return out;
  }

  const Expr* parse() {
    if (++depth_ > kMaxExprDepth) fail(cat("nested more than ", kMaxExprDepth, " deep"));
    const Expr* expr = accept('-') ? parse_negative() : parse_one();
    --depth_;
    return expr;
  }

  const Expr* parse_negative() {
    const Expr* positive = parse();
    if (positive->is(ExprKind::kConstant, "oo")) return make_constant("-oo");
    if (positive->is(ExprKind::kConstant, "int_oo")) return make_constant("-int_oo");
    return make_mul(std::array{make_integer(-1), positive});
  }

  const Expr* parse_one() {
    skip_spaces();
    if (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') return parse_literal();
    std::string_view called = name();
    if (!accept('(')) return parse_constant(called);
    if (called == "Symbol") return parse_symbol();
    if (called == "Integer") return closed(make_integer(number<int64_t>()));
    if (called == "Rational") return parse_rational();
    if (called == "Float") return parse_float();
    return make_call(called, parse_args());
  }

  const Expr* parse_literal() {
    size_t start = at_;
    while (at_ < text_.size() && (is_name_character(text_[at_]) || text_[at_] == '.')) ++at_;
    bool whole = text_.substr(start, at_ - start).find_first_of(".eE") == std::string_view::npos;
    at_ = start;
    return whole ? make_integer(number<int64_t>()) : make_float(number<double>());
  }

  const Expr* parse_constant(std::string_view called) {
    if (called == "True" || called == "true") return make_constant("true");
    if (called == "False" || called == "false") return make_constant("false");
    if (called == "oo" || called == "int_oo" || called == "nan") return make_constant(called);
    fail(cat("unknown name ", python_string(called)));
  }

  const Expr* closed(const Expr* expr) {
    expect(')');
    return expr;
  }

  const Expr* parse_symbol() {
    std::string called = quoted();
    std::string assumptions;
    while (accept(',')) {
      std::string_view key = name();
      expect('=');
      std::string_view value = name();
      if (value != "True" && value != "False") fail("an assumption is neither True nor False");
      if (!assumptions.empty()) assumptions += ", ";
      assumptions += cat(key, '=', value);
    }
    return closed(make_symbol(called, assumptions));
  }

  const Expr* parse_rational() {
    int64_t numerator = number<int64_t>();
    expect(',');
    return closed(make_rational(numerator, number<int64_t>()));
  }

  const Expr* parse_float() {
    std::string digits = quoted();
    if (accept(',')) {
      if (name() != "precision") fail("expected precision=");
      expect('=');
      if (int64_t bits = number<int64_t>(); bits != 53) fail(cat("a Float of ", bits, " bits, only 53 are known"));
    }
    double value = 0;
    const char* start = digits.data() + (digits.starts_with('+') ? 1 : 0);
    auto [end, error] = std::from_chars(start, digits.data() + digits.size(), value);
    if (error != std::errc() || end != digits.data() + digits.size()) fail("a Float is no number");
    return closed(make_float(value));
  }

  std::vector<const Expr*> parse_args() {
    std::vector<const Expr*> args;
    if (accept(')')) return args;
    do args.push_back(parse());
    while (accept(','));
    expect(')');
    return args;
  }

  const Expr* make_call(std::string_view called, const std::vector<const Expr*>& args) {
    if (called == "Add") return make_add(args);
    if (called == "Mul") return make_mul(args);
    if (called == "And") return make_boolean(ExprKind::kAnd, args);
    if (called == "Or") return make_boolean(ExprKind::kOr, args);
    if (called == "Not") return make_boolean(ExprKind::kNot, args);
    std::string_view relation = relation_name(called);
    if (called == "Pow" || !relation.empty()) {
      if (args.size() != 2) fail(cat(called, " takes 2 arguments, not ", args.size()));
      return called == "Pow" ? make_pow(args[0], args[1]) : make_relation(relation, args[0], args[1]);
    }
    const ExprFunction* function = find_function(called);
    if (function == nullptr) fail(cat("unknown function ", python_string(called)));
    if (called == "LShift" || called == "RShift") return make_shift(function, args);
    return make_function(function, args);
  }

  // torch's loader never keeps a shift: it becomes a product or a division by a power of two.
  const Expr* make_shift(const ExprFunction* function, const std::vector<const Expr*>& args) {
    make_function(function, args);
    const Expr* two = make_integer(2);
    const Expr* factor = make_function(find_function("PowByNatural"), std::array{two, args[1]});
    if (args[1]->kind == ExprKind::kInteger) {
      if (args[1]->integer < 0 || args[1]->integer > 62) fail("a shift by a negative or too large number");
      factor = make_integer(int64_t{1} << args[1]->integer);
    }
    std::array operands{args[0], factor};
    return function->name == "LShift" ? make_mul(operands) : make_function(find_function("FloorDiv"), operands);
  }

  std::string_view text_;
  size_t at_ = 0;
  uint32_t depth_ = 0;
};

}  // namespace

const Expr* parse_srepr(std::string_view text) {
  // A file says the same few expressions thousands of times.
  struct Known {
    std::mutex mutex;
    std::unordered_map<std::string, const Expr*> by_text;
  };
  static Known* known = new Known;
  std::string key(text);
  {
    std::lock_guard<std::mutex> lock(known->mutex);
    auto found = known->by_text.find(key);
    if (found != known->by_text.end()) return found->second;
  }
  const Expr* expr = Parser(text).parse_all();
  std::lock_guard<std::mutex> lock(known->mutex);
  known->by_text.emplace(std::move(key), expr);
  return expr;
}

}  // namespace rung
