// Names, dtypes and sizes of inputs.
#include "interp/inputs.h"

#include <algorithm>

#include "base/error.h"
#include "export/samples.h"
#include "interp/npz.h"
#include "ir/real_tensor.h"
#include "ops/gen/aten.h"
#include "pass/bind_sizes.h"
#include "ref/data.h"
#include "ref/pool.h"
#include "ref/values.h"
#include "shape/value_range.h"

namespace rung::interp {
namespace {

bool is_user_input(const InputSpec& spec) {
  return spec.kind == InputKind::kUserInput || spec.kind == InputKind::kConstantInput;
}

std::vector<const InputSpec*> specs_of(const ExportedProgram& program) {
  std::vector<const InputSpec*> specs;
  for (const InputSpec& spec : program.inputs)
    if (is_user_input(spec)) specs.push_back(&spec);
  return specs;
}

std::string inputs_text(const std::vector<const InputSpec*>& specs) {
  std::string text;
  for (const InputSpec* spec : specs) {
    if (spec->kind == InputKind::kConstantInput) continue;
    const TensorMeta* tensor = spec->node->tensor();
    text += cat(text.empty() ? "" : ", ", spec->node->name, ' ', tensor != nullptr ? type_text(*tensor) : "a number");
  }
  return text.empty() ? "the program takes no inputs" : cat("the program takes ", text);
}

void check_tensor(const TensorMeta& wanted, const Tensor& given) {
  if (!given.is_real()) fail_input("a tensor is needed: ", type_text(wanted));
  const TensorMeta& meta = given.meta();
  if (meta.dtype != wanted.dtype)
    fail_input("the program takes ", info(wanted.dtype).name, ", got ", info(meta.dtype).name);
  if (meta.sizes.size() != wanted.sizes.size())
    fail_input("the program takes ", type_text(wanted), ", got ", type_text(meta));
  for (size_t i = 0; i < meta.sizes.size(); ++i)
    if (wanted.sizes[i].is_int() && wanted.sizes[i].value() != meta.sizes[i].value())
      fail_input("the program takes ", type_text(wanted), ", got ", type_text(meta), ": size ", i, " must be ",
                 wanted.sizes[i].value());
}

bool is_solvable(const Expr* size) {
  return size->kind == ExprKind::kSymbol ||
         (size->kind == ExprKind::kMul && size->args.size() == 2 && size->args[0]->kind == ExprKind::kInteger &&
          size->args[1]->kind == ExprKind::kSymbol);
}

// Symbols from the sizes that are one, or a multiple of one; then the other sizes must come out.
void check_dynamic_sizes(const ExportedProgram& program, const std::vector<const InputSpec*>& specs,
                         const std::vector<Value>& inputs) {
  std::vector<SizeBinding> bindings;
  for (size_t i = 0; i < specs.size(); ++i) {
    const TensorMeta* wanted = specs[i]->node->tensor();
    if (wanted == nullptr) continue;
    for (size_t dim = 0; dim < wanted->sizes.size(); ++dim) {
      if (wanted->sizes[dim].is_int() || !is_solvable(wanted->sizes[dim].expr())) continue;
      bindings.push_back(
          {cat(specs[i]->node->name, '.', dim), inputs[i].tensor.size(static_cast<int64_t>(dim)).value()});
      try {
        resolve_bindings(program, std::span(&bindings.back(), 1));
      } catch (const Error& error) {
        throw error.at(cat("input '", specs[i]->node->name, "', size ", dim));
      }
    }
  }
  const SymbolValues values = resolve_bindings(program, bindings);
  auto value_of = [&](const Expr* symbol) -> std::optional<int64_t> {
    auto found = values.find(symbol->name);
    return found == values.end() ? std::nullopt : std::optional(found->second);
  };
  for (size_t i = 0; i < specs.size(); ++i) {
    const TensorMeta* wanted = specs[i]->node->tensor();
    for (size_t dim = 0; wanted != nullptr && dim < wanted->sizes.size(); ++dim) {
      if (wanted->sizes[dim].is_int()) continue;
      std::optional<int64_t> size = evaluate(wanted->sizes[dim].expr(), value_of);
      int64_t given = inputs[i].tensor.size(static_cast<int64_t>(dim)).value();
      if (size && *size != given)
        fail_input("input '", specs[i]->node->name, "': size ", dim, " is ", given, ", and ", wanted->sizes[dim].str(),
                   " is ", *size);
    }
  }
}

bool is_result(std::string_view name) {
  bool is_numbered = name.starts_with("out") && name.size() > 3 && name.find_first_not_of("0123456789", 3) == name.npos;
  return is_numbered || name.starts_with("mutated.");
}

// The strides of an input, of the sizes that an array has; nothing where these do not fit, or do not tell.
std::optional<std::vector<SymInt>> strides_for(const TensorMeta& input, SymInts sizes) {
  if (sizes.size() != input.rank()) return std::nullopt;
  auto size_of = [&](const Expr* symbol) -> std::optional<int64_t> {
    auto found = std::ranges::find_if(input.sizes, [&](SymInt s) { return s.is_symbolic() && s.expr() == symbol; });
    if (found == input.sizes.end()) return std::nullopt;
    return sizes[static_cast<size_t>(found - input.sizes.begin())].value();
  };
  auto value_of = [&](SymInt number) {
    return number.is_int() ? std::optional(number.value()) : evaluate(number.expr(), size_of);
  };
  for (size_t i = 0; i < sizes.size(); ++i)
    if (value_of(input.sizes[i]) != sizes[i].value()) return std::nullopt;
  std::vector<SymInt> strides;
  for (SymInt stride : input.strides) {
    std::optional<int64_t> value = value_of(stride);
    if (!value) return std::nullopt;
    strides.emplace_back(*value);
  }
  return strides;
}

// Arrays lie densely; what the program was exported with may not.
Tensor laid_out(const Tensor& array, const TensorMeta& wanted) {
  std::optional<std::vector<SymInt>> strides = strides_for(wanted, array.sizes());
  if (!strides || array.dtype() != wanted.dtype || std::ranges::equal(array.strides(), *strides)) return array;
  TensorMeta meta = array.meta();
  meta.strides = *strides;
  const auto elements = static_cast<size_t>(array.numel().value());
  if (storage_bytes(meta) < elements * info(meta.dtype).bytes) return array;  // they share memory
  Tensor tensor = ref::make(meta);
  aten::copy_(tensor, array);
  return tensor;
}

// An input that is a number comes as a tensor without dimensions, one of a dtype that numpy lacks as its bits.
Value as_asked(const Node& node, const Tensor& tensor) {
  if (const TensorMeta* wanted = node.tensor()) {
    bool is_bits = (wanted->dtype == DType::kBFloat16 && tensor.dtype() == DType::kUInt16) ||
                   (is_floating(wanted->dtype) && info(wanted->dtype).bytes == 1 && tensor.dtype() == DType::kUInt8);
    return laid_out(is_bits ? bits_as(tensor, wanted->dtype) : tensor, *wanted);
  }
  Value value;
  if (tensor.dtype() == DType::kBool)
    value.number = Argument::of(item_int(tensor) != 0);
  else if (is_floating(tensor.dtype()))
    value.number = Argument::of(item(tensor));
  else
    value.number = Argument::of(item_int(tensor));
  return value;
}

}  // namespace

std::vector<const Node*> user_inputs(const ExportedProgram& program) {
  std::vector<const Node*> nodes;
  for (const InputSpec* spec : specs_of(program)) nodes.push_back(spec->node);
  return nodes;
}

void check_inputs(const ExportedProgram& program, const std::vector<Value>& inputs) {
  const auto specs = specs_of(program);
  if (inputs.size() != specs.size())
    fail_input("got ", inputs.size(), " inputs, and takes ", specs.size(), ": ", inputs_text(specs));
  for (size_t i = 0; i < specs.size(); ++i) {
    const TensorMeta* wanted = specs[i]->node->tensor();
    if (specs[i]->kind == InputKind::kConstantInput || wanted == nullptr) continue;
    try {
      check_tensor(*wanted, inputs[i].tensor);
    } catch (const Error& error) {
      throw error.at(cat("input '", specs[i]->node->name, "'"));
    }
  }
  check_dynamic_sizes(program, specs, inputs);
}

std::vector<Value> named_inputs(const ExportedProgram& program, const NamedTensors& arrays) {
  NamedTensors given;
  std::ranges::copy_if(arrays, std::back_inserter(given), [](const auto& each) { return !is_result(each.first); });
  const auto specs = specs_of(program);
  std::vector<Value> inputs;
  size_t position = 0, used = 0;
  for (const InputSpec* spec : specs) {
    if (spec->kind == InputKind::kConstantInput) {
      inputs.emplace_back(spec->constant);
      continue;
    }
    const std::string by_position = cat("in", position++);
    auto found = std::ranges::find_if(
        given, [&](const auto& each) { return each.first == spec->node->name || each.first == by_position; });
    if (found == given.end())
      fail_input("input '", spec->node->name, "' (or ", by_position, ") is missing: ", inputs_text(specs));
    inputs.push_back(as_asked(*spec->node, found->second));
    ++used;
  }
  if (used == given.size()) return inputs;
  for (const auto& each : given) {
    const std::string& name = each.first;
    size_t at = 0;
    bool is_known = std::ranges::any_of(specs, [&](const InputSpec* spec) {
      return spec->kind != InputKind::kConstantInput && (name == spec->node->name || name == cat("in", at++));
    });
    if (!is_known) fail_input("there is no input '", name, "': ", inputs_text(specs));
  }
  fail_input("an input is given twice, by name and by position");
}

std::optional<std::vector<Value>> sample_inputs(const ExportedProgram& program) {
  std::optional<std::vector<SampleInput>> samples = read_sample_inputs(program);
  if (!samples) return std::nullopt;
  std::vector<Value> inputs;
  for (const SampleInput& sample : *samples) {
    if (sample.meta == nullptr) {
      inputs.emplace_back(sample.value);
      continue;
    }
    if (sample.bytes.size() < storage_bytes(*sample.meta)) fail_input("a sample input has fewer bytes than elements");
    auto storage = Storage::borrow(sample.bytes.data(), sample.bytes.size(), sample.memory);
    inputs.emplace_back(ref::pooled(new RealTensor(*sample.meta, storage)));
  }
  return inputs;
}

std::vector<Value> random_inputs(const ExportedProgram& program, uint64_t seed) {
  manual_seed(seed);
  auto hint_of = [&](const Expr* symbol) -> std::optional<int64_t> {
    auto found = program.hints.find(symbol->name);
    return found == program.hints.end() ? std::nullopt : std::optional(found->second);
  };
  auto size_of = [&](SymInt size) {
    std::optional<int64_t> value = size.is_int() ? std::optional(size.value()) : evaluate(size.expr(), hint_of);
    if (!value) fail_input("the size ", size.str(), " was not recorded at export: give inputs");
    return SymInt(*value);
  };
  std::vector<Value> inputs;
  for (const InputSpec* spec : specs_of(program)) {
    const TensorMeta* wanted = spec->node->tensor();
    if (spec->kind == InputKind::kConstantInput) {
      inputs.emplace_back(spec->constant);
      continue;
    }
    if (wanted == nullptr) fail_input("input '", spec->node->name, "' is a number: give inputs");
    std::vector<SymInt> sizes;
    for (SymInt size : wanted->sizes) sizes.push_back(size_of(size));
    if (is_floating(wanted->dtype) || is_complex(wanted->dtype)) {
      Tensor drawn = aten::randn(sizes, DType::kFloat64);
      inputs.emplace_back(aten::to_dtype(drawn, wanted->dtype));
    } else {
      Tensor drawn = aten::randint(2, sizes);
      inputs.emplace_back(aten::to_dtype(drawn, wanted->dtype));
    }
  }
  return inputs;
}

}  // namespace rung::interp
