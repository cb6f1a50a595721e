// Copies the lists and texts of a call to the current arena.
#include "ops/call.h"

#include "base/error.h"

namespace rung {
namespace {

template <typename T>
Argument copied_list(std::span<const T> values) {
  const std::span<Argument> items = current_arena().array<Argument>(values.size());
  for (size_t i = 0; i < values.size(); ++i) items[i] = to_argument(values[i]);
  return Argument::list(items);
}

}  // namespace

Argument to_argument(const Device& value) {
  Arena& arena = current_arena();
  return Argument::of(arena.make<Device>(Device{arena.copy(value.type), value.index}));
}

Argument to_argument(std::string_view value) { return Argument::string(current_arena().copy(value)); }

Argument list_argument(TensorList values) { return copied_list(values); }
Argument list_argument(const IntList& values) { return copied_list(values.span()); }
Argument list_argument(std::span<const double> values) { return copied_list(values); }
Argument list_argument(std::span<const bool> values) { return copied_list(values); }
Argument list_argument(std::span<const Scalar> values) { return copied_list(values); }
Argument list_argument(std::span<const std::string_view> values) { return copied_list(values); }

std::vector<Tensor> tensors_of(const Argument& list) {
  RUNG_CHECK(list.kind == Argument::Kind::kList, "a list of tensors was expected of an op");
  std::vector<Tensor> tensors;
  tensors.reserve(list.size);
  for (const Argument& item : list.list_items()) tensors.emplace_back(item);
  return tensors;
}

}  // namespace rung
