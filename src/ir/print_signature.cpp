// str(graph_signature).
#include "base/error.h"
#include "ir/print.h"

namespace rung {
namespace {

std::string_view kind_name(InputKind kind) {
  switch (kind) {
    case InputKind::kUserInput:
    case InputKind::kConstantInput: return "USER_INPUT";
    case InputKind::kParameter: return "PARAMETER";
    case InputKind::kBuffer: return "BUFFER";
    case InputKind::kTensorConstant: return "CONSTANT_TENSOR";
    case InputKind::kCustomObject: return "CUSTOM_OBJ";
    case InputKind::kToken: return "TOKEN";
  }
  RUNG_UNREACHABLE();
}

std::string_view kind_name(OutputKind kind) {
  switch (kind) {
    case OutputKind::kUserOutput: return "USER_OUTPUT";
    case OutputKind::kLossOutput: return "LOSS_OUTPUT";
    case OutputKind::kBufferMutation: return "BUFFER_MUTATION";
    case OutputKind::kGradientToParameter: return "GRADIENT_TO_PARAMETER";
    case OutputKind::kGradientToUserInput: return "GRADIENT_TO_USER_INPUT";
    case OutputKind::kUserInputMutation: return "USER_INPUT_MUTATION";
    case OutputKind::kToken: return "TOKEN";
    case OutputKind::kParameterMutation: return "PARAMETER_MUTATION";
  }
  RUNG_UNREACHABLE();
}

void append_target(std::string& out, std::string_view target) {
  if (!target.empty()) out += cat(" target='", target, '\'');
}

void append_input(std::string& out, const InputSpec& spec) {
  out += cat('\n', spec.node != nullptr ? spec.node->name : "", ": ", kind_name(spec.kind));
  append_target(out, spec.target);
  if (spec.kind == InputKind::kBuffer) out += cat(" persistent=", spec.persistent ? "True" : "False");
}

void append_output(std::string& out, const OutputSpec& spec) {
  bool is_node = spec.value.kind == Argument::Kind::kNode;
  out += cat('\n', is_node ? spec.value.node->name : "", ": ", kind_name(spec.kind));
  append_target(out, spec.target);
}

}  // namespace

std::string signature_text(const ExportedProgram& program) {
  std::string out = "\n# inputs";
  for (const InputSpec& spec : program.inputs) append_input(out, spec);
  if (program.inputs.empty()) out += '\n';
  out += "\n\n# outputs";
  for (const OutputSpec& spec : program.outputs) append_output(out, spec);
  if (program.outputs.empty()) out += '\n';
  return out + '\n';
}

std::string range_constraints_text(const ExportedProgram& program) {
  std::string out = "{";
  for (const RangeConstraint& range : program.range_constraints)
    out += cat(out.size() > 1 ? ", " : "", range.symbol, ": VR[", range.min ? cat(*range.min) : "-int_oo", ", ",
               range.max ? cat(*range.max) : "int_oo", "]");
  return out + "}";
}

}  // namespace rung
