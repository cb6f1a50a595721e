// All of rung: programs that torch.export.save wrote, lowered without Python and without libtorch.
//
//   rung::ExportedProgram program = rung::load("model.pt2");
//   rung::ExportedProgram core = program.run_decompositions();
//   std::cout << core.graph_text();
//   rung::save(core, "core.pt2");
#pragma once
#include <rung/build.h>
#include <rung/error.h>
#include <rung/program.h>
#include <rung/table.h>
#include <rung/version.h>
