// Each sample is computed three times: by the op, by the rule's body, and by the graph that the body leaves when it is
// traced.
#include "rules/check.h"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <unordered_map>

#include "interp/distance.h"
#include "interp/run.h"
#include "ir/bind.h"
#include "ir/real_tensor.h"
#include "ref/pool.h"
#include "rules/rules.h"
#include "rules/samples.h"
#include "rules/traced_call.h"
#include "shape/shape_env.h"
#include "trace/dispatch.h"
#include "unit/build_graph.h"

namespace rung::rule_test {
namespace {

using interp::Value;

constexpr DType kTypes[] = {DType::kBool,    DType::kUInt8,   DType::kInt8,     DType::kInt16,
                            DType::kInt32,   DType::kInt64,   DType::kFloat16,  DType::kBFloat16,
                            DType::kFloat32, DType::kFloat64, DType::kComplex64};
// One rule after another may round, so that each is held to less than whole programs are.
constexpr double kAllowed = 8;

// What their elements are is not said.
constexpr std::string_view kWithoutContent[] = {"aten::empty.memory_format", "aten::empty_permuted",
                                                "prims::empty_strided", "prims::empty_permuted"};
bool has_content(OpId op) { return std::ranges::count(kWithoutContent, schema_of(op).name) == 0; }

// ---- texts

std::string text_of(const Argument& value) {
  switch (value.kind) {
    case Argument::Kind::kReal: return type_text(value.real->meta());
    case Argument::Kind::kBool: return value.boolean ? "True" : "False";
    case Argument::Kind::kInt: return cat(value.integer);
    case Argument::Kind::kFloat: return std::to_string(value.number);
    case Argument::Kind::kDType: return std::string(info(value.dtype_value).name);
    case Argument::Kind::kString: return std::string(value.string_view());
    case Argument::Kind::kNone: return "None";
    case Argument::Kind::kList: break;
    default: return "...";
  }
  std::string text;
  for (const Argument& item : value.list_items()) text += cat(text.empty() ? "" : ", ", text_of(item));
  return cat('[', text, ']');
}
std::string text_of(Arguments args) {
  std::string text;
  for (const Argument& each : args) text += cat(text.empty() ? "" : ", ", text_of(each));
  return text;
}

// ---- results

// All tensors of a result; of several results the one that a rule gives.
std::vector<Tensor> tensors_of(const Value& value, int only_result) {
  if (!value.is_list) return {value.tensor};
  std::vector<Tensor> all;
  for (size_t i = 0; i < value.items.size(); ++i)
    if (only_result < 0 || static_cast<size_t>(only_result) == i) all.push_back(value.items[i].tensor);
  return all;
}

// ---- one rule on one sample

bool declines(const Error& error) {
  return error.kind() == ErrorKind::kInput || error.kind() == ErrorKind::kUnsupported;
}

class Trial {
 public:
  Trial(Report& report, OpId op, const Rule& rule) : report_(report), op_(op), rule_(rule) {
    report.rules.push_back({op, rule.name, {}, 0});
  }

  void run(const Samples& samples, Arguments args, const Value& expected) {
    args_ = args;
    compute(expected);
    if (trace(samples, expected)) report_.rules.back().held.insert(samples.dtype());
  }

 private:
  void compute(const Value& expected) {
    Value got;
    try {
      ref::PoolScope scope;
      const Argument result = rule_.body({op_, args_});
      if (is_not_decomposed(result)) return;
      got = Value(result);
      scope.keep(result);
    } catch (const Error& error) {
      if (!declines(error)) fault(error.what());
      return;
    }
    const std::vector<Tensor> wanted = tensors_of(expected, rule_.only_result);
    const std::vector<Tensor> made = tensors_of(got, rule_.only_result);
    if (has_types_of(wanted, made)) compare("computed", wanted, made);
  }

  // Where dtype or sizes are others the rule does not hold: the search sees it, and the trace below.
  static bool has_types_of(const std::vector<Tensor>& wanted, const std::vector<Tensor>& made) {
    return std::ranges::equal(wanted, made, [](const Tensor& a, const Tensor& b) {
      if (!a.is_real() || !b.is_real()) return a.is_real() == b.is_real();
      return a.dtype() == b.dtype() && std::ranges::equal(a.sizes(), b.sizes());
    });
  }

  bool trace(const Samples& samples, const Value& expected) {
    ShapeEnv env;
    ShapeEnvScope env_scope(env);
    TracedCall call(op_, args_, samples);
    Argument result;
    try {
      result = call.trace(rule_.body);
      if (is_not_decomposed(result)) return false;
      ShapeEnv before;  // sizes that depend on data are called alike
      ShapeEnvScope before_scope(before);
      if (!has_type_of_call(result, call.call(), is_above(op_), rule_.only_result)) return false;
    } catch (const Error& error) {
      if (!declines(error)) fault(error.what());
      return false;
    }
    try {
      const ExportedProgram& program = call.finish(result, rule_.only_result);
      std::vector<Tensor> got;
      for (const Value& value : interp::run(program, call.inputs()).outputs) got.push_back(value.tensor);
      return compare("traced", tensors_of(expected, rule_.only_result), got, true);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kUnsupported) fault(cat("traced: ", error.what()));
      return false;
    }
  }

  bool compare(std::string_view how, const std::vector<Tensor>& expected, const std::vector<Tensor>& got,
               bool strides = false) {
    for (size_t i = 0; i < expected.size(); ++i) {
      if (!expected[i].is_real()) continue;
      if (i >= got.size() || !got[i].is_real()) return fault(cat(how, ": a result is missing"));
      const Tensor &a = expected[i], &b = got[i];
      if (a.dtype() != b.dtype() || !std::ranges::equal(a.sizes(), b.sizes()))
        return fault(cat(how, ": ", type_text(b.meta()), " for ", type_text(a.meta())));
      if (strides && !lies_alike(a.meta(), b.meta())) return fault(cat(how, ": other strides than were traced"));
      if (!has_content(op_)) continue;
      const double apart = interp::distance(a, b);
      if (!(apart <= kAllowed)) return fault(cat(how, ": ", values_text(a), " became ", values_text(b)));
      report_.rules.back().farthest = std::max(report_.rules.back().farthest, apart);
    }
    return true;
  }

  // The first few.
  static std::string values_text(const Tensor& tensor) {
    constexpr size_t kShown = 40;
    std::string text;
    size_t shown = 0;
    for (ref::Complex value : ref::values<ref::Complex>(tensor)) {
      if (++shown > kShown) break;
      char digits[64];
      std::snprintf(digits, sizeof(digits), is_complex(tensor.dtype()) ? "%.9g+%.9gj" : "%.9g", value.real(),
                    value.imag());
      text += cat(text.empty() ? "" : " ", std::string_view(digits));
    }
    return text;
  }

  bool fault(std::string_view what) {
    report_.faults.push_back(cat(schema_of(op_).name, " by '", rule_.name, "' of (", text_of(args_), "): ", what));
    return false;
  }

  Report& report_;
  OpId op_;
  const Rule& rule_;
  Arguments args_;
};

// Nothing where the op itself does not take the arguments.
std::optional<Value> computed(OpId op, Arguments args) {
  try {
    ref::PoolScope scope;
    const Argument result = dispatch(op, args);
    scope.keep(result);
    return Value(result);
  } catch (const Error& error) {
    if (!declines(error)) throw error.at(cat(schema_of(op).name, " of (", text_of(args), ")"));
    return std::nullopt;
  }
}

// The samples of an op, and what it makes of them.
struct Known {
  const Samples* samples;
  Arguments args;
  Value result;
};

}  // namespace

void check_rules_of(OpId op, std::span<const Rule> rules, Report& report) {
  std::vector<std::unique_ptr<Samples>> samples;
  std::vector<Known> known;
  for (DType dtype : kTypes) {
    samples.push_back(std::make_unique<Samples>(op, dtype));
    if (!add_samples(op, *samples.back())) fail_input(schema_of(op).name, " has rules, and no samples in tests/rules");
    for (Arguments args : samples.back()->calls())
      if (std::optional<Value> result = computed(op, args)) known.push_back({samples.back().get(), args, *result});
  }
  for (const Rule& rule : rules) {
    Trial trial(report, op, rule);
    for (const Known& each : known) trial.run(*each.samples, each.args, each.result);
  }
}

Report check_rules() {
  Report report;
  for (OpId op = 0; op < all_ops().size(); ++op)
    if (!lateral_rules(op).empty()) check_rules_of(op, lateral_rules(op), report);
  return report;
}

}  // namespace rung::rule_test
