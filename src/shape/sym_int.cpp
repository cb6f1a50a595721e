// Symbolic integers: how an expression is kept in the bits of a number.
#include "shape/sym_int.h"

#include <limits>

#include "base/error.h"
#include "shape/expr.h"

namespace rung {
namespace {

// Addresses of user space are far below 2^62, so lowest + address is below -2^62.
constexpr int64_t kLowestNumber = std::numeric_limits<int64_t>::min();

int64_t encode(const Expr* expr) { return kLowestNumber + static_cast<int64_t>(reinterpret_cast<uintptr_t>(expr)); }

const Expr* decode(int64_t data) { return reinterpret_cast<const Expr*>(static_cast<uintptr_t>(data - kLowestNumber)); }

}  // namespace

SymInt::SymInt(const Expr* expr) {
  bool small = expr->kind == ExprKind::kInteger && expr->integer >= kLowest;
  data_ = small ? expr->integer : encode(expr);
}

SymInt SymInt::from_extreme(int64_t value) { return SymInt(make_integer(value)); }

bool SymInt::is_extreme() const { return decode(data_)->kind == ExprKind::kInteger; }

const Expr* SymInt::expr() const {
  RUNG_CHECK(is_symbolic(), "no symbolic size: ", data_);
  return decode(data_);
}

std::string SymInt::str() const { return data_ >= kLowest ? cat(data_) : rung::str(decode(data_)); }

int64_t SymInt::slow_value() const {
  const Expr* expr = decode(data_);
  if (expr->kind == ExprKind::kInteger) return expr->integer;
  fail_unsupported("a number is needed here, and the symbolic size ", rung::str(expr), " has none");
}

void SymInt::fail_overflow(SymInt a, const char* sign, SymInt b) {
  fail_input("a size of more than 64 bits: ", a.str(), sign, b.str());
}

int64_t SymInt::floor_div(int64_t a, int64_t b) {
  RUNG_CHECK(b != 0, "division of ", a, " by zero");
  if (b == -1) return static_cast<int64_t>(-static_cast<uint64_t>(a));
  int64_t quotient = a / b;
  return quotient * b != a && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

}  // namespace rung
