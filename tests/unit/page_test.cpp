// The page of an explanation without a browser: its data, and files that are whole or not there.
#include "page/page.h"

#include <doctest/doctest.h>

#include "base/json.h"
#include "base/output_file.h"
#include "export/load.h"
#include "page/modules.h"
#include "page/page_template.h"
#include "pass/lower.h"
#include "unit/pt2_files.h"

namespace rung {
namespace {

// What stands in the page's first script.
std::string data_of(const std::string& page) {
  constexpr std::string_view kOpen = "<script id=\"data\" type=\"application/json\">", kClose = "</script>";
  const size_t start = page.find(kOpen) + kOpen.size();
  return page.substr(start, page.find(kClose, start) - start);
}

}  // namespace

TEST_CASE("page: the data holds every operator, its forms, and a census of each rung") {
  const ExportedProgram program = load(example_path("net-2.13.pt2"));
  const ExportedProgram core = lower(program, core_aten_decompositions());
  const PageRung rungs[] = {{"core", &core, {}, nullptr}, {"mine", nullptr, "no path", nullptr}};
  const std::string page = explain_page(program, "</script>&.pt2", rungs, 0);
  CHECK(page.find(kDataMark) == page.npos);
  const auto document = json::Document::parse(data_of(page));
  const json::Value data = document->root();
  CHECK(data.at("title").as_string() == "</script>&.pt2");
  CHECK(data.at("nodes").size() == 2);
  CHECK(data.at("modules").size() == 1);  // fc
  CHECK(data.at("rungs").size() == 3);
  std::vector<size_t> kinds;  // how many operators each rung's census has
  data.at("rungs").for_each_item([&](json::Value rung) { kinds.push_back(rung.at("census").size()); });
  CHECK(kinds == std::vector<size_t>{2, 4, 0});
  data.at("nodes").for_each_item([&](json::Value node) {
    json::Value forms;
    node.for_each_item([&](json::Value field) { forms = field; });
    CHECK(forms.size() == 2);
  });
}

TEST_CASE("page: nothing of the data ends the script that it stands in") {
  const std::string_view page = page_template();
  CHECK(page.find(kDataMark) != page.npos);
  CHECK(page.find(kDataMark) == page.rfind(kDataMark));
  const ExportedProgram program = load(example_path("net-2.13.pt2"));
  CHECK(data_of(explain_page(program, "<!--<script>", {}, 0)).find('<') == std::string::npos);
}

TEST_CASE("page: a module is named below the one around it") {
  const auto document = json::Document::parse(
      R"j({"nn_module_stack": "a,,Net;b,layers,List;c,layers.0,Block;d,other.fc,Linear;e,other.fcx,Odd"})j");
  Node node;
  node.metadata = document->root();
  std::string text;
  for (const ModuleStep& step : module_steps(node)) text += cat(step.name, ':', step.type, ' ');
  CHECK(text == "layers:List 0:Block other.fc:Linear other.fcx:Odd ");
}

TEST_CASE("a file is written whole, or what was there stays") {
  TemporaryFolder folder;
  const std::string path = folder.file("out.txt");
  write_file(path, "first");
  {
    OutputFile unfinished(path);
    unfinished.write(std::string_view("second"));
  }
  CHECK(read_text(path) == "first");
  write_file(path, "third");
  CHECK(read_text(path) == "third");
  CHECK(message_of([&] { write_file(folder.path(), ""); }) ==
        folder.path() + ": is a directory, expected a file to write");
  const std::string missing = folder.path() + "/none/out.txt";
  CHECK(message_of([&] { write_file(missing, ""); }) == missing + ": cannot create: No such file or directory");
}

}  // namespace rung
