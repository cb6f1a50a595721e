// Functions of a real number that the C++ library does not have.
#pragma once

namespace rung::ops::special {

double digamma(double x);
double erf_inv(double y);

}  // namespace rung::ops::special
