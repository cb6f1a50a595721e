// Layers of a transformer.
#pragma once
#include "nn/activation.h"
#include "nn/attention.h"
#include "nn/dropout.h"
#include "nn/norm.h"

namespace rung::nn {

struct TransformerOptions {
  int64_t dim_feedforward = 2048;
  double dropout = 0.1;
  enum class Activation : uint8_t { kReLU, kGELU } activation = Activation::kReLU;
  double layer_norm_eps = 1e-5;
  bool batch_first = false;
  bool norm_first = false;
  bool bias = true;
};

class TransformerEncoderLayer : public Layer {
 public:
  TransformerEncoderLayer(int64_t d_model, int64_t nhead, const TransformerOptions& options = {});
  Tensor forward(const Tensor& source) override { return encode(source, {}); }
  Tensor encode(const Tensor& source, const MultiheadAttention::Masks& masks);

  MultiheadAttention self_attn;
  Linear linear1;
  Dropout dropout;
  Linear linear2;
  LayerNorm norm1, norm2;
  Dropout dropout1, dropout2;

 private:
  Tensor attend(const Tensor& x, const MultiheadAttention::Masks& masks);
  Tensor feed_forward(const Tensor& x);

  TransformerOptions options_;
};

class TransformerDecoderLayer : public Module {
 public:
  TransformerDecoderLayer(int64_t d_model, int64_t nhead, const TransformerOptions& options = {});
  Tensor forward(const Tensor& target, const Tensor& memory) { return decode(target, memory, {}, {}); }
  Tensor decode(const Tensor& target, const Tensor& memory, const MultiheadAttention::Masks& target_masks,
                const MultiheadAttention::Masks& memory_masks);

  MultiheadAttention self_attn, multihead_attn;
  Linear linear1;
  Dropout dropout;
  Linear linear2;
  LayerNorm norm1, norm2, norm3;
  Dropout dropout1, dropout2, dropout3;

 private:
  Tensor feed_forward(const Tensor& x);

  TransformerOptions options_;
};

/// Layers one after the other, and a norm if one is wanted. They start equal, as copies of the first one do.
template <typename L>
class TransformerStack : public Module {
 protected:
  TransformerStack(int64_t d_model, int64_t nhead, int64_t num_layers, const TransformerOptions& options,
                   bool has_norm);
  Tensor normalized(const Tensor& x) const { return norm_ == nullptr ? x : norm_->forward(x); }

  std::vector<std::shared_ptr<L>> layers_;

 private:
  struct Holder : Module {
    using Module::register_module;
  } holder_;
  std::shared_ptr<LayerNorm> norm_;
};

class TransformerEncoder : public TransformerStack<TransformerEncoderLayer> {
 public:
  TransformerEncoder(int64_t d_model, int64_t nhead, int64_t num_layers, const TransformerOptions& options = {},
                     bool has_norm = false)
      : TransformerStack(d_model, nhead, num_layers, options, has_norm) {}
  Tensor forward(const Tensor& source) { return encode(source, {}); }
  Tensor operator()(const Tensor& source) { return forward(source); }
  Tensor encode(const Tensor& source, const MultiheadAttention::Masks& masks);
};

class TransformerDecoder : public TransformerStack<TransformerDecoderLayer> {
 public:
  TransformerDecoder(int64_t d_model, int64_t nhead, int64_t num_layers, const TransformerOptions& options = {},
                     bool has_norm = false)
      : TransformerStack(d_model, nhead, num_layers, options, has_norm) {}
  Tensor forward(const Tensor& target, const Tensor& memory) { return decode(target, memory, {}, {}); }
  Tensor decode(const Tensor& target, const Tensor& memory, const MultiheadAttention::Masks& target_masks,
                const MultiheadAttention::Masks& memory_masks);
};

/// An encoder and a decoder, each with a norm at its end.
class Transformer : public Module {
 public:
  explicit Transformer(int64_t d_model = 512, int64_t nhead = 8, int64_t num_encoder_layers = 6,
                       int64_t num_decoder_layers = 6, const TransformerOptions& options = {});
  Tensor forward(const Tensor& source, const Tensor& target);

  TransformerEncoder encoder;
  TransformerDecoder decoder;

 private:
  int64_t d_model_;
  bool batch_first_;
};

}  // namespace rung::nn
