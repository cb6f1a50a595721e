// Stack traces and module stacks, as torch.export writes them into a file.
#include "ir/provenance.h"

#include <algorithm>
#include <vector>

#include "base/strings.h"
#include "schema/nearest.h"

namespace rung {
namespace {

std::string_view metadata_text(const Node& node, std::string_view key) {
  const json::Value value = node.metadata.is_object() ? node.metadata.find(key) : json::Value();
  return value.is_string() ? value.as_string() : std::string_view();
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const size_t start = std::min(text.find_first_not_of(kSpace), text.size());
  return text.substr(start, text.find_last_not_of(kSpace) + 1 - start);
}

// Takes the last line off.
std::string_view take_last_line(std::string_view& text) {
  const size_t end = text.rfind('\n');
  const std::string_view line = end == text.npos ? text : text.substr(end + 1);
  text = end == text.npos ? std::string_view() : text.substr(0, end);
  return line;
}

// torch as it is installed, and its modules in a checkout.
bool is_code_of_torch(std::string_view file) {
  return file.find("-packages/torch/") != file.npos || file.find("/torch/nn/") != file.npos ||
         file.starts_with("torch/");
}

// "key,path,type", where a path may hold commas in brackets: x[0, 1].
std::vector<std::string_view> split_at_commas(std::string_view text) {
  std::vector<std::string_view> parts;
  size_t start = 0;
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    depth += text[i] == '[' || text[i] == '(';
    depth -= text[i] == ']' || text[i] == ')';
    if (text[i] != ',' || depth != 0) continue;
    parts.push_back(text.substr(start, i - start));
    start = i + 1;
  }
  parts.push_back(text.substr(start));
  return parts;
}

template <typename Text>
std::string joined_chain(const Frame* chain, Text&& text_of) {
  std::vector<const Frame*> frames;
  for (; chain != nullptr; chain = chain->outer) frames.push_back(chain);
  std::string text;
  for (size_t i = frames.size(); i-- > 0;) text += cat(text.empty() ? "" : " > ", text_of(*frames[i]));
  return text;
}

}  // namespace

std::optional<StackFrame> stack_frame(std::string_view line) {
  constexpr std::string_view kStart = "File \"", kLine = "\", line ", kIn = ", in ";
  if (!line.starts_with(kStart)) return std::nullopt;
  line.remove_prefix(kStart.size());
  for (size_t at = line.rfind(kLine); at != line.npos && at > 0; at = line.rfind(kLine, at - 1)) {
    const std::string_view rest = line.substr(at + kLine.size());
    const size_t digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
    const std::string_view tail = rest.substr(digits);
    if (digits == 0 || !tail.starts_with(kIn) || tail.size() == kIn.size()) continue;
    return StackFrame{line.substr(0, at), rest.substr(0, digits), tail.substr(kIn.size())};
  }
  return std::nullopt;
}

std::optional<SourceLine> source_line(const Node& node) {
  std::optional<SourceLine> innermost;
  std::string_view rest = trimmed(metadata_text(node, "stack_trace")), below;
  while (!rest.empty()) {
    const std::string_view line = trimmed(take_last_line(rest));
    const std::optional<StackFrame> frame = stack_frame(line);
    if (frame) {
      const SourceLine found{*frame, below};
      if (!is_code_of_torch(frame->file)) return found;
      if (!innermost) innermost = found;
    }
    below = frame ? std::string_view() : line;
  }
  return innermost;
}

std::optional<ModuleName> innermost_module(const Node& node) {
  const std::string_view stack = metadata_text(node, "nn_module_stack");
  const std::vector<std::string_view> parts = split_at_commas(stack.substr(stack.rfind(';') + 1));
  if (parts.size() != 3) return std::nullopt;
  return ModuleName{parts[1], parts[2].substr(parts[2].rfind('.') + 1)};
}

std::string callee_text(const Node& node) {
  return node.callee == Callee::kOp ? short_name(node.op) : target_name(node);
}

std::string chain_text(const Frame* chain) {
  return joined_chain(chain, [](const Frame& frame) { return short_name(frame.op); });
}

std::string chain_text_with_rules(const Frame* chain) {
  return joined_chain(chain, [](const Frame& frame) { return cat(short_name(frame.op), " (", frame.rule, ')'); });
}

}  // namespace rung
