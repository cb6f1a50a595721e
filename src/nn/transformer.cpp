// Attention, then a network of two layers; each is added to what it was given, and normalized after or before.
#include "nn/transformer.h"

#include "nn/init.h"
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

template <typename L>
TransformerStack<L>::TransformerStack(int64_t d_model, int64_t nhead, int64_t num_layers,
                                      const TransformerOptions& options, bool has_norm) {
  register_module("layers", holder_);
  ref::Generator after_first = ref::default_generator();
  for (int64_t i = 0; i < num_layers; ++i) {
    layers_.push_back(std::make_shared<L>(d_model, nhead, options));
    holder_.register_module(std::to_string(i), layers_.back());
    if (i == 0) after_first = ref::default_generator();
    if (i > 0) layers_[static_cast<size_t>(i)]->load_state_dict(layers_[0]->state_dict());
  }
  ref::default_generator() = after_first;  // copies draw nothing
  if (!has_norm) return;
  norm_ = std::make_shared<LayerNorm>(d_model, options.layer_norm_eps, true, options.bias);
  register_module("norm", norm_);
}
template class TransformerStack<TransformerEncoderLayer>;
template class TransformerStack<TransformerDecoderLayer>;

Tensor TransformerEncoder::encode(const Tensor& source, const MultiheadAttention::Masks& masks) {
  Tensor x = source;
  for (const auto& layer : layers_) x = layer->encode(x, masks);
  return normalized(x);
}

Tensor TransformerDecoder::decode(const Tensor& target, const Tensor& memory,
                                  const MultiheadAttention::Masks& target_masks,
                                  const MultiheadAttention::Masks& memory_masks) {
  Tensor x = target;
  for (const auto& layer : layers_) x = layer->decode(x, memory, target_masks, memory_masks);
  return normalized(x);
}

Transformer::Transformer(int64_t d_model, int64_t nhead, int64_t num_encoder_layers, int64_t num_decoder_layers,
                         const TransformerOptions& options)
    : encoder(d_model, nhead, num_encoder_layers, options, true),
      decoder(d_model, nhead, num_decoder_layers, options, true),
      d_model_(d_model),
      batch_first_(options.batch_first) {
  register_module("encoder", encoder);
  register_module("decoder", decoder);
  for (const Tensor& parameter : parameters())
    if (parameter.dim() > 1) init::xavier_uniform_(parameter);
}

Tensor Transformer::forward(const Tensor& source, const Tensor& target) {
  int64_t batch = batch_first_ ? 0 : 1;
  if (source.dim() == 3 && source.size(batch) != target.size(batch))
    fail_input("transformer: the batches of source and target must be equal: ", source.size(batch).str(), " and ",
               target.size(batch).str());
  if (source.size(-1) != d_model_ || target.size(-1) != d_model_)
    fail_input("transformer: source and target must have ", d_model_, " features, got ", source.size(-1).str(), " and ",
               target.size(-1).str());
  Tensor memory = encoder(source);
  return decoder.forward(target, memory);
}

}  // namespace rung::nn
