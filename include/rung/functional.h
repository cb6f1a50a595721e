// The functions of torch: rung::aten, rung::torch, rung::nn::functional, and Python's operators on tensors.
#pragma once
#include <rung/tensor.h>

#include "ops/functional.h"
