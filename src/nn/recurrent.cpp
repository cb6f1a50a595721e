// Every weight is drawn uniformly within one over the root of the hidden size, in the order of the names.
#include "nn/recurrent.h"

#include <cmath>

#include "nn/init.h"
#include "ops/functional_torch.h"
#include "ops/gen/aten.h"

namespace rung::nn {

RecurrentBase::RecurrentBase(int64_t gates, int64_t input_size, int64_t hidden_size, const RecurrentOptions& options)
    : options_(options), hidden_size_(hidden_size) {
  if (hidden_size <= 0) fail_input("hidden_size must be greater than zero, got ", hidden_size);
  int64_t directions = options.bidirectional ? 2 : 1, rows = gates * hidden_size;
  for (int64_t layer = 0; layer < options.num_layers; ++layer) {
    int64_t columns = layer == 0 ? input_size : hidden_size * directions;
    for (int64_t direction = 0; direction < directions; ++direction) {
      std::string suffix = cat("_l", layer, direction == 1 ? "_reverse" : "");
      auto add = [&](const char* name, const IntList& size) {
        weights_.push_back(&register_parameter(name + suffix, init::empty(size)));
      };
      add("weight_ih", {rows, columns});
      add("weight_hh", {rows, hidden_size});
      if (!options.bias) continue;
      add("bias_ih", {rows});
      add("bias_hh", {rows});
    }
  }
  double bound = 1 / std::sqrt(static_cast<double>(hidden_size));
  for (Tensor* weight : weights_) aten::uniform_(*weight, -bound, bound);
}

std::vector<Tensor> RecurrentBase::weights() const {
  std::vector<Tensor> now;
  for (const Tensor* weight : weights_) now.push_back(*weight);
  return now;
}

bool RecurrentBase::is_batched(const Tensor& input) const {
  if (input.dim() != 2 && input.dim() != 3)
    fail_input("a recurrent network expects an input of rank 2 or 3, got rank ", input.dim());
  return input.dim() == 3;
}

Tensor RecurrentBase::zero_state(const Tensor& input) const {
  SymInt layers = options_.num_layers * (options_.bidirectional ? 2 : 1);
  return aten::zeros({layers, input.size(batch_dim()), hidden_size_}, input.dtype(), std::nullopt, input.device());
}

LSTM::Result LSTM::run(const Tensor& input, State state) {
  bool batched = is_batched(input);
  Tensor sequences = batched ? input : aten::unsqueeze(input, batch_dim());
  if (!state.hidden.defined()) {
    state.hidden = zero_state(sequences);
    state.cell = zero_state(sequences);
  } else if (!batched) {
    state.hidden = aten::unsqueeze(state.hidden, 1);
    state.cell = aten::unsqueeze(state.cell, 1);
  }
  const Tensor start[] = {state.hidden, state.cell};
  auto [output, hidden, cell] =
      aten::lstm_input(sequences, start, weights(), options_.bias, options_.num_layers, options_.dropout, is_training(),
                       options_.bidirectional, options_.batch_first);
  if (batched) return {output, {hidden, cell}};
  Tensor line = aten::squeeze_dim(output, batch_dim());
  Tensor last_hidden = aten::squeeze_dim(hidden, 1);
  return {line, {last_hidden, aten::squeeze_dim(cell, 1)}};
}

std::tuple<Tensor, std::tuple<Tensor, Tensor>> LSTM::forward(const Tensor& input) {
  Result result = run(input);
  return {result.output, {result.state.hidden, result.state.cell}};
}

std::tuple<Tensor, Tensor> RecurrentBase::run_op(Op op, const Tensor& input, Tensor hidden) {
  bool batched = is_batched(input);
  Tensor sequences = batched ? input : aten::unsqueeze(input, batch_dim());
  if (!hidden.defined())
    hidden = zero_state(sequences);
  else if (!batched)
    hidden = aten::unsqueeze(hidden, 1);
  auto [output, last] = op(sequences, hidden, weights(), options_.bias, options_.num_layers, options_.dropout,
                           is_training(), options_.bidirectional, options_.batch_first);
  if (batched) return {output, last};
  Tensor line = aten::squeeze_dim(output, batch_dim());
  return {line, aten::squeeze_dim(last, 1)};
}

std::tuple<Tensor, Tensor> GRU::run(const Tensor& input, Tensor hidden) {
  return run_op(aten::gru_input, input, std::move(hidden));
}

std::tuple<Tensor, Tensor> RNN::run(const Tensor& input, Tensor hidden) {
  return run_op(aten::rnn_tanh_input, input, std::move(hidden));
}

CellBase::CellBase(int64_t gates, int64_t input_size, int64_t hidden_size, bool bias)
    : weight_ih(register_parameter("weight_ih", init::empty({gates * hidden_size, input_size}))),
      weight_hh(register_parameter("weight_hh", init::empty({gates * hidden_size, hidden_size}))),
      bias_ih(register_parameter("bias_ih", bias ? init::empty({gates * hidden_size}) : Tensor())),
      bias_hh(register_parameter("bias_hh", bias ? init::empty({gates * hidden_size}) : Tensor())),
      hidden_size_(hidden_size) {
  double bound = hidden_size > 0 ? 1 / std::sqrt(static_cast<double>(hidden_size)) : 0;
  for (const Tensor& weight : parameters()) aten::uniform_(weight, -bound, bound);
}

bool CellBase::is_batched(const Tensor& input) const {
  if (input.dim() != 1 && input.dim() != 2)
    fail_input("a recurrent cell expects an input of rank 1 or 2, got rank ", input.dim());
  return input.dim() == 2;
}

Tensor CellBase::zero_state(const Tensor& batch) const {
  return torch::zeros({batch.size(0), hidden_size_}, {batch.dtype(), batch.device()});
}

Tensor CellBase::run_step(Step step, const Tensor& input, Tensor hidden) const {
  bool batched = is_batched(input);
  Tensor batch = batched ? input : aten::unsqueeze(input, 0);
  if (!hidden.defined())
    hidden = zero_state(batch);
  else if (!batched)
    hidden = aten::unsqueeze(hidden, 0);
  Tensor next = step(batch, hidden, weight_ih, weight_hh, bias_ih, bias_hh);
  return batched ? next : aten::squeeze_dim(next, 0);
}

LSTMCell::State LSTMCell::run(const Tensor& input, State state) {
  bool batched = is_batched(input);
  Tensor batch = batched ? input : aten::unsqueeze(input, 0);
  if (!state.hidden.defined()) {
    state.hidden = zero_state(batch);
    state.cell = state.hidden;
  } else if (!batched) {
    state.hidden = aten::unsqueeze(state.hidden, 0);
    state.cell = aten::unsqueeze(state.cell, 0);
  }
  const Tensor start[] = {state.hidden, state.cell};
  auto [hidden, cell] = aten::lstm_cell(batch, start, weight_ih, weight_hh, bias_ih, bias_hh);
  if (batched) return {hidden, cell};
  Tensor row = aten::squeeze_dim(hidden, 0);
  return {row, aten::squeeze_dim(cell, 0)};
}

Tensor GRUCell::run(const Tensor& input, const Tensor& hidden) { return run_step(aten::gru_cell, input, hidden); }

Tensor RNNCell::run(const Tensor& input, const Tensor& hidden) {
  Step step = nonlinearity_ == Nonlinearity::kTanh ? aten::rnn_tanh_cell : aten::rnn_relu_cell;
  return run_step(step, input, hidden);
}

}  // namespace rung::nn
