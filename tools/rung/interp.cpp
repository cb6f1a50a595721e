// Inputs from arrays or samples.
#include "interp.h"

#include <charconv>
#include <cstdio>

#include "base/error.h"
#include "interp/inputs.h"
#include "interp/npz.h"
#include "ref/data.h"
#include "ref/values.h"

namespace rung::tool {

int64_t number_of(const Options& options, std::string_view name, int64_t fallback) {
  std::optional<std::string_view> text = options.value(name);
  if (!text) return fallback;
  int64_t number = 0;
  auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), number);
  if (error != std::errc() || end != text->data() + text->size() || number < 0)
    throw UsageError(cat(name, " takes a number, not '", *text, "'"));
  return number;
}

std::optional<std::vector<interp::Value>> inputs_of(const ExportedProgram& program, const Options& options) {
  if (std::optional<std::string_view> path = options.value("--inputs"))
    return interp::named_inputs(program, interp::load_npz(std::string(*path)));
  if (interp::user_inputs(program).empty()) return std::vector<interp::Value>();
  return interp::sample_inputs(program);
}

namespace {

std::string text_of(int64_t value, DType dtype) {
  if (dtype == DType::kBool) return value != 0 ? "True" : "False";
  return cat(value);
}
std::string text_of(double value, DType) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}
std::string text_of(ref::Complex value, DType) {
  char text[64];
  std::snprintf(text, sizeof text, "(%.6g%+.6gj)", value.real(), value.imag());
  return text;
}

}  // namespace

std::string tensor_text(const Tensor& tensor) {
  constexpr size_t kShown = 8;
  std::string text = cat(info(tensor.dtype()).abbreviation, sizes_text(tensor), ": ");
  ref::with_carrier(tensor.dtype(), [&](auto carrier) {
    const auto values = ref::values<decltype(carrier)>(tensor);
    for (size_t i = 0; i < std::min(values.size(), kShown); ++i)
      text += cat(i > 0 ? ", " : "", text_of(values[i], tensor.dtype()));
    if (values.size() > kShown) text += ", ...";
  });
  return text;
}

}  // namespace rung::tool
