// Columns are as wide as their widest cell.
#include "table.h"

#include <algorithm>

#include "base/strings.h"

namespace rung::tool {
namespace {

constexpr size_t kLine = 120;
constexpr std::string_view kGap = "  ";

std::vector<size_t> widths_of(const Table& table) {
  std::vector<size_t> widths;
  for (size_t i = 0; i < table.columns.size(); ++i) {
    size_t width = table.columns[i].head.size();
    for (const auto& row : table.rows) width = std::max(width, row[i].size());
    widths.push_back(width);
  }
  return widths;
}

std::string aligned(std::string_view cell, size_t width, bool is_number) {
  const std::string fill(width - cell.size(), ' ');
  return is_number ? cat(fill, cell) : cat(cell, fill);
}

void append_row(std::string& out, const Table& table, const std::vector<size_t>& widths,
                const std::vector<std::string>& cells) {
  std::string line;
  for (size_t i = 0; i + 1 < cells.size(); ++i)
    line += cat(aligned(cells[i], widths[i], table.columns[i].is_number), kGap);
  const size_t last = cells.size() - 1;
  line += table.columns[last].is_number ? aligned(cells[last], widths[last], true) : wrapped(cells[last], line.size());
  line.erase(line.find_last_not_of(' ') + 1);
  out += line + '\n';
}

}  // namespace

std::string table_text(const Table& table) {
  const std::vector<size_t> widths = widths_of(table);
  std::vector<std::string> heads;
  for (const Column& column : table.columns) heads.emplace_back(column.head);
  std::string out;
  append_row(out, table, widths, heads);
  for (const auto& row : table.rows) append_row(out, table, widths, row);
  return out;
}

std::string wrapped(std::string_view text, size_t indent) {
  std::string out;
  const size_t room = std::max<size_t>(kLine, indent + 40) - indent;
  while (text.size() > room) {
    size_t end = text.rfind(", ", room - 1);
    if (end == text.npos) end = text.find(", ");
    if (end == text.npos) break;
    out += cat(text.substr(0, end + 1), '\n', std::string(indent, ' '));
    text.remove_prefix(end + 2);
  }
  return cat(out, text);
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += cat(text.empty() ? "" : ", ", word);
  return text;
}

}  // namespace rung::tool
