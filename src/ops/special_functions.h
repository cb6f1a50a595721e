// Functions of a real number that the C++ library does not have.
#pragma once

namespace rung::ops::special {

double digamma(double x);
double erf_inv(double y);
/// exp(x^2) erfc(x)
double erfcx(double x);
/// Where the normal distribution has reached p.
double ndtri(double p);
/// Hurwitz's sum of (q + k)^-s over k = 0, 1, ...
double zeta(double s, double q);
/// The lower and upper incomplete gamma functions, divided by gamma(a).
double igamma(double a, double x);
double igammac(double a, double x);

double bessel_i(double order, double x);  // orders 0 and 1
/// exp(-|x|) I(x)
double scaled_bessel_i(double order, double x);
double bessel_k(double order, double x);
/// exp(x) K(x)
double scaled_bessel_k(double order, double x);
double spherical_bessel_j0(double x);
double airy_ai(double x);

// Polynomials of degree n, by their recurrences.
double hermite_h(double x, double n);
double hermite_he(double x, double n);
double laguerre_l(double x, double n);
double legendre_p(double x, double n);

}  // namespace rung::ops::special
