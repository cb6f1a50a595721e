// Renames %name, placeholder targets, the return line and names quoted in assert messages.
#include "golden/same_graph.h"

#include <cctype>
#include <unordered_map>
#include <vector>

#include "base/strings.h"

namespace rung::golden {
namespace {

bool is_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    size_t start = line.find_first_not_of(' ');
    if (start != line.npos) lines.push_back(line.substr(start));
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
  return lines;
}

size_t name_length(std::string_view text) {
  size_t length = 0;
  while (length < text.size() && is_name(text[length])) ++length;
  return length;
}

using NameMap = std::unordered_map<std::string_view, std::string>;

// `after_percent`: only names after a % (and in "on node '...'"); else every name that is a node's.
std::string renamed(std::string_view line, const NameMap& names, bool after_percent) {
  constexpr std::string_view kOnNode = "on node '";
  std::string out;
  while (!line.empty()) {
    bool marked = line[0] == '%' || line.starts_with(kOnNode);
    size_t skip = line.starts_with(kOnNode) ? kOnNode.size() : marked ? 1 : 0;
    size_t length = marked || !after_percent ? name_length(line.substr(skip)) : 0;
    if (length == 0) {
      size_t plain = skip > 0 ? skip : 1;
      out += line.substr(0, plain);
      line.remove_prefix(plain);
      continue;
    }
    std::string_view name = line.substr(skip, length);
    auto found = names.find(name);
    out += line.substr(0, skip);
    out += found != names.end() ? std::string_view(found->second) : name;
    line.remove_prefix(skip + length);
  }
  return out;
}

}  // namespace

std::string canonical(std::string_view text) {
  NameMap names;
  std::string out;
  for (std::string_view line : lines_of(text)) {
    if (line.starts_with("graph():")) continue;
    size_t length = line.starts_with('%') ? name_length(line.substr(1)) : 0;
    if (length > 0 && line.substr(1 + length).starts_with(" :"))
      names.emplace(line.substr(1, length), cat('n', names.size()));
    std::string plain = renamed(line, names, !line.starts_with("return "));
    size_t target = plain.find("= placeholder[target=");
    if (target != plain.npos) {
      size_t end = plain.find(']', target);
      plain = cat(plain.substr(0, target), "= placeholder", plain.substr(end + 1));
    }
    out += plain;
    out += '\n';
  }
  return out;
}

std::string first_difference(std::string_view expected, std::string_view got) {
  std::vector<std::string_view> a = lines_of(expected), b = lines_of(got);
  for (size_t i = 0; i < a.size() && i < b.size(); ++i)
    if (a[i] != b[i]) return cat("line ", i, ":\n  - ", a[i], "\n  + ", b[i]);
  if (a.size() == b.size()) return "";
  bool missing = a.size() > b.size();
  return cat(a.size(), " lines against ", b.size(), "; first extra:\n  ", missing ? "- " : "+ ",
             missing ? a[b.size()] : b[a.size()]);
}

}  // namespace rung::golden
