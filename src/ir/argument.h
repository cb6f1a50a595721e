// An argument of a node: a number, a text, a node, a list of arguments.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>

#include "ir/dtype.h"
#include "shape/sym_int.h"

namespace rung {

struct Node;
struct Graph;
struct FunctionalTensor;
class RealTensor;
struct Argument;
struct NamedArgument;
using Arguments = std::span<const Argument>;

struct ComplexNumber {
  double real, imag;
};

/// A small value; what it points at lies in an arena that outlives it.
struct Argument {
  enum class Kind : uint8_t {
    kNone,
    kBool,
    kInt,
    kFloat,
    kComplex,
    kString,
    kDType,
    kLayout,
    kMemoryFormat,
    kDevice,
    kNode,        // the value of another node
    kList,        // FX list; tuples become lists when a file is loaded
    kDict,        // text -> argument
    kGraph,       // a sub-graph of a higher-order operator
    kSymInt,      // only while tracing: a symbolic number that no node stands for yet
    kFunctional,  // only while tracing: a tensor whose views and writes are being followed
    kObject,      // a custom object, by name
    kReal,        // a tensor with values; Tensor counts references, an Argument does not
  };

  Kind kind = Kind::kNone;
  DType dtype_value = DType::kFloat32;
  Layout layout_value = Layout::kStrided;
  MemoryFormat format_value = MemoryFormat::kContiguous;
  uint32_t size = 0;  // characters, items
  union {
    int64_t integer = 0;
    bool boolean;
    double number;
    const ComplexNumber* complex;
    const char* text;
    const Device* device;
    Node* node;
    FunctionalTensor* functional;
    RealTensor* real;
    const Argument* items;
    const NamedArgument* entries;
    Graph* graph;
    int64_t sym_bits;  // kSymInt: SymInt::bits()
  };

  static Argument none() { return {}; }
  static Argument of(bool value) {
    Argument a;
    a.kind = Kind::kBool;
    a.boolean = value;
    return a;
  }
  static Argument of(int64_t value) {
    Argument a;
    a.kind = Kind::kInt;
    a.integer = value;
    return a;
  }
  static Argument of(double value) {
    Argument a;
    a.kind = Kind::kFloat;
    a.number = value;
    return a;
  }
  static Argument of(DType value) {
    Argument a;
    a.kind = Kind::kDType;
    a.dtype_value = value;
    return a;
  }
  static Argument of(Layout value) {
    Argument a;
    a.kind = Kind::kLayout;
    a.layout_value = value;
    return a;
  }
  static Argument of(MemoryFormat value) {
    Argument a;
    a.kind = Kind::kMemoryFormat;
    a.format_value = value;
    return a;
  }
  static Argument of(const Device* value) {
    Argument a;
    a.kind = Kind::kDevice;
    a.device = value;
    return a;
  }
  static Argument of(const ComplexNumber* value) {
    Argument a;
    a.kind = Kind::kComplex;
    a.complex = value;
    return a;
  }
  static Argument of(Node* value) {
    Argument a;
    a.kind = Kind::kNode;
    a.node = value;
    return a;
  }
  static Argument of(FunctionalTensor* value) {
    Argument a;
    a.kind = Kind::kFunctional;
    a.functional = value;
    return a;
  }
  static Argument of(RealTensor* value) {
    Argument a;
    a.kind = Kind::kReal;
    a.real = value;
    return a;
  }
  static Argument of(Graph* value) {
    Argument a;
    a.kind = Kind::kGraph;
    a.graph = value;
    return a;
  }
  static Argument of(SymInt value) {
    if (value.is_int()) return of(value.value());
    Argument a;
    a.kind = Kind::kSymInt;
    a.sym_bits = value.bits();
    return a;
  }
  static Argument string(std::string_view value) {
    Argument a;
    a.kind = Kind::kString;
    a.text = value.data();
    a.size = static_cast<uint32_t>(value.size());
    return a;
  }
  static Argument list(Arguments value) {
    Argument a;
    a.kind = Kind::kList;
    a.items = value.data();
    a.size = static_cast<uint32_t>(value.size());
    return a;
  }
  static Argument dict(std::span<const NamedArgument> value);
  static Argument object(std::string_view name) {
    Argument a = string(name);
    a.kind = Kind::kObject;
    return a;
  }

  SymInt sym() const { return SymInt::from_bits(sym_bits); }
  bool is_none() const { return kind == Kind::kNone; }
  bool is_number() const {
    return kind == Kind::kBool || kind == Kind::kInt || kind == Kind::kFloat || kind == Kind::kComplex;
  }
  bool is_tensor() const { return kind == Kind::kNode || kind == Kind::kFunctional || kind == Kind::kReal; }
  std::string_view string_view() const { return {text, size}; }
  Arguments list_items() const { return {items, size}; }
  std::span<const NamedArgument> dict_entries() const;
};

struct NamedArgument {
  std::string_view name;
  Argument value;
};

inline Argument Argument::dict(std::span<const NamedArgument> value) {
  Argument a;
  a.kind = Kind::kDict;
  a.entries = value.data();
  a.size = static_cast<uint32_t>(value.size());
  return a;
}
inline std::span<const NamedArgument> Argument::dict_entries() const { return {entries, size}; }

/// Same kind and same value, as Python would say with types: 1 is not 1.0. Nodes by identity, lists item by item.
bool same_argument(const Argument& a, const Argument& b);

/// Calls `visit(Node*)` for every node in `argument`, lists and dicts included, in order.
template <typename Visit>
void for_each_node(const Argument& argument, Visit&& visit) {
  if (argument.kind == Argument::Kind::kNode) visit(argument.node);
  if (argument.kind == Argument::Kind::kList)
    for (const Argument& item : argument.list_items()) for_each_node(item, visit);
  if (argument.kind == Argument::Kind::kDict)
    for (const NamedArgument& entry : argument.dict_entries()) for_each_node(entry.value, visit);
}

}  // namespace rung
