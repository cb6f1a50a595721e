// The tensor that functions are written on: while one is traced, a value of its graph.
//
// Operators are made anew by rung::aten (every overload of ATen by name), rung::torch and rung::nn::functional (what
// Python users call, with torch's defaults).
#pragma once
#include "ir/tensor.h"
