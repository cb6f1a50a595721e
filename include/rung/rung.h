// All of rung: programs that torch.export.save wrote and functions in C++, lowered without Python and without libtorch.
//
//   rung::ExportedProgram program = rung::load("model.pt2");
//   rung::ExportedProgram core = program.run_decompositions();
//   std::cout << core.graph_text();
//   rung::save(core, "core.pt2");
//
//   auto f = [](rung::Tensor x) { return rung::nn::functional::gelu(x); };
//   std::cout << rung::make_fx(f, {rung::fake({3}).named("x")}).code();
#pragma once
#include <rung/build.h>
#include <rung/error.h>
#include <rung/export.h>
#include <rung/functional.h>
#include <rung/make_fx.h>
#include <rung/mode.h>
#include <rung/nn.h>
#include <rung/opset.h>
#include <rung/program.h>
#include <rung/structure.h>
#include <rung/table.h>
#include <rung/tensor.h>
#include <rung/version.h>
