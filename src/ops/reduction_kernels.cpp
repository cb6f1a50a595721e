// Reductions that no others make up.
#include <bit>

#include "ops/dims.h"
#include "ops/kernels.h"

namespace rung::ops {
namespace {

// The exclusive or of all elements: of 64 bits as an integer, or as a double.
uint64_t bits_of(int64_t value) { return static_cast<uint64_t>(value); }
uint64_t bits_of(double value) { return std::bit_cast<uint64_t>(value); }

Argument exclusive_or(const Call& call) {
  Tensor self(call.args[0]);
  const TensorMeta& result = result_meta(call);
  std::vector<bool> gone = dims::reduced(self, Unbox<std::optional<SymInts>>::from(call.args[1]));
  if (is_complex(self.dtype())) fail_dtype(call.op, self.dtype());
  auto run = [&](auto zero) {
    std::vector<int64_t> out;
    for (const auto& group : dims::groups<decltype(zero)>(self, gone)) {
      uint64_t all = 0;
      for (auto each : group) all ^= bits_of(each);
      out.push_back(static_cast<int64_t>(all));
    }
    return ref::make(result, out).argument();
  };
  return is_floating(self.dtype()) ? run(double()) : run(int64_t());
}

constexpr KernelRow kRows[] = {
    {"aten::hash_tensor", exclusive_or},
    {"prims::xor_sum", exclusive_or},
};

}  // namespace

const std::span<const KernelRow> kReductionKernels = kRows;

}  // namespace rung::ops
