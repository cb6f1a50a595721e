// Just enough of Python's pickle to read tensors that torch.save wrote, in a dictionary or nested. Nothing is ever
// called by name: what is not one of the few known functions is refused.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ir/argument.h"

namespace rung {

struct PickledTensor {
  std::string name;  // its key in the dictionary
  DType dtype = DType::kFloat32;
  int64_t offset = 0;
  std::vector<int64_t> sizes, strides;
  bool requires_grad = false;
  bool is_parameter = false;
  std::string storage;           // the record "data/<storage>"
  int64_t storage_elements = 0;  // in elements of the storage's type, bytes for an untyped one
  std::string location;          // "cpu", "cuda:0"
};

/// A tensor, or a number, text or None; texts lie in the pickle.
struct PickledLeaf {
  std::optional<PickledTensor> tensor;
  Argument value;
};

/// The tensors of the dictionary, in its order. Fails with kInput on damage, on any other object and on unknown
/// globals, with the byte where it stands.
std::vector<PickledTensor> read_tensor_pickle(std::span<const char> pickle);

/// What tuples, lists and dictionaries hold, in order, whatever their nesting. Fails as above.
std::vector<PickledLeaf> read_leaves_pickle(std::span<const char> pickle);

}  // namespace rung
