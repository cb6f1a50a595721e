// Tables, for terminals and pages.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace rung::tool {

struct Column {
  std::string_view head;
  bool is_number = false;  // stands to the right
};

/// Rows have a cell for each column.
struct Table {
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows;
};

/// Aligned; the last column is broken after commas where a line would get too long.
std::string table_text(const Table& table);

/// Broken after commas where a line would get too long; lines after the first begin with `indent` spaces.
std::string wrapped(std::string_view text, size_t indent);

/// "a, b, c"
std::string joined(const std::vector<std::string>& words);

}  // namespace rung::tool
