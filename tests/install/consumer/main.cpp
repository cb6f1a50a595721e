// Lowers a program with the installed library and prints it before and after; saves it, and reads it again.
#include <rung/rung.h>

#include <cstdio>

// The first script of the lesson.
static bool traces_gelu() {
  auto f = [](rung::Tensor x) { return rung::nn::functional::gelu(x); };
  const auto x = rung::fake({3}).named("x");
  const std::string plain = rung::make_fx(f, {x}).code();
  const std::string prims = rung::make_fx(f, {x}, {.refs = true}).code();
  return plain.find("gelu = torch.ops.aten.gelu.default(x_1)") != plain.npos &&
         prims.find("erf = torch.ops.prims.erf.default(mul_1)") != prims.npos;
}

int main(int argc, char** argv) {
  if (argc != 4) return 64;
  try {
    const rung::ExportedProgram program = rung::load(argv[1]);
    const rung::ExportedProgram core = program.run_decompositions();
    std::printf("%s\n%s\n", program.graph_text().c_str(), core.graph_text().c_str());

    rung::DecompositionTable table = rung::core_aten_decompositions();
    const rung::ExportedProgram kept = rung::lower(program, table.keep("aten.silu"));
    if (kept.code().find("torch.ops.aten.silu.default") == std::string::npos) return 1;
    if (!rung::core_aten_decompositions().opens("aten.silu")) return 2;

    const rung::OpSet library = rung::OpSet::from_file(argv[3]);
    if (!library.accepts("aten.linear") || rung::lower(program, library).node_count() != program.node_count()) return 8;

    if (!traces_gelu()) return 7;
    if (core.range_constraints() != "{}") return 6;

    rung::save(core, argv[2]);
    if (rung::load(argv[2]).graph_text() != core.graph_text()) return 3;
    table.keep("aten.no_such_op");
  } catch (const rung::Error& error) {
    return error.kind() == rung::ErrorKind::kInput ? 0 : 4;
  }
  return 5;
}
