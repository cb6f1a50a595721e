// Recurrent networks, unrolled over the time steps, and their cells.
#include <algorithm>

#include "ops/box.h"
#include "ops/families.h"
#include "ops/gen/aten.h"

namespace rung::ops {
namespace {

using TensorTuple3 = std::tuple<Tensor, Tensor, Tensor>;

// What one layer has learnt; what is absent is undefined.
struct LayerWeights {
  Tensor input, hidden, input_bias, hidden_bias, projection;
};

// The parameters come layer by layer (a layer of each direction), those that are absent left out.
std::vector<LayerWeights> gather_weights(TensorList params, bool has_biases, bool has_projections) {
  size_t group = 2 + (has_biases ? 2 : 0) + (has_projections ? 1 : 0);
  if (params.size() % group != 0) fail_input("rnn: ", params.size(), " parameters are not a multiple of ", group);
  std::vector<LayerWeights> layers;
  for (TensorList rest = params; !rest.empty(); rest = rest.subspan(group)) {
    LayerWeights& layer = layers.emplace_back();
    layer.input = rest[0];
    layer.hidden = rest[1];
    if (has_biases) layer.input_bias = rest[2], layer.hidden_bias = rest[3];
    if (has_projections) layer.projection = rest[group - 1];
  }
  return layers;
}

// A hidden state and, for an LSTM, a cell state.
struct State {
  Tensor hidden, cell;
};

// One time step: the projected input and the state give the next state.
using Step = State (*)(const Tensor& projected, const State& state, const LayerWeights& weights);

State lstm_step(const Tensor& projected, const State& state, const LayerWeights& weights) {
  Tensor gates = aten::linear(state.hidden, weights.hidden, weights.hidden_bias);
  gates = aten::add_Tensor(gates, projected);
  std::vector<Tensor> parts = aten::chunk(gates, 4, 2);
  Tensor in_gate = aten::sigmoid(parts[0]);
  Tensor forget_gate = aten::sigmoid(parts[1]);
  Tensor cell_gate = aten::tanh(parts[2]);
  Tensor out_gate = aten::sigmoid(parts[3]);
  Tensor kept = aten::mul_Tensor(forget_gate, state.cell);
  Tensor added = aten::mul_Tensor(in_gate, cell_gate);
  Tensor cell = aten::add_Tensor(kept, added);
  Tensor hidden = aten::tanh(cell);
  hidden = aten::mul_Tensor(out_gate, hidden);
  if (weights.projection) hidden = aten::linear(hidden, weights.projection);
  return {hidden, cell};
}

// (h - n) * z + n with the new gate n and the input gate z
Tensor gru_blend(const std::vector<Tensor>& from_input, const std::vector<Tensor>& from_hidden, const Tensor& hidden) {
  Tensor reset_gate = aten::add_Tensor(from_hidden[0], from_input[0]);
  reset_gate = aten::sigmoid(reset_gate);
  Tensor input_gate = aten::add_Tensor(from_hidden[1], from_input[1]);
  input_gate = aten::sigmoid(input_gate);
  Tensor new_gate = aten::mul_Tensor(from_hidden[2], reset_gate);
  new_gate = aten::add_Tensor(from_input[2], new_gate);
  new_gate = aten::tanh(new_gate);
  Tensor result = aten::sub_Tensor(hidden, new_gate);
  result = aten::mul_Tensor(result, input_gate);
  return aten::add_Tensor(result, new_gate);
}

State gru_step(const Tensor& projected, const State& state, const LayerWeights& weights) {
  std::vector<Tensor> from_input = aten::chunk(projected, 3, 1);
  Tensor gates = aten::linear(state.hidden, weights.hidden, weights.hidden_bias);
  std::vector<Tensor> from_hidden = aten::chunk(gates, 3, 2);
  return {gru_blend(from_input, from_hidden, state.hidden), {}};
}

template <Tensor (*nonlinearity)(const Tensor&)>
State rnn_step(const Tensor& projected, const State& state, const LayerWeights& weights) {
  Tensor sum = aten::linear(state.hidden, weights.hidden, weights.hidden_bias);
  sum = aten::add_Tensor(sum, projected);
  return {nonlinearity(sum), {}};
}

// ---- layers

struct LayerResult {
  Tensor output;
  State last;
};

LayerResult run_layer(const Tensor& input, const State& initial, const LayerWeights& weights, Step step, bool reverse) {
  bool has_cell = initial.cell.defined();
  State state;
  auto unsqueeze_state = [&] {
    state.hidden = aten::unsqueeze(initial.hidden, 0);
    if (has_cell) state.cell = aten::unsqueeze(initial.cell, 0);
  };
  if (has_cell) unsqueeze_state();
  Tensor projected = aten::linear(input, weights.input, weights.input_bias);
  if (reverse) projected = aten::flip(projected, {0});
  if (!has_cell) unsqueeze_state();  // torch's LSTM does this before the projection, the others after it
  std::vector<Tensor> outputs;
  for (const Tensor& at_step : aten::unbind_int(projected)) {
    state = step(at_step, state, weights);
    outputs.push_back(state.hidden);
  }
  if (reverse) std::reverse(outputs.begin(), outputs.end());
  LayerResult result;
  result.output = aten::cat(outputs, 0);
  result.last.hidden = aten::squeeze_dim(state.hidden, 0);
  if (has_cell) result.last.cell = aten::squeeze_dim(state.cell, 0);
  return result;
}

struct NetworkOptions {
  int64_t layers;
  bool bidirectional, batch_first;
};

struct NetworkResult {
  Tensor output;
  std::vector<Tensor> hidden, cell;
};

// Layer after layer. There is no dropout between them: torch's decomposition never applies it.
NetworkResult run_network(Tensor input, const std::vector<State>& initial, const std::vector<LayerWeights>& weights,
                          Step step, const NetworkOptions& options) {
  size_t directions = options.bidirectional ? 2 : 1, count = static_cast<size_t>(options.layers) * directions;
  if (initial.size() < count || weights.size() < count)
    fail_input("rnn: ", count, " layers, but ", initial.size(), " states and the weights of ", weights.size());
  if (options.batch_first) input = aten::transpose_int(input, 0, 1);
  NetworkResult result;
  for (size_t i = 0; i < count; i += directions) {
    std::vector<Tensor> outputs;
    for (size_t direction = 0; direction < directions; ++direction) {
      LayerResult layer = run_layer(input, initial[i + direction], weights[i + direction], step, direction == 1);
      outputs.push_back(layer.output);
      result.hidden.push_back(layer.last.hidden);
      result.cell.push_back(layer.last.cell);
    }
    input = options.bidirectional ? aten::cat(outputs, outputs[0].dim() - 1) : outputs[0];
  }
  result.output = options.batch_first ? aten::transpose_int(input, 0, 1) : input;
  return result;
}

TensorTuple3 lstm(Tensor input, TensorList hx, TensorList params, bool has_biases, int64_t num_layers, double, bool,
                  bool bidirectional, bool batch_first) {
  if (hx.size() != 2) fail_input("lstm expects two hidden states, got ", hx.size());
  std::vector<LayerWeights> weights = gather_weights(params, has_biases, hx[0].size(2) != hx[1].size(2));
  std::vector<Tensor> hidden = aten::unbind_int(hx[0]);
  std::vector<Tensor> cell = aten::unbind_int(hx[1]);
  std::vector<State> initial;
  for (size_t i = 0; i < std::min(hidden.size(), cell.size()); ++i) initial.push_back({hidden[i], cell[i]});
  NetworkResult result = run_network(input, initial, weights, lstm_step, {num_layers, bidirectional, batch_first});
  Tensor last_hidden = aten::stack(result.hidden, 0);
  return {result.output, last_hidden, aten::stack(result.cell, 0)};
}

template <Step step>
TensorTuple2 rnn(Tensor input, Tensor hx, TensorList params, bool has_biases, int64_t num_layers, double, bool,
                 bool bidirectional, bool batch_first) {
  std::vector<State> initial;
  for (const Tensor& hidden : aten::unbind_int(hx)) initial.push_back({hidden, {}});
  std::vector<LayerWeights> weights = gather_weights(params, has_biases, false);
  NetworkResult result = run_network(input, initial, weights, step, {num_layers, bidirectional, batch_first});
  return {result.output, aten::stack(result.hidden, 0)};
}

// ---- cells: one step of a matrix of samples

TensorTuple2 lstm_cell(Tensor input, TensorList hx, Tensor w_ih, Tensor w_hh, Tensor b_ih, Tensor b_hh) {
  if (hx.size() != 2) fail_input("lstm_cell expects two hidden states, got ", hx.size());
  Tensor gates = aten::linear(hx[0], w_hh, b_hh);
  Tensor projected = aten::linear(input, w_ih, b_ih);
  gates = aten::add_Tensor(gates, projected);
  std::vector<Tensor> parts = aten::unsafe_chunk(gates, 4, 1);
  Tensor in_gate = aten::sigmoid(parts[0]);
  Tensor forget_gate = aten::sigmoid(parts[1]);
  Tensor cell_gate = aten::tanh(parts[2]);
  Tensor out_gate = aten::sigmoid(parts[3]);
  Tensor kept = aten::mul_Tensor(forget_gate, hx[1]);
  Tensor added = aten::mul_Tensor(in_gate, cell_gate);
  Tensor cell = aten::add_Tensor(kept, added);
  Tensor hidden = aten::tanh(cell);
  return {aten::mul_Tensor(out_gate, hidden), cell};
}

Tensor gru_cell(Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, Tensor b_ih, Tensor b_hh) {
  Tensor projected = aten::linear(input, w_ih, b_ih);
  std::vector<Tensor> from_input = aten::unsafe_chunk(projected, 3, 1);
  Tensor gates = aten::linear(hx, w_hh, b_hh);
  std::vector<Tensor> from_hidden = aten::unsafe_chunk(gates, 3, 1);
  return gru_blend(from_input, from_hidden, hx);
}

template <Tensor (*nonlinearity)(const Tensor&)>
Tensor rnn_cell(Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, Tensor b_ih, Tensor b_hh) {
  Tensor gates = aten::linear(hx, w_hh, b_hh);
  Tensor projected = aten::linear(input, w_ih, b_ih);
  Tensor sum = aten::add_Tensor(gates, projected);
  return nonlinearity(sum);
}

constexpr OpDef kRows[] = {
    {.op = "aten::lstm.input", .body = box<lstm>},
    {.op = "aten::gru.input", .body = box<rnn<gru_step>>},
    {.op = "aten::rnn_tanh.input", .body = box<rnn<rnn_step<aten::tanh>>>},
    {.op = "aten::rnn_relu.input", .body = box<rnn<rnn_step<aten::relu>>>},
    {.op = "aten::lstm_cell", .body = box<lstm_cell>},
    {.op = "aten::gru_cell", .body = box<gru_cell>},
    {.op = "aten::rnn_tanh_cell", .body = box<rnn_cell<aten::tanh>>},
    {.op = "aten::rnn_relu_cell", .body = box<rnn_cell<aten::relu>>},
};

}  // namespace

const std::span<const OpDef> kRecurrentOps = kRows;

}  // namespace rung::ops
