// A function, traced into a graph as torch's make_fx does it.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ir/graph.h"
#include "ir/tensor.h"
#include "trace/table.h"

namespace rung::detail {

/// An input of a trace: a tensor of which sizes are known, another value, or a list or dict of inputs.
struct InputTree {
  enum class Kind { kTensor, kValue, kList, kDict };
  Kind kind = Kind::kValue;
  std::string name;  // of the parameter; may be empty
  DType dtype = DType::kFloat32;
  std::vector<int64_t> sizes, strides;                                          // strides may be empty: dense
  std::string device = "cpu";                                                   // "cuda:1"
  Argument value;                                                               // kValue: a number or None
  std::vector<std::pair<std::string, std::shared_ptr<const InputTree>>> items;  // keys of dicts only

  bool is_leaf() const { return kind == Kind::kTensor || kind == Kind::kValue; }
};

/// A graph, and how its code is written.
struct TracedModule {
  Arena arena;
  Graph graph{arena};
  Build build = Build::k2_13;
  /// Tensors with values that the function used, by the name of their get_attr.
  std::vector<std::pair<std::string, Tensor>> constants;
  /// The function's own parameters, where one is a structure; else empty.
  std::vector<std::string> tree_parameters;

  std::string code() const;
};

struct TraceOptions {
  bool refs = false;
  bool symbolic = false;
  bool returns_tuple = false;
  std::vector<std::string> names;
};

std::unique_ptr<TracedModule> trace_function(const std::function<Argument(Arguments)>& function,
                                             std::span<const std::shared_ptr<const InputTree>> inputs,
                                             const DecompositionTable& table, const TraceOptions& options);

}  // namespace rung::detail
