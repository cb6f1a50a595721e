// A table that opens what the set does not take whatever the arguments are, by the search.
#include "opset/reach.h"

#include "base/error.h"
#include "opset/search.h"
#include "schema/gen/op_ids.h"
#include "schema/nearest.h"

namespace rung {
namespace {

// The last line of a stack trace that names a place: "  File "model.py", line 12, in forward".
std::string place_of(const Node& source) {
  if (!source.metadata.is_object()) return "";
  const json::Value trace = source.metadata.find("stack_trace");
  if (!trace.is_string()) return "";
  const std::string_view text = trace.as_string();
  const size_t at = text.rfind("File \"");
  if (at == text.npos) return "";
  return std::string(text.substr(at, text.find('\n', at) - at));
}

std::string chain_text(const Origin& origin) {
  std::string chain;
  for (const Frame* frame = origin.chain; frame != nullptr; frame = frame->outer)
    chain = cat(schema_of(frame->op).name, chain.empty() ? "" : " > ", chain);
  return chain;
}

// Other overloads of the packet, and ops of a like name.
std::string accepted_like(OpId op, const OpSet& set) {
  std::string text;
  for (OpId other = 0; other < all_ops().size(); ++other)
    if (set.accepts(other) && schema_of(other).packet() == schema_of(op).packet())
      text += cat(text.empty() ? "" : ", ", short_name(other));
  return text;
}

}  // namespace

DecompositionTable table_for(const OpSet& set) {
  DecompositionTable table(set.name, set.build);
  for (OpId op = 0; op < all_ops().size(); ++op)
    if (!set.accepts_all(op)) table.open(op);
  table.choose_by([kept = std::make_shared<const OpSet>(set)](const DecompositionTable& open) {
    return std::make_unique<Search>(*kept, open);
  });
  return table;
}

std::string violations_text(const std::vector<Violation>& violations, const OpSet& set) {
  std::string text;
  for (const Violation& violation : violations) {
    const Node& node = *violation.node;
    text += cat("'", node.name, "' (", target_name(node), "): ", violation.reason, '\n');
    if (node.origin != nullptr && node.origin->source != nullptr) {
      const Node& source = *node.origin->source;
      const std::string chain = chain_text(*node.origin), place = place_of(source);
      text +=
          cat("    from '", source.name, "' (", target_name(source), ")", chain.empty() ? "" : " by " + chain, '\n');
      if (!place.empty()) text += cat("    ", place, '\n');
    }
    if (!node.is_call(Callee::kOp)) continue;
    if (const std::string like = accepted_like(node.op, set); !like.empty())
      text += cat("    the set accepts ", like, '\n');
  }
  return text;
}

}  // namespace rung
