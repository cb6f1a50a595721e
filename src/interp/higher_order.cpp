// What torch's higher-order operators do with their graphs.
#include "interp/higher_order.h"

#include "base/error.h"
#include "ops/gen/aten.h"
#include "ref/data.h"

namespace rung::interp {
namespace {

using Values = std::vector<Value>;

Value list_of(Values items) {
  Value list;
  list.is_list = true;
  list.items = std::move(items);
  return list;
}

void append(Values& to, const Values& items) { to.insert(to.end(), items.begin(), items.end()); }

bool is_true(const Value& value) {
  if (value.tensor.defined()) return item(value.tensor) != 0;
  return Scalar(value.number).to_double() != 0;
}

class HigherOrder {
 public:
  HigherOrder(const Node& node, const Values& args, const GraphRunner& runner)
      : args_(args), graphs_(subgraphs(node)), runner_(runner) {}

  // (predicate, if true, if false, operands)
  Value cond() const { return result(is_true(arg(0)) ? graph(0) : graph(1), arg(3).items); }

  // (condition, body, carried, besides)
  Value while_loop() const {
    Values carried = arg(2).items;
    const Values besides = args_.size() > 3 ? args_[3].items : Values();
    auto operands = [&] {
      Values all = carried;
      append(all, besides);
      return all;
    };
    for (int64_t i = 0; is_true(runner_.run(graph(0), operands()).at(0)); ++i) {
      if (i == runner_.max_iterations)
        fail_input("a loop goes on after ", i, " iterations: give a larger bound (--steps), if that is meant");
      carried = runner_.run(graph(1), operands());
    }
    return list_of(carried);
  }

  // (body, lists to take apart along their first dimension, besides)
  Value map() const {
    std::vector<Values> rows;
    for (int64_t i = 0; i < length_of(arg(1).items); ++i) {
      Values operands = row(arg(1).items, i);
      append(operands, arg(2).items);
      rows.push_back(runner_.run(graph(0), operands));
    }
    return list_of(stacked(rows, 0));
  }

  // (body, carried, lists to take apart, besides): the body gives what is carried on, then a row of the results
  Value scan() const {
    Values carried = arg(1).items;
    const size_t count = carried.size();
    std::vector<Values> rows;
    for (int64_t i = 0; i < length_of(arg(2).items); ++i) {
      Values operands = carried;
      append(operands, row(arg(2).items, i));
      if (args_.size() > 3) append(operands, args_[3].items);
      rows.push_back(runner_.run(graph(0), operands));
      if (rows.back().size() < count) fail_input("the body of scan gives less than it carries");
      carried.assign(rows.back().begin(), rows.back().begin() + static_cast<ptrdiff_t>(count));
    }
    append(carried, stacked(rows, count));
    return list_of(carried);
  }

  // A region: (settings, ..., graph, operands, ...)
  Value region(size_t settings) const {
    return result(graph(0), Values(args_.begin() + static_cast<ptrdiff_t>(settings + 1), args_.end()));
  }

 private:
  const Graph& graph(size_t i) const {
    if (i >= graphs_.size()) fail_input("the call has ", graphs_.size(), " graphs, and needs more");
    return *graphs_[i];
  }
  const Value& arg(size_t i) const {
    if (i >= args_.size()) fail_input("the call has ", args_.size(), " arguments, and needs more");
    return args_[i];
  }

  Value result(const Graph& graph, const Values& operands) const {
    Values results = runner_.run(graph, operands);
    return graph.is_single_tensor_return ? results.at(0) : list_of(std::move(results));
  }

  static int64_t length_of(const Values& lists) {
    if (lists.empty() || lists[0].tensor.dim() == 0) fail_input("there is nothing to take apart");
    int64_t length = lists[0].tensor.size(0).value();
    if (length == 0) fail_input("leading dimensions of what is taken apart must not be 0");
    return length;
  }

  static Values row(const Values& lists, int64_t i) {
    Values out;
    for (const Value& each : lists) out.emplace_back(aten::select_int(each.tensor, 0, i));
    return out;
  }

  // Of each row's results from `first` on.
  static Values stacked(const std::vector<Values>& rows, size_t first) {
    Values out;
    for (size_t column = first; column < rows[0].size(); ++column) {
      std::vector<Tensor> tensors;
      for (const Values& each : rows) tensors.push_back(each.at(column).tensor);
      out.emplace_back(aten::stack(tensors));
    }
    return out;
  }

  const Values& args_;
  std::vector<Graph*> graphs_;
  const GraphRunner& runner_;
};

}  // namespace

Value call_higher_order(const Node& node, const Values& args, const GraphRunner& runner) {
  const HigherOrder call(node, args, runner);
  if (node.target == "cond") return call.cond();
  if (node.target == "while_loop") return call.while_loop();
  if (node.target == "map_impl") return call.map();
  if (node.target == "scan") return call.scan();
  if (node.target == "wrap_with_set_grad_enabled") return call.region(1);
  fail_unsupported("rung does not run this higher-order operator");
}

}  // namespace rung::interp
