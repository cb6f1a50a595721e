// Attention, then a network of two layers; each is added to what it was given, and normalized after or before.
#include "nn/transformer.h"

#include "ref/generator.h"

namespace rung::nn {
namespace {

Tensor activated(const Tensor& x, TransformerOptions::Activation activation) {
  return activation == TransformerOptions::Activation::kReLU ? aten::relu(x) : aten::gelu(x);
}

AttentionOptions attention_options(const TransformerOptions& options) {
  return {options.dropout, options.bias, options.batch_first};
}

}  // namespace

TransformerEncoderLayer::TransformerEncoderLayer(int64_t d_model, int64_t nhead, const TransformerOptions& options)
    : self_attn(d_model, nhead, attention_options(options)),
      linear1(d_model, options.dim_feedforward, options.bias),
      dropout(options.dropout),
      linear2(options.dim_feedforward, d_model, options.bias),
      norm1(d_model, options.layer_norm_eps, true, options.bias),
      norm2(d_model, options.layer_norm_eps, true, options.bias),
      dropout1(options.dropout),
      dropout2(options.dropout),
      options_(options) {
  register_module("self_attn", self_attn);
  register_module("linear1", linear1);
  register_module("dropout", dropout);
  register_module("linear2", linear2);
  register_module("norm1", norm1);
  register_module("norm2", norm2);
  register_module("dropout1", dropout1);
  register_module("dropout2", dropout2);
}

Tensor TransformerEncoderLayer::attend(const Tensor& x, const MultiheadAttention::Masks& masks) {
  return dropout1(self_attn.attend(x, x, x, masks, false).output);
}
Tensor TransformerEncoderLayer::feed_forward(const Tensor& x) {
  return dropout2(linear2(dropout(activated(linear1(x), options_.activation))));
}

Tensor TransformerEncoderLayer::encode(const Tensor& source, const MultiheadAttention::Masks& masks) {
  if (options_.norm_first) {
    Tensor seen = attend(norm1(source), masks);
    Tensor x = aten::add_Tensor(source, seen);
    Tensor more = feed_forward(norm2(x));
    return aten::add_Tensor(x, more);
  }
  Tensor seen = attend(source, masks);
  Tensor x = norm1(aten::add_Tensor(source, seen));
  Tensor more = feed_forward(x);
  return norm2(aten::add_Tensor(x, more));
}

TransformerDecoderLayer::TransformerDecoderLayer(int64_t d_model, int64_t nhead, const TransformerOptions& options)
    : self_attn(d_model, nhead, attention_options(options)),
      multihead_attn(d_model, nhead, attention_options(options)),
      linear1(d_model, options.dim_feedforward, options.bias),
      dropout(options.dropout),
      linear2(options.dim_feedforward, d_model, options.bias),
      norm1(d_model, options.layer_norm_eps, true, options.bias),
      norm2(d_model, options.layer_norm_eps, true, options.bias),
      norm3(d_model, options.layer_norm_eps, true, options.bias),
      dropout1(options.dropout),
      dropout2(options.dropout),
      dropout3(options.dropout),
      options_(options) {
  register_module("self_attn", self_attn);
  register_module("multihead_attn", multihead_attn);
  register_module("linear1", linear1);
  register_module("dropout", dropout);
  register_module("linear2", linear2);
  register_module("norm1", norm1);
  register_module("norm2", norm2);
  register_module("norm3", norm3);
  register_module("dropout1", dropout1);
  register_module("dropout2", dropout2);
  register_module("dropout3", dropout3);
}

Tensor TransformerDecoderLayer::feed_forward(const Tensor& x) {
  return dropout3(linear2(dropout(activated(linear1(x), options_.activation))));
}

Tensor TransformerDecoderLayer::decode(const Tensor& target, const Tensor& memory,
                                       const MultiheadAttention::Masks& target_masks,
                                       const MultiheadAttention::Masks& memory_masks) {
  auto own = [&](const Tensor& x) { return dropout1(self_attn.attend(x, x, x, target_masks, false).output); };
  auto other = [&](const Tensor& x) {
    return dropout2(multihead_attn.attend(x, memory, memory, memory_masks, false).output);
  };
  if (options_.norm_first) {
    Tensor seen = own(norm1(target));
    Tensor x = aten::add_Tensor(target, seen);
    Tensor remembered = other(norm2(x));
    x = aten::add_Tensor(x, remembered);
    Tensor more = feed_forward(norm3(x));
    return aten::add_Tensor(x, more);
  }
  Tensor seen = own(target);
  Tensor x = norm1(aten::add_Tensor(target, seen));
  Tensor remembered = other(x);
  x = norm2(aten::add_Tensor(x, remembered));
  Tensor more = feed_forward(x);
  return norm3(aten::add_Tensor(x, more));
}

TransformerEncoder::TransformerEncoder(int64_t d_model, int64_t nhead, int64_t num_layers,
                                       const TransformerOptions& options) {
  register_module("layers", holder_);
  ref::Generator after_first = ref::default_generator();
  for (int64_t i = 0; i < num_layers; ++i) {
    layers_.push_back(std::make_shared<TransformerEncoderLayer>(d_model, nhead, options));
    holder_.register_module(std::to_string(i), layers_.back());
    if (i == 0) after_first = ref::default_generator();
    if (i > 0) layers_[static_cast<size_t>(i)]->load_state_dict(layers_[0]->state_dict());
  }
  ref::default_generator() = after_first;  // copies draw nothing
}

Tensor TransformerEncoder::forward(const Tensor& source) {
  Tensor x = source;
  for (const auto& layer : layers_) x = layer->forward(x);
  return x;
}

}  // namespace rung::nn
