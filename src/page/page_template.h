// The text of the page around its data.
#pragma once
#include <string_view>

namespace rung {

/// The files of data/explain_page put together; kDataMark stands in it once.
std::string_view page_template();
constexpr std::string_view kDataMark = "{{data}}";

}  // namespace rung
