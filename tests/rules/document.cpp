// docs/rules.md, a table by op.
#include <array>

#include "base/error.h"
#include "rules/check.h"

namespace rung::rule_test {
namespace {

struct Group {
  std::string_view name;
  std::vector<DType> dtypes;
};
const std::array<Group, 4> kGroups = {
    Group{"bool", {DType::kBool}},
    Group{"integers", {DType::kUInt8, DType::kInt8, DType::kInt16, DType::kInt32, DType::kInt64}},
    Group{"floats", {DType::kFloat16, DType::kBFloat16, DType::kFloat32, DType::kFloat64}},
    Group{"complex64", {DType::kComplex64}},
};

// A group that is held by all is told by its name.
std::string dtypes_text(const std::set<DType>& held) {
  std::vector<std::string_view> names;
  for (const Group& group : kGroups) {
    std::vector<std::string_view> some;
    for (DType dtype : group.dtypes)
      if (held.contains(dtype)) some.push_back(info(dtype).name);
    if (some.size() == group.dtypes.size()) some = {group.name};
    names.insert(names.end(), some.begin(), some.end());
  }
  std::string text;
  for (std::string_view name : names) text += cat(text.empty() ? "" : ", ", name);
  return text;
}

constexpr std::string_view kIntroduction =
    "# Lateral rules\n\n"
    "Written by `tests/rules/main.cpp` (`make coverage`); do not edit. The test `rules` fails if it is not current.\n\n"
    "A lateral rule says a call in another way, for back ends that have one form and lack another "
    "(`src/rules/rules.h`). Each is run on samples of its op: of several shapes and layouts, with NaN, infinities, "
    "zeros of both signs, the ends of each type's range and numbers that are not normal. It is computed, and traced "
    "and "
    "run, and both are compared with the op itself: floats may be 8 units in the last place of the largest element "
    "apart (`tests/rules/check.cpp`), all else must agree. The table says on which dtypes of the samples each rule "
    "held; on others the op is not defined, the rule declines, or its result has another type, which the search does "
    "not take.\n\n"
    "Of `empty` and its kin only types are compared, since what they hold is not said. Integers are int8 to int64 and "
    "uint8; floats are float16, bfloat16, float32 and float64.\n\n";

}  // namespace

std::string rules_document(const Report& report) {
  std::string text = cat(kIntroduction, "| op | rule | dtypes |\n|---|---|---|\n");
  for (const RuleReport& rule : report.rules)
    text += cat("| ", schema_of(rule.op).name, " | ", rule.rule, " | ", dtypes_text(rule.held), " |\n");
  return text;
}

}  // namespace rung::rule_test
