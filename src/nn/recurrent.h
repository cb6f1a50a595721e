// Recurrent networks over whole sequences (RNN, LSTM, GRU) and for one step (RNNCell, LSTMCell, GRUCell).
#pragma once
#include "nn/module.h"

namespace rung::nn {

struct RecurrentOptions {
  int64_t num_layers = 1;
  bool bias = true;
  bool batch_first = false;
  double dropout = 0;
  bool bidirectional = false;
};

/// Weights of all layers and directions: weight_ih_l0, weight_hh_l0, bias_ih_l0, bias_hh_l0, weight_ih_l0_reverse, ...
class RecurrentBase : public Module {
 protected:
  RecurrentBase(int64_t gates, int64_t input_size, int64_t hidden_size, const RecurrentOptions& options);
  /// [layers * directions, batch, hidden] of zeros.
  Tensor zero_state(const Tensor& input) const;
  /// Fails with kInput on a rank other than 2 and 3. Whether there is a batch.
  bool is_batched(const Tensor& input) const;
  int64_t batch_dim() const { return options_.batch_first ? 0 : 1; }

  RecurrentOptions options_;
  int64_t hidden_size_;
  /// In the order that the ops take them; the places where they lie.
  std::vector<Tensor> weights() const;
  /// An op with one state, as aten::gru.input.
  using Op = std::tuple<Tensor, Tensor> (*)(const Tensor& input, const Tensor& hidden, TensorList weights,
                                            bool has_biases, SymInt num_layers, double dropout, bool train,
                                            bool bidirectional, bool batch_first);
  std::tuple<Tensor, Tensor> run_op(Op op, const Tensor& input, Tensor hidden);

 private:
  std::vector<Tensor*> weights_;
};

/// Sequences of [length, batch, features], [batch, length, features] with batch_first, or [length, features]; the
/// hidden state starts as zeros unless it is given.
class LSTM : public RecurrentBase {
 public:
  struct State {
    Tensor hidden, cell;
  };
  struct Result {
    Tensor output;
    State state;
  };
  LSTM(int64_t input_size, int64_t hidden_size, const RecurrentOptions& options = {})
      : RecurrentBase(4, input_size, hidden_size, options) {}
  Result run(const Tensor& input, State state = {});
  /// output, (hidden, cell)
  std::tuple<Tensor, std::tuple<Tensor, Tensor>> forward(const Tensor& input);
};

class GRU : public RecurrentBase {
 public:
  GRU(int64_t input_size, int64_t hidden_size, const RecurrentOptions& options = {})
      : RecurrentBase(3, input_size, hidden_size, options) {}
  /// output, hidden
  std::tuple<Tensor, Tensor> run(const Tensor& input, Tensor hidden = {});
  std::tuple<Tensor, Tensor> forward(const Tensor& input) { return run(input); }
};

/// With tanh.
class RNN : public RecurrentBase {
 public:
  RNN(int64_t input_size, int64_t hidden_size, const RecurrentOptions& options = {})
      : RecurrentBase(1, input_size, hidden_size, options) {}
  std::tuple<Tensor, Tensor> run(const Tensor& input, Tensor hidden = {});
  std::tuple<Tensor, Tensor> forward(const Tensor& input) { return run(input); }
};

/// What the cells share. They take [batch, features] or [features]; the hidden state starts as zeros unless it is
/// given.
class CellBase : public Module {
 public:
  Tensor& weight_ih;  // [gates hidden, input]
  Tensor& weight_hh;  // [gates hidden, hidden]
  Tensor& bias_ih;    // [gates hidden], or undefined
  Tensor& bias_hh;

 protected:
  CellBase(int64_t gates, int64_t input_size, int64_t hidden_size, bool bias);
  /// Fails with kInput on a rank other than 1 and 2. Whether there is a batch.
  bool is_batched(const Tensor& input) const;
  Tensor zero_state(const Tensor& batch) const;
  using Step = Tensor (*)(const Tensor&, const Tensor&, const Tensor&, const Tensor&, const Tensor&, const Tensor&);
  Tensor run_step(Step step, const Tensor& input, Tensor hidden) const;

 private:
  int64_t hidden_size_;
};

class LSTMCell : public CellBase {
 public:
  using State = LSTM::State;
  LSTMCell(int64_t input_size, int64_t hidden_size, bool bias = true) : CellBase(4, input_size, hidden_size, bias) {}
  State run(const Tensor& input, State state = {});
  /// hidden, cell
  std::tuple<Tensor, Tensor> forward(const Tensor& input) {
    State state = run(input);
    return {state.hidden, state.cell};
  }
};

class GRUCell : public CellBase {
 public:
  GRUCell(int64_t input_size, int64_t hidden_size, bool bias = true) : CellBase(3, input_size, hidden_size, bias) {}
  Tensor run(const Tensor& input, const Tensor& hidden = {});
  Tensor forward(const Tensor& input) { return run(input); }
};

class RNNCell : public CellBase {
 public:
  enum class Nonlinearity : uint8_t { kTanh, kReLU };
  RNNCell(int64_t input_size, int64_t hidden_size, bool bias = true, Nonlinearity nonlinearity = Nonlinearity::kTanh)
      : CellBase(1, input_size, hidden_size, bias), nonlinearity_(nonlinearity) {}
  Tensor run(const Tensor& input, const Tensor& hidden = {});
  Tensor forward(const Tensor& input) { return run(input); }

 private:
  Nonlinearity nonlinearity_;
};

}  // namespace rung::nn
