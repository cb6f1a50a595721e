// Runs, and compares what comes out.
#include "golden/values.h"

#include "base/error.h"
#include "interp/distance.h"
#include "interp/inputs.h"
#include "interp/npz.h"
#include "ref/data.h"

namespace rung::golden {
namespace {

// Values that are no function of the inputs.
bool is_undetermined(const Graph& graph) {
  for (const Node* node : graph) {
    if (!node->is_call(Callee::kOp)) continue;
    const OpSchema& schema = schema_of(node->op);
    const std::string_view name = std::string_view(schema.name).substr(schema.name.find("::") + 2);
    if (schema.has(kNondeterministicSeeded) || name.starts_with("empty") || name.starts_with("new_empty") ||
        name.starts_with("resize"))
      return true;
  }
  return false;
}

// Their order among equal elements is free, so where they found an element is no value of theirs.
bool orders_freely(const Graph& graph) {
  for (const Node* node : graph) {
    if (!node->is_call(Callee::kOp)) continue;
    const std::string_view name = schema_of(node->op).name;
    for (std::string_view op : {"aten::sort", "aten::argsort", "aten::topk", "aten::kthvalue", "aten::msort"})
      if (name == op || (name.starts_with(op) && name[op.size()] == '.' && !name.ends_with("stable"))) return true;
  }
  return false;
}

// Numpy has no bfloat16: such arrays hold the bits.
Tensor as_recorded(const Tensor& recorded, DType dtype) {
  const bool is_bits = info(dtype).bytes == info(recorded.dtype()).bytes && recorded.dtype() != dtype &&
                       (dtype == DType::kBFloat16 || info(dtype).bytes == 1) && is_floating(dtype);
  return is_bits ? interp::bits_as(recorded, dtype) : recorded;
}

std::string compare_tensor(const Tensor& recorded, const Tensor& got, const Graph& original) {
  const Tensor expected = as_recorded(recorded, got.dtype());
  if (expected.dtype() != got.dtype() || sizes_text(expected) != sizes_text(got))
    return cat("expected ", info(expected.dtype()).name, sizes_text(expected), ", got ", info(got.dtype()).name,
               sizes_text(got));
  if (is_undetermined(original)) return "";
  if (got.dtype() == DType::kInt64 && orders_freely(original)) return "";
  const double apart = interp::distance(expected, got);
  return apart <= interp::allowed_distance(original) ? "" : cat(apart, " units in the last place from torch");
}

// What the program says its tensors look like, in order.
std::vector<const TensorMeta*> output_metas(const ExportedProgram& program) {
  std::vector<const TensorMeta*> metas;
  for (const OutputSpec& spec : program.outputs)
    if (spec.kind == OutputKind::kUserOutput && spec.value.kind == Argument::Kind::kNode)
      if (const TensorMeta* meta = spec.value.node->tensor()) metas.push_back(meta);
  return metas;
}

std::string strides_text(SymInts strides) {
  std::string text = "[";
  for (SymInt stride : strides) text += cat(text.size() > 1 ? ", " : "", stride.is_int() ? cat(stride.value()) : "?");
  return text + ']';
}

// Where there are elements to step over, and no size depends on data.
std::string compare_strides(const TensorMeta& expected, const Tensor& got) {
  if (got.numel() == 0) return "";
  for (size_t i = 0; i < expected.sizes.size(); ++i) {
    if (!expected.sizes[i].is_int() || !expected.strides[i].is_int()) return "";
    if (expected.sizes[i].value() > 1 && expected.strides[i].value() != got.strides()[i].value())
      return cat("expected strides ", strides_text(expected.strides), ", got ", strides_text(got.strides()));
  }
  return "";
}

}  // namespace

Outcome compare_values(std::string_view npz, const ExportedProgram& original, const ExportedProgram& program) {
  interp::NamedTensors inputs, outputs;
  for (auto& [name, tensor] : interp::read_npz({npz.data(), npz.size()}))
    (name.starts_with("in") ? inputs : outputs).emplace_back(name, tensor);
  manual_seed(0);
  std::vector<Tensor> got;
  for (const interp::Value& value : interp::run(program, interp::named_inputs(program, inputs)).outputs)
    if (value.tensor.is_real()) got.push_back(value.tensor);
  if (got.size() != outputs.size())
    return {Verdict::kDiffers, cat("expected ", outputs.size(), " tensors, got ", got.size())};
  const std::vector<const TensorMeta*> metas = output_metas(original);
  for (size_t i = 0; i < got.size() && metas.size() == got.size(); ++i)
    if (std::string difference = compare_strides(*metas[i], got[i]); !difference.empty())
      return {Verdict::kDiffers, cat(outputs[i].first, ": ", difference)};
  for (size_t i = 0; i < got.size(); ++i)
    if (std::string difference = compare_tensor(outputs[i].second, got[i], *original.graph); !difference.empty())
      return {Verdict::kDiffers, cat(outputs[i].first, ": ", difference)};
  return {};
}

}  // namespace rung::golden
