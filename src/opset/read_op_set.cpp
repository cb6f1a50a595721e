// One field at a time; every error says where in the file it stands.
#include "opset/read_op_set.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include "base/error.h"
#include "base/json.h"
#include "opset/core.h"
#include "opset/json_place.h"
#include "opset/read_condition.h"
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

  // What is inherited comes first, and what is taken away last, whatever the order of the fields.
  OpSet read() {
    const json::Value root = document_->root();
    if (!root.is_object())
      fail_input("an op set is an object, {\"name\": ..., \"ops\": [...]}, found ", json::kind_name(root.kind()));
    set_.name = fs::path(place_).stem().string();
    for_each_member_at(root, [&](std::string_view key, json::Value value) { read_field(key, value); });
    if (!ops_ && !extends_) fail_input("the set has neither 'ops' nor 'extends'");
    if (extends_) at_place("extends", [&] { read_extends(); });
    if (ops_) at_place("ops", [&] { for_each_item_at(ops_, [&](json::Value item, size_t i) { read_op(item, i); }); });
    for (const auto& entry : own_) accept(entry.first, entry.second);
    for (const auto& entry : own_) accept_functional_form(entry.first, entry.second);
    if (without_) at_place("without", [&] { read_without(); });
    return std::move(set_);
  }

 private:
  /// What the file itself says of an op.
  struct Own {
    std::vector<Condition> conditions;
    bool is_whole = false;
    bool is_by_name = false;
    size_t place = 0;  // of the first entry, in 'ops'
  };

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
      extends_ = value;
    } else if (key == "without") {
      without_ = value;
    } else if (key == "ops") {
      ops_ = value;
    } else {
      fail_input("unknown field: use name, source, build, extends, without, ops");
    }
  }

  void read_extends() {
    if (extends_.is_string()) return extend(extends_.as_string());
    for_each_item_at(extends_, [&](json::Value item, size_t) { extend(item.as_string()); });
  }

  void read_without() {
    for_each_item_at(without_, [&](json::Value item, size_t) {
      for (OpId op : ops_of(item.as_string())) {
        if (auto own = own_.find(op); own != own_.end() && own->second.is_by_name)
          fail_input(short_name(op), " stands in 'ops' too, at [", own->second.place, ']');
        set_.refuse(op);
      }
    });
  }

  void extend(std::string_view name) {
    OpSet base;
    if (name == "core") {
      base = core_ops(set_.build);
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

  void read_op(json::Value item, size_t place) {
    if (!item.is_string() && !item.is_object())
      fail_input("an op is a name, or an object with 'op' and conditions, found ", json::kind_name(item.kind()));
    const std::string_view spelling = item.is_string() ? item.as_string() : item.at("op").as_string();
    const std::vector<OpId> ops = ops_of(spelling);
    const bool is_whole = item.is_string() || item.size() == 1;
    const Condition condition = is_whole ? Condition() : read_condition(item, ops);
    for (OpId op : ops) {
      const auto [entry, is_new] = own_.try_emplace(op);
      Own& own = entry->second;
      if (is_new) own.place = place;
      if (!is_new && own.is_whole != is_whole)
        fail_input(short_name(op), " stands at [", own.place, "] too, ", own.is_whole ? "without" : "with",
                   " conditions: those of ", own.is_whole ? "this entry" : "that entry", " would have no effect");
      own.is_whole = is_whole;
      own.is_by_name = own.is_by_name || !spelling.ends_with('*');
      if (!is_whole) own.conditions.push_back(condition);
    }
  }

  // The file's own word stands for what is inherited.
  void accept(OpId op, const Own& own) {
    set_.refuse(op);
    add(op, own);
  }
  void accept_functional_form(OpId op, const Own& own) {
    const OpId form = functional_form(op);
    if (form != kNoOp && !own_.contains(form)) add(form, own);
  }
  void add(OpId op, const Own& own) {
    if (own.is_whole) set_.accept(op);
    for (const Condition& condition : own.conditions) set_.accept(op, condition);
  }

  std::shared_ptr<const json::Document> document_;
  std::string place_;
  std::vector<std::string> outer_;
  OpSet set_;
  json::Value extends_, ops_, without_;
  std::map<OpId, Own> own_;
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
