// rung::OpSet and lowering to one, as a user of the library has them.
#include <rung/rung.h>

#include <doctest/doctest.h>

namespace rung {
namespace {

const std::string kExamples = std::string(__FILE__).substr(0, std::string(__FILE__).rfind('/')) + "/../../examples/";

template <typename Action>
Error error_of(Action&& action) {
  try {
    action();
  } catch (const Error& error) {
    return error;
  }
  FAIL("no error");
  return Error(ErrorKind::kInternal, "");
}

bool contains(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }

}  // namespace

TEST_CASE("public op sets: a file says what is accepted") {
  const OpSet set = OpSet::from_file(kExamples + "vendor-library.json");
  CHECK(set.name() == "vendor-library");
  CHECK(set.build() == Build::k2_13);
  CHECK(set.size() > 30);
  CHECK(set.accepts("aten.linear"));
  CHECK(set.accepts("aten.convolution"));  // under conditions
  CHECK(set.accepts("aten.add.Tensor"));
  CHECK(!set.accepts("aten.add.Scalar"));
  CHECK(error_of([&] { (void)set.accepts("aten.liner"); }).kind() == ErrorKind::kInput);
}

TEST_CASE("public op sets: shipped ones have names, and files are found by theirs") {
  CHECK(OpSet::named("executorch_xnnpack").name() == "executorch_xnnpack");
  CHECK(OpSet::named(kExamples + "fusing-compiler.json").name() == "fusing-compiler");
  CHECK(error_of([] { OpSet::named("executorch_xnpack"); }).kind() == ErrorKind::kInput);
  CHECK(error_of([] { OpSet::from_file(kExamples + "patches.pt2"); }).kind() == ErrorKind::kInput);
}

TEST_CASE("public op sets: one program becomes another graph for each set") {
  const ExportedProgram program = load(kExamples + "patches.pt2");
  const ExportedProgram vendor = lower(program, OpSet::from_file(kExamples + "vendor-library.json"));
  const ExportedProgram fusing = lower(program, OpSet::from_file(kExamples + "fusing-compiler.json"));
  CHECK(contains(vendor.code(), "torch.ops.aten.scaled_dot_product_attention.default"));
  CHECK(!contains(fusing.code(), "torch.ops.aten.scaled_dot_product_attention.default"));
  CHECK(contains(fusing.code(), "torch.ops.prims.exp.default"));
  CHECK(vendor.node_count() < fusing.node_count());
  CHECK(vendor.range_constraints() == program.range_constraints());
  const ExportedProgram bound =
      lower(program, OpSet::from_file(kExamples + "vendor-library.json"), {.bind = {{"image.0", 4}}});
  CHECK(bound.range_constraints() == "{}");
}

TEST_CASE("public op sets: what does not fit is an error with file, set, operator and place") {
  const ExportedProgram program = load(kExamples + "patches.pt2");
  const Error error = error_of([&] { lower(program, OpSet::named("executorch_xnnpack")); });
  CHECK(error.kind() == ErrorKind::kUnsupported);
  CHECK(contains(error.what(), "patches.pt2: no path to 'executorch_xnnpack': "));
}

}  // namespace rung
