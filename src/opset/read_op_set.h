// Op sets from JSON files, and those that ship with rung.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "opset/op_set.h"

namespace rung {

/// A set that ships with rung: its name, and its file's text.
struct ShippedSet {
  std::string_view name, text;
};
/// In order of their names.
std::span<const ShippedSet> shipped_sets();

/// Reads a file:
///
///   {"name": "mine", "source": "where it is from", "build": "2.13",
///    "extends": ["core"], "without": ["aten.sort.stable"],
///    "ops": ["aten.linear", "aten.linalg_*", "prims.*",
///            {"op": "aten.convolution", "dtype": ["float32"], "rank": [4], "static": true,
///             "format": "channels_last", "where": {"transposed": false}}]}
///
/// "aten.linear" stands for all overloads, a final * for all ops that begin so. "extends" names rungs (core, prims),
/// shipped sets and files beside this one; what the file itself says of an op stands for what it inherits. Fails with
/// kInput, with the place in the file: an unknown op (with the nearest names), an unknown field or condition, a wrong
/// type, what stands twice, a cycle of files, conditions that nothing can meet or that contradict each other.
OpSet read_op_set(const std::string& path);

/// A shipped set by name; a name with a slash, or that ends in .json, is a file. Fails with kInput for another name.
OpSet op_set_named(std::string_view name);

}  // namespace rung
