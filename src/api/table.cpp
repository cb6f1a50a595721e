// The public DecompositionTable: copied when it changes.
#include "api/internal.h"

#include <rung/table.h>

#include "api/access.h"
#include "base/error.h"
#include "ir/bind.h"
#include "ir/current_arena.h"

namespace rung {
inline namespace v1 {

DecompositionTable::DecompositionTable(Build build) { TableAccess::set(*this, detail::aten_table(build)); }

Build DecompositionTable::build() const { return table_->value.build(); }

DecompositionTable& DecompositionTable::open(std::string_view op) {
  detail::Table changed = *table_;
  open_by_name(changed.value, op);
  TableAccess::set(*this, std::move(changed));
  return *this;
}

DecompositionTable& DecompositionTable::keep(std::string_view op) {
  detail::Table changed = *table_;
  keep_by_name(changed.value, op);
  TableAccess::set(*this, std::move(changed));
  return *this;
}

namespace {

using detail::ParameterType;
using Kind = ParameterType::Kind;

std::string_view kind_text(Kind kind) {
  switch (kind) {
    case Kind::kTensor: return "Tensor";
    case Kind::kInt: return "int";
    case Kind::kFloat: return "float";
    case Kind::kBool: return "bool";
    case Kind::kScalar: return "Scalar";
    case Kind::kString: return "str";
    case Kind::kDType: return "ScalarType";
    case Kind::kOther: return "another type";
  }
  RUNG_UNREACHABLE();
}

std::string signature_text(const std::vector<ParameterType>& parameters) {
  std::string text = "(";
  for (const ParameterType& parameter : parameters)
    text += cat(text.size() > 1 ? ", " : "", kind_text(parameter.kind), parameter.list ? "[]" : "",
                parameter.optional ? "?" : "");
  return text + ')';
}

Kind kind_of(ArgType type) {
  switch (type) {
    case ArgType::kTensor: return Kind::kTensor;
    case ArgType::kInt:
    case ArgType::kSymInt: return Kind::kInt;
    case ArgType::kFloat: return Kind::kFloat;
    case ArgType::kBool: return Kind::kBool;
    case ArgType::kScalar: return Kind::kScalar;
    case ArgType::kString: return Kind::kString;
    case ArgType::kScalarType: return Kind::kDType;
    default: return Kind::kOther;
  }
}

// A Tensor may be undefined, and so stands for Tensor? too.
bool fits(const ParameterType& parameter, const ArgDef& definition) {
  bool takes_none = parameter.optional || (parameter.kind == Kind::kTensor && !parameter.list);
  return parameter.kind == kind_of(definition.type) && parameter.kind != Kind::kOther &&
         parameter.list == definition.list && (takes_none || !definition.optional);
}

bool fits(const std::vector<ParameterType>& parameters, std::span<const ArgDef> definitions) {
  if (parameters.size() > definitions.size()) return false;
  for (size_t i = 0; i < definitions.size(); ++i) {
    bool is_left_out = i >= parameters.size();
    bool may_be_left_out = definitions[i].default_value.kind != Default::Kind::kNoDefault;
    if (is_left_out ? !may_be_left_out : !fits(parameters[i], definitions[i])) return false;
  }
  return true;
}

// What the body has no parameter for must be what it is by default.
Argument call_own_body(const std::function<Argument(Arguments)>& body, size_t parameters, const Call& call) {
  std::span<const ArgDef> definitions = schema_of(call.op).args;
  for (size_t i = parameters; i < definitions.size(); ++i)
    if (!same_argument(call.args[i], default_argument(definitions[i], current_arena())))
      fail_input(schema_of(call.op).name, " was called with '", definitions[i].name,
                 "', which its decomposition has no parameter for");
  return body(call.args);
}

// The overloads of a spelling that a body fits.
std::vector<OpId> fitting_ops(std::string_view spelling, const std::vector<ParameterType>& parameters) {
  std::vector<OpId> ops = ops_of_spelling(spelling), fitting;
  for (OpId op : ops)
    if (schema_of(op).is_functional() && fits(parameters, schema_of(op).args)) fitting.push_back(op);
  if (fitting.empty())
    fail_input("a decomposition of ", spelling, " takes its arguments: the schema is ",
               schema_of(ops[0]).text[static_cast<size_t>(Build::k2_13)], ", and the function takes ",
               signature_text(parameters));
  return fitting;
}

}  // namespace

DecompositionTable& DecompositionTable::register_body(std::string_view op, const std::vector<ParameterType>& parameters,
                                                      std::function<Argument(Arguments)> body) {
  detail::Table changed = *table_;
  const size_t count = parameters.size();
  for (OpId overload : fitting_ops(op, parameters))
    changed.value.open_by(overload, [body, count](const Call& call) { return call_own_body(body, count, call); });
  TableAccess::set(*this, std::move(changed));
  return *this;
}

size_t DecompositionTable::size() const { return table_->value.size(); }

bool DecompositionTable::opens(std::string_view op) const {
  for (OpId overload : ops_of_spelling(op))
    if (table_->value.opens(overload) || table_->value.must_open(overload)) return true;
  return false;
}

DecompositionTable aten_decompositions(Build build) { return TableAccess::make(detail::aten_table(build)); }
DecompositionTable composite_decompositions(Build build) { return TableAccess::make(detail::composite_table(build)); }
DecompositionTable core_aten_decompositions(Build build) { return TableAccess::make(detail::core_table(build)); }
DecompositionTable prims_decompositions(Build build) { return TableAccess::make(detail::prims_table(build)); }
DecompositionTable torch_prims_decompositions(Build build) {
  return TableAccess::make(detail::torch_prims_table(build));
}

}  // namespace v1
}  // namespace rung
