// Sparse polynomials: multiplied out, divided, and their greatest common divisor by pseudo-remainders.
#include "shape/polynomial.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "shape/algebra.h"
#include "shape/expr_order.h"

namespace rung {
namespace {

constexpr size_t kMaxTerms = 4000;
constexpr uint32_t kMaxWeight = 20000;  // of an expression, counted with all repetitions
constexpr int kMaxSteps = 200;          // of one division or one sequence of remainders

// Thrown and caught in this file only: a polynomial that is too large, or none.
struct GiveUp {};

using Exponents = std::vector<int32_t>;

struct Larger {
  bool operator()(const Exponents& a, const Exponents& b) const { return a > b; }
};

// Terms by falling exponents, the first generator counting most.
using Polynomial = std::map<Exponents, int64_t, Larger>;

void add_term(Polynomial& to, const Exponents& exponents, __int128 coefficient) {
  auto [found, is_new] = to.emplace(exponents, 0);
  __int128 total = found->second + coefficient;
  if (total != static_cast<int64_t>(total) || to.size() > kMaxTerms) throw GiveUp();
  found->second = static_cast<int64_t>(total);
  if (total == 0) to.erase(found);
}

Polynomial sum_of(Polynomial a, const Polynomial& b, int64_t scale) {
  for (const auto& [exponents, coefficient] : b) add_term(a, exponents, static_cast<__int128>(coefficient) * scale);
  return a;
}

Polynomial product_of(const Polynomial& a, const Polynomial& b) {
  if (a.size() * b.size() > 50 * kMaxTerms) throw GiveUp();
  Polynomial out;
  Exponents exponents;
  for (const auto& [left, x] : a)
    for (const auto& [right, y] : b) {
      exponents = left;
      for (size_t i = 0; i < exponents.size(); ++i) exponents[i] += right[i];
      add_term(out, exponents, static_cast<__int128>(x) * y);
    }
  return out;
}

bool is_one(const Polynomial& a) {
  return a.size() == 1 && a.begin()->second == 1 &&
         std::all_of(a.begin()->first.begin(), a.begin()->first.end(), [](int32_t e) { return e == 0; });
}

class Ring {
 public:
  explicit Ring(std::initializer_list<const Expr*> of) {
    for (const Expr* expr : of) {
      if (expr->weight > kMaxWeight) throw GiveUp();
      find_generators(expr);
    }
    sort_by_key(generators_);
    for (size_t i = 0; i < generators_.size(); ++i) places_[generators_[i]] = i;
  }

  size_t size() const { return generators_.size(); }
  Polynomial constant(int64_t value) const {
    Polynomial out;
    if (value != 0) out[Exponents(size())] = value;
    return out;
  }

  Polynomial read(const Expr* expr) const {
    if (expr->kind == ExprKind::kInteger) return constant(expr->integer);
    Polynomial out = constant(expr->kind == ExprKind::kMul);
    if (expr->kind == ExprKind::kAdd) {
      for (const Expr* term : expr->args) out = sum_of(std::move(out), read(term), 1);
    } else if (expr->kind == ExprKind::kMul) {
      for (const Expr* factor : expr->args) out = product_of(out, read(factor));
    } else if (expr->kind == ExprKind::kPow) {
      Polynomial base = read(expr->args[0]);
      out = constant(1);
      for (int64_t i = 0; i < expr->args[1]->integer; ++i) out = product_of(out, base);
    } else {
      Exponents exponents(size());
      exponents[places_.at(expr)] = 1;
      out[exponents] = 1;
    }
    return out;
  }

  const Expr* write(const Polynomial& polynomial) const {
    std::vector<const Expr*> terms;
    for (const auto& [exponents, coefficient] : polynomial) {
      std::vector<const Expr*> factors{make_integer(coefficient)};
      for (size_t i = 0; i < exponents.size(); ++i)
        if (exponents[i] > 0) factors.push_back(power(generators_[i], exponents[i]));
      terms.push_back(make_mul(factors));
    }
    return sum(terms);
  }

 private:
  void find_generators(const Expr* expr) {
    if (expr->kind == ExprKind::kInteger) return;
    if (expr->kind == ExprKind::kRational || expr->kind == ExprKind::kFloat || expr->kind == ExprKind::kConstant)
      throw GiveUp();
    if (expr->kind == ExprKind::kAdd || expr->kind == ExprKind::kMul) {
      for (const Expr* arg : expr->args) find_generators(arg);
    } else if (expr->kind == ExprKind::kPow) {
      if (expr->args[1]->kind != ExprKind::kInteger || expr->args[1]->integer < 0 || expr->args[1]->integer > 64)
        throw GiveUp();
      find_generators(expr->args[0]);
    } else if (places_.emplace(expr, 0).second) {
      generators_.push_back(expr);
    }
  }

  std::vector<const Expr*> generators_;
  std::map<const Expr*, size_t> places_;
};

std::optional<Polynomial> divided(Polynomial a, const Polynomial& b) {
  Polynomial quotient;
  const auto& [lead, unit] = *b.begin();
  for (int step = 0; !a.empty(); ++step) {
    if (step > static_cast<int>(kMaxTerms)) throw GiveUp();
    Exponents exponents = a.begin()->first;
    int64_t coefficient = a.begin()->second;
    if (coefficient % unit != 0) return std::nullopt;
    for (size_t i = 0; i < exponents.size(); ++i) {
      exponents[i] -= lead[i];
      if (exponents[i] < 0) return std::nullopt;
    }
    Polynomial term{{exponents, coefficient / unit}};
    a = sum_of(std::move(a), product_of(term, b), -1);
    quotient.insert(*term.begin());
  }
  return quotient;
}

// A polynomial in one generator, with polynomials in the later ones as coefficients.
int32_t degree(const Polynomial& a, size_t place) {
  int32_t most = 0;
  for (const auto& term : a) most = std::max(most, term.first[place]);
  return most;
}

Polynomial coefficient_of(const Polynomial& a, size_t place, int32_t exponent) {
  Polynomial out;
  for (const auto& [exponents, coefficient] : a) {
    if (exponents[place] != exponent) continue;
    Exponents rest = exponents;
    rest[place] = 0;
    out.emplace(std::move(rest), coefficient);
  }
  return out;
}

Polynomial shifted(const Polynomial& a, size_t place, int32_t by) {
  Polynomial out;
  for (const auto& [exponents, coefficient] : a) {
    Exponents moved = exponents;
    moved[place] += by;
    out.emplace(std::move(moved), coefficient);
  }
  return out;
}

Polynomial gcd_of(const Polynomial& a, const Polynomial& b, size_t place);

Polynomial content_of(const Polynomial& a, size_t place) {
  Polynomial content;
  for (int32_t exponent = 0; exponent <= degree(a, place); ++exponent) {
    content = gcd_of(content, coefficient_of(a, place, exponent), place + 1);
    if (is_one(content)) break;
  }
  return content;
}

Polynomial remainder_of(Polynomial a, const Polynomial& b, size_t place) {
  int32_t low = degree(b, place);
  Polynomial unit = coefficient_of(b, place, low);
  for (int step = 0; !a.empty() && degree(a, place) >= low; ++step) {
    if (step > kMaxSteps) throw GiveUp();
    int32_t high = degree(a, place);
    Polynomial lead = shifted(coefficient_of(a, place, high), place, high - low);
    a = sum_of(product_of(a, unit), product_of(lead, b), -1);
  }
  return a;
}

Polynomial with_positive_lead(Polynomial a) {
  if (!a.empty() && a.begin()->second < 0)
    for (auto& term : a) term.second = -term.second;
  return a;
}

Polynomial gcd_of(const Polynomial& a, const Polynomial& b, size_t place) {
  if (a.empty()) return with_positive_lead(b);
  if (b.empty()) return with_positive_lead(a);
  if (place == a.begin()->first.size()) return {{Exponents(place), std::gcd(a.begin()->second, b.begin()->second)}};
  Polynomial left_content = content_of(a, place), right_content = content_of(b, place);
  Polynomial content = gcd_of(left_content, right_content, place + 1);
  Polynomial left = *divided(a, left_content), right = *divided(b, right_content);
  if (degree(left, place) < degree(right, place)) std::swap(left, right);
  for (int step = 0; !right.empty(); ++step) {
    if (step > kMaxSteps) throw GiveUp();
    Polynomial rest = remainder_of(left, right, place);
    if (!rest.empty()) rest = *divided(rest, content_of(rest, place));
    left = std::exchange(right, std::move(rest));
  }
  return with_positive_lead(
      product_of(content, degree(left, place) == 0 ? Polynomial{{Exponents(a.begin()->first.size()), 1}} : left));
}

}  // namespace

const Expr* expand(const Expr* expr) {
  try {
    Ring ring{expr};
    return ring.write(ring.read(expr));
  } catch (const GiveUp&) {
    return expr;
  }
}

const Expr* common_divisor(const Expr* a, const Expr* b) {
  try {
    Ring ring{a, b};
    return ring.write(gcd_of(ring.read(a), ring.read(b), 0));
  } catch (const GiveUp&) {
    return nullptr;
  }
}

std::optional<const Expr*> exact_quotient(const Expr* a, const Expr* b) {
  try {
    Ring ring{a, b};
    auto quotient = divided(ring.read(a), ring.read(b));
    return quotient ? std::optional(ring.write(*quotient)) : std::nullopt;
  } catch (const GiveUp&) {
    return std::nullopt;
  }
}

}  // namespace rung
