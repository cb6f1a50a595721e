// Recurrent networks over whole sequences: RNN, LSTM, GRU.
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

}  // namespace rung::nn
