// Reads "stack_trace" and "nn_module_stack", the texts that torch.export keeps with a node.
#include "ir/recorded_at.h"

#include <algorithm>

#include "base/strings.h"

namespace rung {
namespace {

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r') || (c >= '\x1c' && c <= '\x1f'); }

std::string_view strip(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

std::string_view take_last_line(std::string_view& text) {
  size_t end = text.rfind('\n');
  std::string_view line = end == text.npos ? text : text.substr(end + 1);
  text = text.substr(0, end == text.npos ? 0 : end);
  return line;
}

// A file's name may hold what stands between it and the number: the last such place that fits counts.
std::optional<SourceLine> frame_of(std::string_view line) {
  constexpr std::string_view kStart = "File \"", kLine = "\", line ", kIn = ", in ";
  if (!line.starts_with(kStart)) return std::nullopt;
  line.remove_prefix(kStart.size());
  for (size_t at = line.rfind(kLine); at != line.npos && at > 0; at = line.rfind(kLine, at - 1)) {
    std::string_view rest = line.substr(at + kLine.size());
    size_t digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
    std::string_view tail = rest.substr(digits);
    if (digits == 0 || !tail.starts_with(kIn) || tail.size() == kIn.size()) continue;
    return SourceLine{line.substr(0, at), rest.substr(0, digits), tail.substr(kIn.size()), {}};
  }
  return std::nullopt;
}

bool is_of_torch(const SourceLine& line) {
  return line.file.find("-packages/torch/") != line.file.npos;  // site-packages, Debian's dist-packages
}

// "key,path,class", where a key or a path may hold commas inside of brackets.
std::optional<ModuleCall> module_call(std::string_view entry) {
  std::vector<std::string_view> fields;
  size_t start = 0;
  int depth = 0;
  for (size_t i = 0; i < entry.size(); ++i) {
    if (entry[i] == '(' || entry[i] == '[') ++depth;
    if (entry[i] == ')' || entry[i] == ']') --depth;
    if (entry[i] != ',' || depth > 0) continue;
    fields.push_back(entry.substr(start, i - start));
    start = i + 1;
  }
  fields.push_back(entry.substr(start));
  constexpr std::string_view kNoModule = "_empty_nn_module_stack_from_metadata_hook";  // torch 2.13's word for none
  if (fields.size() != 3 || fields[1] == kNoModule) return std::nullopt;
  return ModuleCall{fields[1], fields[2]};
}

std::string_view text_of(json::Value metadata, std::string_view key) {
  json::Value text = metadata.is_object() ? metadata.find(key) : json::Value();
  return text.is_string() ? text.as_string() : std::string_view();
}

}  // namespace

std::string SourceLine::place() const { return cat(file, ':', line, " in ", function); }

std::optional<SourceLine> take_source_line(std::string_view& stack_trace) {
  stack_trace = strip(stack_trace);
  for (std::string_view below; !stack_trace.empty();) {
    std::string_view line = take_last_line(stack_trace);
    if (auto frame = below.data() != nullptr ? frame_of(strip(line)) : std::nullopt) {
      frame->code = strip(below);
      return frame;
    }
    below = line;
  }
  return std::nullopt;
}

std::string_view stack_trace_of(json::Value metadata) { return text_of(metadata, "stack_trace"); }

std::optional<SourceLine> source_line(const Node& node) {
  std::string_view trace = stack_trace_of(node.metadata);
  const std::optional<SourceLine> innermost = take_source_line(trace);
  std::optional<SourceLine> line = innermost;
  while (line && is_of_torch(*line)) line = take_source_line(trace);
  return line ? line : innermost;
}

std::vector<ModuleCall> module_stack(const Node& node) {
  std::vector<ModuleCall> stack;
  std::string_view rest = text_of(node.metadata, "nn_module_stack");
  while (!rest.empty()) {
    size_t end = std::min(rest.find(';'), rest.size());
    if (auto call = module_call(rest.substr(0, end))) stack.push_back(*call);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return stack;
}

}  // namespace rung
