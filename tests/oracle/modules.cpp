// Modules of rung::nn, each made after a seed, run and exported: modules FOLDER [SEED]. Writes NAME.safetensors (state,
// inputs, results in training and evaluation) and NAME.pt2. check_eager.py makes the same modules in torch.
#include <rung/rung.h>

#include <iostream>

using namespace rung;

namespace {

std::string folder;
uint64_t seed = 0;

void append_results(nn::StateDict& out, const std::string& mode, const Tensor& result) {
  if (result.defined()) out.emplace_back(mode + std::to_string(out.size()), result);
}
template <typename... T>
void append_results(nn::StateDict& out, const std::string& mode, const std::tuple<T...>& results) {
  std::apply([&](const auto&... each) { (append_results(out, mode, each), ...); }, results);
}

template <typename M>
void check(const std::string& name, M& module, const std::vector<Tensor>& inputs) {
  nn::StateDict out;
  auto call = [&](const std::string& mode) {
    manual_seed(seed + 1);
    auto run = [&]<size_t... i>(std::index_sequence<i...>) { return module.forward(inputs[i]...); };
    using Parameters = typename detail::Signature<decltype(&M::forward)>::Parameters;
    append_results(out, mode, run(std::make_index_sequence<std::tuple_size_v<Parameters>>{}));
  };
  for (auto& [path, tensor] : module.state_dict()) out.emplace_back("state." + path, aten::clone(tensor));
  for (const Tensor& input : inputs) out.emplace_back("in" + std::to_string(out.size()), input);
  call("train");
  module.eval();
  call("eval");
  nn::save_safetensors(out, folder + "/" + name + ".safetensors");
  save(export_program(module, inputs), folder + "/" + name + ".pt2");
}

// Makes M after the seed, then inputs of these sizes.
template <typename M, typename... Args>
void module_case(const std::string& name, std::vector<std::vector<SymInt>> sizes, Args&&... args) {
  try {
    manual_seed(seed);
    M module(std::forward<Args>(args)...);
    std::vector<Tensor> inputs;
    for (const auto& size : sizes) inputs.push_back(torch::randn(size));
    check(name, module, inputs);
  } catch (const std::exception& error) {
    std::cout << name << ": " << error.what() << '\n';
  }
}

struct Mlp : nn::Sequential {
  Mlp() {
    add<nn::Linear>(6, 10);
    add<nn::GELU>();
    add<nn::Dropout>(0.25);
    add<nn::LayerNorm>(10);
    add<nn::Linear>(10, 4, false);
    add<nn::LogSoftmax>(-1);
  }
};

struct Cnn : nn::Module {
  nn::Conv2d conv1{3, 8, 3, {.stride = 2, .padding = 1, .bias = false}};
  nn::BatchNorm2d bn1{8};
  nn::MaxPool2d pool{2};
  nn::Conv2d conv2{8, 8, {3, 1}, {.groups = 4}};
  nn::AdaptiveAvgPool2d average{1};
  nn::Linear head{8, 5};

  Cnn() {
    register_module("conv1", conv1);
    register_module("bn1", bn1);
    register_module("pool", pool);
    register_module("conv2", conv2);
    register_module("average", average);
    register_module("head", head);
  }
  Tensor forward(const Tensor& x) {
    Tensor y = pool(torch::relu(bn1(conv1(x))));
    y = average(torch::relu(conv2(y)));
    return head(torch::flatten(y, 1));
  }
};

// A loss whose target is a class: 1 where the second input is positive, else 0.
template <typename L>
struct OfClasses : nn::Module {
  L loss;
  Tensor forward(const Tensor& x, const Tensor& y) { return loss(x, torch::where(y > 0, 1, 0)); }
};
struct OfProbabilities : nn::Module {
  nn::BCELoss loss;
  Tensor forward(const Tensor& x, const Tensor& y) { return loss(torch::sigmoid(x), torch::sigmoid(y)); }
};

struct EmbeddingBagOfSigns : nn::Module {
  nn::EmbeddingBag bag{2, 3};

  EmbeddingBagOfSigns() { register_module("bag", bag); }
  Tensor forward(const Tensor& x) { return bag(torch::where(x > 0, 1, 0)); }
};

struct Branches : nn::Module {
  nn::ModuleDict<> layers;

  Branches() {
    layers.add<nn::Linear>("second", 4, 3);
    layers.add<nn::PReLU>("first", 3);
    register_module("layers", layers);
  }
  Tensor forward(const Tensor& x) { return layers["first"](layers["second"](x)); }
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 64;
  folder = argv[1];
  if (argc > 2) seed = std::stoull(argv[2]);
  using namespace nn;
  module_case<Linear>("linear", {{2, 5}}, 5, 3);
  module_case<Linear>("linear_no_bias", {{7, 2, 5}}, 5, 3, false);
  module_case<Bilinear>("bilinear", {{4, 5}, {4, 3}}, 5, 3, 2);
  module_case<Conv1d>("conv1d", {{2, 4, 9}}, 4, 6, 3, ConvOptions{.padding = 1});
  module_case<Conv2d>("conv2d", {{2, 4, 9, 8}}, 4, 6, PerDim{3, 2},
                      ConvOptions{.stride = 2, .dilation = {1, 2}, .groups = 2});
  module_case<Conv3d>("conv3d", {{1, 2, 5, 4, 6}}, 2, 3, 2);
  module_case<ConvTranspose1d>("conv_transpose1d", {{2, 4, 5}}, 4, 6, 3, ConvOptions{.stride = 2, .output_padding = 1});
  module_case<ConvTranspose2d>("conv_transpose2d", {{2, 4, 5, 3}}, 4, 6, 3, ConvOptions{.padding = 1, .groups = 2});
  module_case<ConvTranspose3d>("conv_transpose3d", {{1, 2, 3, 3, 2}}, 2, 3, 2);
  module_case<BatchNorm1d>("batch_norm1d", {{6, 5}}, 5);
  module_case<BatchNorm2d>("batch_norm2d", {{3, 5, 4, 2}}, 5);
  module_case<BatchNorm3d>("batch_norm3d", {{3, 2, 4, 2, 3}}, 2, BatchNormOptions{.track_running_stats = false});
  module_case<LayerNorm>("layer_norm", {{3, 4, 6}}, IntList({4, 6}));
  module_case<RMSNorm>("rms_norm", {{3, 4, 6}}, IntList({6}));
  module_case<GroupNorm>("group_norm", {{3, 6, 5}}, 3, 6);
  module_case<PReLU>("prelu", {{3, 4, 6}}, 4);
  module_case<GELU>("gelu", {{50}});
  module_case<GELU>("gelu_tanh", {{50}}, "tanh");
  module_case<SiLU>("silu", {{50}});
  module_case<Mish>("mish", {{50}});
  module_case<SELU>("selu", {{50}});
  module_case<ELU>("elu", {{50}}, 0.7);
  module_case<Softplus>("softplus", {{50}});
  module_case<Hardswish>("hardswish", {{50}});
  module_case<LogSigmoid>("log_sigmoid", {{50}});
  module_case<Softmax>("softmax", {{5, 7}}, 1);
  module_case<Dropout>("dropout", {{40}}, 0.3);
  module_case<MaxPool2d>("max_pool2d", {{2, 3, 7, 8}}, 3, PoolOptions{.stride = 2, .padding = 1, .ceil_mode = true});
  module_case<AvgPool2d>("avg_pool2d", {{2, 3, 7, 8}}, 3, PoolOptions{.padding = 1, .count_include_pad = false});
  module_case<AdaptiveAvgPool2d>("adaptive_avg_pool2d", {{2, 3, 7, 8}}, PerDim{3, 5});
  module_case<LSTM>("lstm", {{6, 2, 4}}, 4, 3, RecurrentOptions{.num_layers = 2, .bidirectional = true});
  module_case<LSTM>("lstm_unbatched", {{6, 4}}, 4, 3);
  module_case<GRU>("gru", {{2, 6, 4}}, 4, 3, RecurrentOptions{.num_layers = 2, .batch_first = true});
  module_case<RNN>("rnn", {{6, 2, 4}}, 4, 3, RecurrentOptions{.bias = false});
  module_case<MultiheadAttention>("attention", {{5, 2, 8}, {7, 2, 8}, {7, 2, 8}}, 8, 2);
  module_case<MultiheadAttention>("attention_batch_first", {{2, 5, 8}, {2, 7, 8}, {2, 7, 8}}, 8, 4,
                                  AttentionOptions{.bias = false, .batch_first = true});
  module_case<MultiheadAttention>("attention_unbatched", {{5, 8}, {7, 8}, {7, 8}}, 8, 2);
  TransformerOptions small{.dim_feedforward = 16, .dropout = 0.1, .batch_first = true};
  module_case<TransformerEncoderLayer>("encoder_layer", {{2, 5, 8}}, 8, 2, small);
  small.norm_first = true;
  small.activation = TransformerOptions::Activation::kGELU;
  module_case<TransformerEncoderLayer>("encoder_layer_norm_first", {{2, 5, 8}}, 8, 2, small);
  module_case<TransformerDecoderLayer>("decoder_layer", {{2, 5, 8}, {2, 6, 8}}, 8, 2, small);
  module_case<TransformerEncoder>("encoder", {{2, 5, 8}}, 8, 2, 3, small);
  module_case<Transformer>("transformer", {{2, 5, 8}, {2, 6, 8}}, 8, 2, 2, 2, small);
  module_case<TransformerDecoder>("decoder", {{2, 5, 8}, {2, 6, 8}}, 8, 2, 2, small);
  module_case<LSTMCell>("lstm_cell", {{5, 4}}, 4, 3);
  module_case<LSTMCell>("lstm_cell_unbatched", {{4}}, 4, 3, false);
  module_case<GRUCell>("gru_cell", {{5, 4}}, 4, 3);
  module_case<RNNCell>("rnn_cell", {{5, 4}}, 4, 3, true, RNNCell::Nonlinearity::kReLU);
  module_case<InstanceNorm1d>("instance_norm1d", {{2, 3, 7}}, 3);
  module_case<InstanceNorm2d>("instance_norm2d", {{3, 7, 5}}, 3, InstanceNormOptions{.affine = true});
  module_case<InstanceNorm3d>("instance_norm3d", {{2, 3, 4, 5, 2}}, 3,
                              InstanceNormOptions{.affine = true, .track_running_stats = true});
  module_case<LocalResponseNorm>("local_response_norm", {{2, 7, 5, 4}}, 3);
  module_case<Dropout1d>("dropout1d", {{4, 6}}, 0.3);
  module_case<Dropout2d>("dropout2d", {{4, 6, 3, 2}}, 0.3);
  module_case<Dropout3d>("dropout3d", {{4, 6, 3, 2}}, 0.3);
  module_case<AlphaDropout>("alpha_dropout", {{40}}, 0.3);
  module_case<FeatureAlphaDropout>("feature_alpha_dropout", {{4, 6, 3}}, 0.3);
  module_case<Upsample>("upsample_nearest", {{2, 3, 5, 4}}, UpsampleOptions{.scale_factor = 2});
  module_case<Upsample>("upsample_bilinear", {{2, 3, 5, 4}},
                        UpsampleOptions{.size = PerDim{7, 9}, .mode = "bilinear", .align_corners = true});
  module_case<Upsample>("upsample_bicubic", {{2, 3, 5, 4}},
                        UpsampleOptions{.scale_factor = {1.5, 2}, .mode = "bicubic"});
  module_case<PixelShuffle>("pixel_shuffle", {{2, 8, 3, 4}}, 2);
  module_case<PixelUnshuffle>("pixel_unshuffle", {{2, 2, 6, 4}}, 2);
  module_case<ChannelShuffle>("channel_shuffle", {{2, 6, 3, 4}}, 3);
  module_case<nn::Unfold>("unfold", {{2, 3, 6, 5}}, PerDim{2, 3}, PatchOptions{.padding = 1, .stride = 2});
  module_case<nn::Fold>("fold", {{2, 12, 12}}, PerDim{4, 5}, 2);
  module_case<ConstantPad1d>("constant_pad1d", {{2, 3, 5}}, 2, 3.5);
  module_case<ConstantPad3d>("constant_pad3d", {{2, 3, 4, 5}}, PerDim{1, 0, 2, 1, 0, 1}, 3.5);
  module_case<ZeroPad2d>("zero_pad2d", {{2, 3, 5, 4}}, PerDim{1, 2, 0, 1});
  module_case<ReflectionPad1d>("reflection_pad1d", {{2, 3, 5}}, 2);
  module_case<ReflectionPad2d>("reflection_pad2d", {{2, 3, 5, 4}}, PerDim{1, 2, 0, 1});
  module_case<ReflectionPad3d>("reflection_pad3d", {{2, 3, 5, 4, 3}}, 1);
  module_case<ReplicationPad1d>("replication_pad1d", {{2, 3, 5}}, 2);
  module_case<ReplicationPad2d>("replication_pad2d", {{2, 3, 5, 4}}, PerDim{1, 2, 0, 1});
  module_case<ReplicationPad3d>("replication_pad3d", {{2, 3, 5, 4, 3}}, 1);
  module_case<CircularPad1d>("circular_pad1d", {{2, 3, 5}}, 2);
  module_case<CircularPad2d>("circular_pad2d", {{2, 3, 5, 4}}, PerDim{1, 2, 0, 1});
  module_case<CircularPad3d>("circular_pad3d", {{2, 3, 5, 4, 3}}, 1);
  module_case<AdaptiveMaxPool1d>("adaptive_max_pool1d", {{2, 3, 8}}, 3);
  module_case<AdaptiveMaxPool2d>("adaptive_max_pool2d", {{2, 3, 8, 7}}, PerDim{3, 5});
  module_case<AdaptiveMaxPool3d>("adaptive_max_pool3d", {{2, 3, 8, 7, 5}}, 2);
  module_case<LPPool1d>("lp_pool1d", {{2, 3, 8}}, 2.0, 3);
  module_case<LPPool2d>("lp_pool2d", {{2, 3, 8, 7}}, 2.0, 3, 2, true);
  module_case<LPPool3d>("lp_pool3d", {{2, 3, 8, 7, 4}}, 2.0, 2);
  module_case<Unflatten>("unflatten", {{2, 12}}, 1, std::vector<SymInt>{3, 4});
  module_case<CosineSimilarity>("cosine_similarity", {{4, 5}, {4, 5}});
  module_case<PairwiseDistance>("pairwise_distance", {{4, 5}, {4, 5}}, 2.0, 1e-6, true);
  module_case<Softmax2d>("softmax2d", {{2, 3, 4, 5}});
  module_case<Softmin>("softmin", {{5, 7}}, 1);
  module_case<Softsign>("softsign", {{50}});
  module_case<Tanhshrink>("tanhshrink", {{50}});
  module_case<Hardshrink>("hardshrink", {{50}});
  module_case<Softshrink>("softshrink", {{50}}, 0.3);
  module_case<Threshold>("threshold", {{50}}, 0.1, 20.0);
  module_case<RReLU>("rrelu", {{50}});
  module_case<Branches>("module_dict", {{5, 4}});
  module_case<EmbeddingBagOfSigns>("embedding_bag", {{4, 5}});
  module_case<MSELoss>("mse_loss", {{4, 5}, {4, 5}});
  module_case<L1Loss>("l1_loss", {{4, 5}, {4, 5}}, "sum");
  module_case<SmoothL1Loss>("smooth_l1_loss", {{4, 5}, {4, 5}}, "none", 0.5);
  module_case<HuberLoss>("huber_loss", {{4, 5}, {4, 5}}, "mean", 0.7);
  module_case<KLDivLoss>("kl_div_loss", {{4, 5}, {4, 5}}, "batchmean", true);
  module_case<OfClasses<NLLLoss>>("nll_loss", {{4, 5}, {4}});
  module_case<OfClasses<CrossEntropyLoss>>("cross_entropy_loss", {{4, 5}, {4}});
  module_case<CrossEntropyLoss>("cross_entropy_loss_soft", {{4, 5}, {4, 5}}, ClassLossOptions{.label_smoothing = 0.1});
  module_case<CrossEntropyLoss>("cross_entropy_loss_weighted", {{4, 5}, {4, 5}},
                                ClassLossOptions{.weight = torch::ones({5})});
  module_case<OfProbabilities>("bce_loss", {{4, 5}, {4, 5}});
  module_case<BCEWithLogitsLoss>("bce_with_logits_loss", {{4, 5}, {4, 5}}, Tensor(), "mean", torch::ones({5}));
  module_case<PoissonNLLLoss>("poisson_nll_loss", {{4, 5}, {4, 5}});
  module_case<SoftMarginLoss>("soft_margin_loss", {{4, 5}, {4, 5}});
  module_case<OfClasses<MultiLabelMarginLoss>>("multilabel_margin_loss", {{4, 5}, {4, 5}});
  module_case<MultiLabelSoftMarginLoss>("multilabel_soft_margin_loss", {{4, 5}, {4, 5}});
  module_case<OfClasses<MultiMarginLoss>>("multi_margin_loss", {{4, 5}, {4}});
  module_case<OfClasses<HingeEmbeddingLoss>>("hinge_embedding_loss", {{4, 5}, {4, 5}});
  module_case<MarginRankingLoss>("margin_ranking_loss", {{4, 5}, {4, 5}, {4, 5}}, 0.3);
  module_case<CosineEmbeddingLoss>("cosine_embedding_loss", {{4, 5}, {4, 5}, {4}}, 0.3);
  module_case<TripletMarginLoss>("triplet_margin_loss", {{4, 5}, {4, 5}, {4, 5}}, TripletOptions{.swap = true});
  module_case<TripletMarginWithDistanceLoss>("triplet_margin_with_distance_loss", {{4, 5}, {4, 5}, {4, 5}});
  module_case<Mlp>("mlp", {{3, 6}});
  module_case<Cnn>("cnn", {{2, 3, 16, 16}});
}
