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
  TransformerOptions small{.dim_feedforward = 16, .dropout = 0.1, .batch_first = true};
  module_case<TransformerEncoderLayer>("encoder_layer", {{2, 5, 8}}, 8, 2, small);
  small.norm_first = true;
  small.activation = TransformerOptions::Activation::kGELU;
  module_case<TransformerEncoderLayer>("encoder_layer_norm_first", {{2, 5, 8}}, 8, 2, small);
  module_case<TransformerDecoderLayer>("decoder_layer", {{2, 5, 8}, {2, 6, 8}}, 8, 2, small);
  module_case<TransformerEncoder>("encoder", {{2, 5, 8}}, 8, 2, 3, small);
  module_case<Mlp>("mlp", {{3, 6}});
  module_case<Cnn>("cnn", {{2, 3, 16, 16}});
}
