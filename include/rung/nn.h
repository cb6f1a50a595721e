// Modules, as torch.nn has them, and tensors with values to feed them.
//
//   rung::manual_seed(0);
//   rung::nn::Linear fc(3, 4);                 // the parameters that torch makes after torch.manual_seed(0)
//   rung::Tensor y = fc(rung::tensor({1.0f, 2.0f, 3.0f}));
#pragma once
#include <rung/functional.h>

#include "nn/modules.h"
#include "nn/safetensors.h"
#include "ref/data.h"
