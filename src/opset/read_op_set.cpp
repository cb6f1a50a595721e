// One field at a time; every error says where in the file it stands.
#include "opset/read_op_set.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "base/error.h"
#include "base/json.h"
#include "schema/floor.h"
#include "schema/nearest.h"
#include "trace/functional.h"
#include "trace/table_by_name.h"

namespace rung {
namespace {

namespace fs = std::filesystem;

std::string read_text(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) fail_input(path, ": cannot be read");
  return {std::istreambuf_iterator<char>(in), {}};
}

bool is_file(std::string_view name) { return name.ends_with(".json") || name.find('/') != name.npos; }

// "aten.linalg_*" is every op that begins so.
std::vector<OpId> ops_of(std::string_view spelling) {
  if (!spelling.ends_with('*')) return ops_of_spelling(spelling);
  const std::string_view start = spelling.substr(0, spelling.size() - 1);
  std::vector<OpId> found;
  for (OpId op = 0; op < all_ops().size(); ++op)
    if (std::string_view(torch_name(op)).substr(std::string_view("torch.ops.").size()).starts_with(start))
      found.push_back(op);
  if (found.empty()) fail_input("no op begins with '", start, "'");
  return found;
}

// Of a factory that writes to `out`: the same with dtype, layout and device in its place.
OpId factory_form(OpId op) {
  const OpSchema& schema = schema_of(op);
  if (schema.args.empty() || !schema.args.back().write) return kNoOp;
  const size_t count = schema.args.size() - 1;
  auto is_factory = [&](const OpSchema& other) {
    if (other.ns() != schema.ns() || other.packet() != schema.packet() || !other.is_functional()) return false;
    if (other.args.size() <= count || other.args[count].name != "dtype") return false;
    return std::ranges::equal(schema.args.first(count), other.args.first(count), {}, &ArgDef::name, &ArgDef::name);
  };
  const auto found = std::ranges::find_if(all_ops(), is_factory);
  return found == all_ops().end() ? kNoOp : static_cast<OpId>(found - all_ops().begin());
}

// A functional graph has no calls of out and in-place forms: a back end that has one of them computes the functional
// one. kNoOp where there is none: add.Tensor for add.out and add_.Tensor, arange.start_step for arange.start_out.
OpId functional_form(OpId op) {
  if (schema_of(op).is_functional() || schema_of(op).is_view()) return kNoOp;
  if (const OpId variant = functional_variant(op); variant != kNoOp) return variant;
  return factory_form(op);
}

class Reader {
 public:
  /// `place`: the file, or the name of a shipped set; `outer`: those that include it.
  Reader(std::string_view text, std::string place, std::vector<std::string> outer)
      : document_(json::Document::parse(text)), place_(std::move(place)), outer_(std::move(outer)) {
    outer_.push_back(place_);
  }

  OpSet read() {
    const json::Value root = document_->root();
    if (!root.is_object()) fail_input("an op set is an object: {\"name\": ..., \"ops\": [...]}");
    set_.name = fs::path(place_).stem().string();
    bool has_ops = false;
    root.for_each_member([&](std::string_view key, json::Value value) {
      at(key, [&] { read_field(key, value); });
      has_ops = has_ops || key == "ops" || key == "extends";
    });
    if (!has_ops) fail_input("the set has neither 'ops' nor 'extends'");
    // what is taken away goes last, whatever the order of the fields
    for (OpId op : without_) {
      if (listed_.contains(op)) fail_input("without: ", schema_of(op).name, " stands in 'ops' too");
      set_.refuse(op);
    }
    return std::move(set_);
  }

 private:
  template <typename Read>
  void at(std::string_view where, Read&& read) {
    try {
      read();
    } catch (const Error& error) {
      throw error.at(std::string(where));
    }
  }

  template <typename Visit>
  void for_each(json::Value list, Visit&& visit) {
    if (!list.is_array()) fail_input("a list is expected");
    size_t i = 0;
    list.for_each_item([&](json::Value item) {
      at(cat('[', i, ']'), [&] { visit(item); });
      ++i;
    });
  }

  void read_field(std::string_view key, json::Value value) {
    if (key == "name") {
      set_.name = value.as_string();
    } else if (key == "source") {
      set_.source = value.as_string();
    } else if (key == "build") {
      const std::optional<Build> build = build_from_name(value.as_string());
      if (!build) fail_input("unknown build '", value.as_string(), "': use 2.2, 2.13 or 2.14");
      set_.build = *build;
    } else if (key == "extends") {
      if (value.is_string()) return extend(value.as_string());
      for_each(value, [&](json::Value item) { extend(item.as_string()); });
    } else if (key == "without") {
      for_each(value, [&](json::Value item) {
        for (OpId op : ops_of(item.as_string())) without_.push_back(op);
      });
    } else if (key == "ops") {
      for_each(value, [&](json::Value item) { read_op(item); });
    } else {
      fail_input("unknown field: use name, source, build, extends, without, ops");
    }
  }

  void extend(std::string_view name) {
    OpSet base;
    if (name == "core") {
      for (OpId op = 0; op < all_ops().size(); ++op)
        if (schema_of(op).has(kCore, set_.build)) base.accept(op);
    } else if (name == "prims") {
      for (OpId op = 0; op < all_ops().size(); ++op)
        if (schema_of(op).ns() == "prims") base.accept(op);
      for (const FloorOp& floor : prims_floor()) base.accept(floor.op);
    } else {
      base = included(name);
    }
    for (OpId op = 0; op < all_ops().size(); ++op) set_.take(base, op);
  }

  OpSet included(std::string_view name) {
    std::string place(name), text;
    if (is_file(name)) {
      place = (fs::path(place_).parent_path() / name).lexically_normal().string();
      refuse_cycle(place);
      text = read_text(place);
    } else {
      auto shipped = std::ranges::find(shipped_sets(), name, &ShippedSet::name);
      if (shipped == shipped_sets().end())
        fail_input("there is no set '", name, "': use core, prims, a shipped set (rung opset list) or a file.json");
      refuse_cycle(place);
      text = shipped->text;
    }
    try {
      return Reader(text, place, outer_).read();
    } catch (const Error& error) {
      throw error.at(place);
    }
  }

  void refuse_cycle(const std::string& place) const {
    auto start = std::ranges::find(outer_, place);
    if (start == outer_.end()) return;
    std::string chain;
    for (; start != outer_.end(); ++start) chain += cat(*start, " -> ");
    fail_input("sets include each other: ", chain, place);
  }

  void read_op(json::Value item) {
    if (item.is_string()) {
      const bool is_wildcard = item.as_string().ends_with('*');
      for (OpId op : ops_of(item.as_string())) {
        if (!is_wildcard) listed_.insert(op);
        set_.accept(op);
        if (const OpId form = functional_form(op); form != kNoOp) set_.accept(form);
      }
      return;
    }
    if (!item.is_object()) fail_input("an op is a name, or an object with 'op' and conditions");
    const std::vector<OpId> ops = ops_of(item.at("op").as_string());
    Condition condition;
    item.for_each_member([&](std::string_view key, json::Value value) {
      if (key != "op") at(key, [&] { read_condition(key, value, ops, condition); });
    });
    for (OpId op : ops) {
      listed_.insert(op);
      set_.accept(op, condition);
      if (const OpId form = functional_form(op); form != kNoOp) set_.accept(form, condition);
    }
  }

  void read_condition(std::string_view key, json::Value value, const std::vector<OpId>& ops, Condition& condition) {
    if (key == "dtype") {
      for_each(value, [&](json::Value item) {
        const std::optional<DType> dtype = dtype_from_name(item.as_string());
        if (!dtype) fail_input("unknown dtype '", item.as_string(), "'");
        condition.dtypes.push_back(*dtype);
      });
      if (condition.dtypes.empty()) fail_input("no dtype is accepted: leave the op out");
    } else if (key == "rank") {
      for_each(value, [&](json::Value item) {
        if (item.as_int() < 0) fail_input("a rank is not negative, got ", item.as_int());
        condition.ranks.push_back(item.as_int());
      });
      if (condition.ranks.empty()) fail_input("no rank is accepted: leave the op out");
    } else if (key == "static") {
      condition.is_static = value.as_bool();
    } else if (key == "format") {
      condition.format = format_of(value.as_string());
    } else if (key == "no_none") {
      for_each(value, [&](json::Value item) {
        refuse_unknown_argument(item.as_string(), ops);
        condition.no_none.emplace_back(item.as_string());
      });
    } else if (key == "where") {
      value.for_each_member([&](std::string_view name, json::Value wanted) {
        at(name, [&] { condition.where.emplace_back(name, wanted_value(name, wanted, ops)); });
      });
    } else {
      fail_input("unknown condition: use dtype, rank, static, format, no_none, where");
    }
  }

  static MemoryFormat format_of(std::string_view name) {
    if (name == "contiguous") return MemoryFormat::kContiguous;
    if (name == "channels_last") return MemoryFormat::kChannelsLast;
    if (name == "channels_last_3d") return MemoryFormat::kChannelsLast3d;
    fail_input("unknown format '", name, "': use contiguous, channels_last or channels_last_3d");
  }

  static void refuse_unknown_argument(std::string_view name, const std::vector<OpId>& ops) {
    for (OpId op : ops)
      if (std::ranges::find(schema_of(op).args, name, &ArgDef::name) == schema_of(op).args.end())
        fail_input(schema_of(op).name, " has no argument '", name, "'");
  }

  static Argument wanted_value(std::string_view name, json::Value value, const std::vector<OpId>& ops) {
    refuse_unknown_argument(name, ops);
    switch (value.kind()) {
      case json::Kind::kNull: return Argument::none();
      case json::Kind::kBool: return Argument::of(value.as_bool());
      case json::Kind::kInt: return Argument::of(value.as_int());
      case json::Kind::kFloat: return Argument::of(value.as_float());
      default: fail_input("a number, true, false or null is expected");
    }
  }

  std::shared_ptr<const json::Document> document_;
  std::string place_;
  std::vector<std::string> outer_;
  OpSet set_;
  std::vector<OpId> without_;
  std::set<OpId> listed_;  // by name
};

OpSet read_at(std::string_view text, const std::string& place) {
  try {
    return Reader(text, place, {}).read();
  } catch (const Error& error) {
    throw error.at(place);
  }
}

}  // namespace

OpSet read_op_set(const std::string& path) { return read_at(read_text(path), path); }

OpSet op_set_named(std::string_view name) {
  if (is_file(name)) return read_op_set(std::string(name));
  auto shipped = std::ranges::find(shipped_sets(), name, &ShippedSet::name);
  if (shipped != shipped_sets().end()) return read_at(shipped->text, std::string(name));
  fail_input("there is no op set '", name, "': rung opset list names those that ship with rung; a file ends in .json");
}

}  // namespace rung
