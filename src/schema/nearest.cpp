// The nearest names to a misspelt op.
#include "schema/nearest.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "base/error.h"

namespace rung {
namespace {

/// "aten.silu" for torch.ops.aten.silu.default, aten::silu and silu.
std::string as_short_name(std::string_view text) {
  constexpr std::string_view kPrefix = "torch.ops.", kDefault = ".default";
  if (text.starts_with(kPrefix)) text.remove_prefix(kPrefix.size());
  if (text.ends_with(kDefault)) text.remove_suffix(kDefault.size());
  const size_t colons = text.find("::");
  const std::string name =
      colons == text.npos ? std::string(text) : cat(text.substr(0, colons), ".", text.substr(colons + 2));
  return name.starts_with("aten.") || name.starts_with("prims.") ? name : "aten." + name;
}

/// Letters to add or drop to make `b` of `a`. A wrong letter counts twice: a missing one is the commoner
/// slip.
size_t edit_distance(std::string_view a, std::string_view b, std::vector<size_t>& row) {
  row.resize(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t above = row[j];
      row[j] = a[i - 1] == b[j - 1] ? diagonal : std::min(above, row[j - 1]) + 1;
      diagonal = above;
    }
  }
  return row[b.size()];
}

/// The least is the best.
struct Candidate {
  size_t distance;
  int unlikeliness;
  OpId op;
  auto operator<=>(const Candidate&) const = default;
};

/// Ops that people write come before out= overloads, composites and what only old builds have.
int unlikeliness(const OpSchema& schema) {
  return (schema.has(kExists) ? 0 : 4) + (schema.overload().ends_with("out") ? 2 : 0) +
         (schema.has(kHasCpuKernel) ? 0 : 1);
}

std::string overloads_of_packet(std::string_view packet_name) {
  std::string list;
  for (size_t op = 0; op < all_ops().size(); ++op) {
    const std::string name = short_name(static_cast<OpId>(op));
    if (name.starts_with(packet_name) && name.substr(packet_name.size()).starts_with('.'))
      list += (list.empty() ? "" : ", ") + name;
  }
  return list;
}

}  // namespace

std::string short_name(OpId op) {
  const OpSchema& schema = schema_of(op);
  const std::string name = cat(schema.ns(), ".", schema.packet());
  return schema.overload() == "default" ? name : cat(name, ".", schema.overload());
}

std::vector<OpId> nearest_ops(std::string_view text, size_t limit, std::span<const OpId> among) {
  const std::string wanted = as_short_name(text);
  std::vector<Candidate> candidates;
  std::vector<size_t> row;
  for (const OpId op : among) {
    const size_t distance = edit_distance(wanted, short_name(op), row);
    if (distance <= wanted.size() / 3) candidates.push_back({distance, unlikeliness(schema_of(op)), op});
  }
  std::ranges::sort(candidates);
  std::vector<OpId> nearest;
  for (const Candidate& candidate : candidates)
    if (nearest.size() < limit && candidate.distance == candidates[0].distance) nearest.push_back(candidate.op);
  return nearest;
}

OpId nearest_op(OpId op, const std::function<bool(OpId)>& is_meant) {
  const std::string_view wanted = schema_of(op).packet();
  std::optional<Candidate> best;
  std::vector<size_t> row;
  for (OpId other = 0; other < all_ops().size(); ++other) {
    if (!is_meant(other)) continue;
    const std::string_view name = schema_of(other).packet();
    // a share of both names, in thousandths: by letters alone the shortest name would be near to all
    const size_t distance = 1000 * edit_distance(wanted, name, row) / (wanted.size() + name.size());
    const Candidate candidate{distance, unlikeliness(schema_of(other)), other};
    if (!best || candidate < *best) best = candidate;
  }
  return best ? best->op : kNoOp;
}

std::vector<OpId> nearest_ops(std::string_view text, size_t limit) {
  std::vector<OpId> all(all_ops().size());
  std::iota(all.begin(), all.end(), OpId{0});
  return nearest_ops(text, limit, all);
}

std::string unknown_op_message(std::string_view text) {
  const std::string overloads = overloads_of_packet(as_short_name(text));
  if (!overloads.empty()) return cat("unknown op '", text, "': its packet has ", overloads);
  const std::vector<OpId> nearest = nearest_ops(text, 3);
  if (nearest.empty()) return cat("unknown op '", text, "'");
  std::string message = cat("unknown op '", text, "': did you mean ", short_name(nearest[0]), "?");
  for (size_t i = 1; i < nearest.size(); ++i) message += cat(i == 1 ? " (or " : ", ", short_name(nearest[i]));
  return nearest.size() > 1 ? message + ")" : message;
}

OpId op_of_spelling(std::string_view text) {
  const OpId op = find_op_spelling(text);
  if (op == kNoOp) fail_input(unknown_op_message(text));
  return op;
}

}  // namespace rung
