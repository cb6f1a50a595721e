// The page of a program of many blocks, one of whose modules has a hostile name: rung_big_page OUT.html BLOCKS
#include <cstdio>
#include <cstdlib>

#include "base/error.h"
#include "base/output_file.h"
#include "page/page.h"
#include "pass/lower.h"
#include "unit/chain.h"

namespace {

using namespace rung;

constexpr std::string_view kHostile = "</script><b id=hostile>&\"'";

// As torch.export notes it: a block a layer, a module an operator.
std::string metadata_json(size_t blocks) {
  constexpr std::string_view kModules[] = {"linear", "act", "norm"}, kTypes[] = {"Linear", "SiLU", "LayerNorm"};
  std::string json = "[";
  for (size_t i = 0; i < blocks; ++i)
    for (size_t j = 0; j < 3; ++j) {
      const std::string group = cat("layers.", i / 100), block = cat(group, ".", i);
      const std::string module = i == 7 && j == 1 ? std::string(kHostile) : std::string(kModules[j]);
      const std::string stack = cat("L__self__,,Chain;g,", group, ",Group;b,", block, ",Block;m,", block, ".", module,
                                    ",torch.nn.", kTypes[j]);
      json += cat(json.size() > 1 ? ", " : "", "{\"nn_module_stack\": ");
      json::append_string(json, stack);
      json += ", \"stack_trace\": ";
      json::append_string(json, "File \"chain.py\", line 12, in forward\n    x = self.norm(self.act(self.linear(x)))");
      json += '}';
    }
  return json + "]";
}

void record(ExportedProgram& program, std::string_view json) {
  auto document = json::Document::parse(json);
  Node* node = program.graph->first;
  document->root().for_each_item([&](json::Value metadata) {
    while (node->kind != NodeKind::kCall) node = node->next;
    node->metadata = metadata;
    node = node->next;
  });
  program.keep_alive.push_back(document);
}

void write_page(const char* path, size_t blocks) {
  ExportedProgram program = chain_program(blocks);
  record(program, metadata_json(blocks));
  const ExportedProgram core = lower(program, core_aten_decompositions());
  const ExportedProgram prims = lower(program, prims_decompositions());
  const PageRung rungs[] = {
      {"core", &core, {}, nullptr}, {"prims", &prims, {}, nullptr}, {"mine", nullptr, "no path to <mine>", nullptr}};
  write_file(path, explain_page(program, "chain.pt2", rungs, 0));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: rung_big_page OUT.html BLOCKS\n", stderr);
    return 64;
  }
  try {
    write_page(argv[1], static_cast<size_t>(std::atoi(argv[2])));
    return 0;
  } catch (const rung::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
