// Comparison of arguments.
#include "ir/argument.h"

#include <cmath>

#include "base/error.h"

namespace rung {
namespace {

// Not a number is the same as not a number here: the question is whether two calls are written alike.
bool same_number(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

bool same_items(Arguments a, Arguments b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i)
    if (!same_argument(a[i], b[i])) return false;
  return true;
}

bool same_entries(std::span<const NamedArgument> a, std::span<const NamedArgument> b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i)
    if (a[i].name != b[i].name || !same_argument(a[i].value, b[i].value)) return false;
  return true;
}

}  // namespace

bool same_argument(const Argument& a, const Argument& b) {
  using Kind = Argument::Kind;
  if (a.kind != b.kind) return false;
  switch (a.kind) {
    case Kind::kNone: return true;
    case Kind::kBool: return a.boolean == b.boolean;
    case Kind::kInt: return a.integer == b.integer;
    case Kind::kFloat: return same_number(a.number, b.number);
    case Kind::kComplex:
      return same_number(a.complex->real, b.complex->real) && same_number(a.complex->imag, b.complex->imag);
    case Kind::kString:
    case Kind::kObject: return a.string_view() == b.string_view();
    case Kind::kDType: return a.dtype_value == b.dtype_value;
    case Kind::kLayout: return a.layout_value == b.layout_value;
    case Kind::kMemoryFormat: return a.format_value == b.format_value;
    case Kind::kDevice: return *a.device == *b.device;
    case Kind::kNode: return a.node == b.node;
    case Kind::kList: return same_items(a.list_items(), b.list_items());
    case Kind::kDict: return same_entries(a.dict_entries(), b.dict_entries());
    case Kind::kGraph: return a.graph == b.graph;
    case Kind::kSymInt: return a.sym().identical(b.sym());
    case Kind::kReal: return a.real == b.real;
    case Kind::kFunctional: return a.functional == b.functional;
  }
  RUNG_UNREACHABLE();
}

}  // namespace rung
