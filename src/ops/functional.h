// What users of torch call beside the functions that are operators themselves: operators of Python, factories, and
// the functions that torch writes in Python. Defaults are Python's.
#pragma once
#include "ops/functional_activation.h"
#include "ops/functional_attention.h"
#include "ops/functional_loss.h"
#include "ops/functional_norm.h"
#include "ops/functional_pool.h"
#include "ops/functional_torch.h"
#include "ops/functional_vision.h"
#include "ops/gen/aten.h"
#include "ops/gen/torch.h"

namespace rung {

/// As Python's: a number on either side is a number of the op where the op takes one.
Tensor operator+(const Tensor& a, const Tensor& b);
Tensor operator-(const Tensor& a, const Tensor& b);
Tensor operator*(const Tensor& a, const Tensor& b);
Tensor operator/(const Tensor& a, const Tensor& b);
Tensor operator%(const Tensor& a, const Tensor& b);
Tensor operator==(const Tensor& a, const Tensor& b);
Tensor operator!=(const Tensor& a, const Tensor& b);
Tensor operator<(const Tensor& a, const Tensor& b);
Tensor operator<=(const Tensor& a, const Tensor& b);
Tensor operator>(const Tensor& a, const Tensor& b);
Tensor operator>=(const Tensor& a, const Tensor& b);
Tensor operator&(const Tensor& a, const Tensor& b);
Tensor operator|(const Tensor& a, const Tensor& b);
Tensor operator^(const Tensor& a, const Tensor& b);
Tensor operator<<(const Tensor& a, const Tensor& b);
Tensor operator>>(const Tensor& a, const Tensor& b);
Tensor operator-(const Tensor& a);
Tensor operator~(const Tensor& a);

}  // namespace rung
