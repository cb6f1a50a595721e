// Weights that lie in the archive as raw storages. Their bytes are mapped and never looked at.
#include <unordered_set>

#include "base/error.h"
#include "export/reader.h"

namespace rung {
namespace {

// Several tensors may lie in one file.
class PayloadTable {
 public:
  PayloadTable(const Archive& archive, ExportedProgram& program) : archive_(archive), program_(program) {}

  uint32_t index_of(std::string_view record) {
    auto [place, is_new] = by_record_.try_emplace(std::string(record), static_cast<uint32_t>(program_.payloads.size()));
    if (!is_new) return place->second;
    const ZipEntry& entry = archive_.at(record);
    program_.payloads.push_back({archive_.zip().content(entry), entry.crc32, true, archive_.file().get()});
    return place->second;
  }

 private:
  const Archive& archive_;
  ExportedProgram& program_;
  std::unordered_map<std::string, uint32_t> by_record_;
};

StoredTensor read_entry(std::string_view name, json::Value source, std::string_view folder, ValueReader& values,
                        PayloadTable& payloads) {
  StoredTensor tensor;
  tensor.name = name;
  tensor.file_facts = source;
  tensor.file_name = source.at("path_name").as_string();
  if (tensor.file_name.empty() || tensor.file_name.find('/') != std::string::npos)
    fail_input("the file name ", python_string(tensor.file_name), " is wrong");
  if (json::Value is_param = source.find("is_param"); is_param && !is_param.is_null())
    tensor.is_parameter = is_param.as_bool();
  if (json::Value pickled = source.find("use_pickle"); pickled && !pickled.is_null())
    tensor.pickled = pickled.as_bool();
  json::Value meta = source.find("tensor_meta");
  if (meta && !meta.is_null())
    tensor.meta = values.tensor_meta(meta);
  else if (!tensor.pickled)
    fail_input("the metadata of the tensor is missing");
  tensor.payload = payloads.index_of(cat(folder, tensor.file_name));
  return tensor;
}

void read_folder(const Archive& archive, std::string_view folder, std::string_view config, ValueReader& values,
                 PayloadTable& payloads, ExportedProgram& program, std::vector<StoredTensor>& out) {
  std::string record = cat(folder, config);
  json::Value root = parse_record(archive, record, program);
  std::unordered_set<std::string_view> names;
  try {
    root.at("config").for_each_member([&](std::string_view name, json::Value entry) {
      try {
        if (!names.insert(name).second) fail_input("the name is there twice");
        StoredTensor tensor = read_entry(name, entry, folder, values, payloads);
        if (!tensor.pickled) check_payload(tensor, program.payloads[tensor.payload]);
        out.push_back(std::move(tensor));
      } catch (const Error& error) {
        throw error.at(cat("tensor '", name, "'"));
      }
    });
  } catch (const Error& error) {
    throw error.at(record);
  }
}

int64_t constant(SymInt number) {
  if (!number.is_int()) fail_input("a stored tensor has the symbolic size ", number.str());
  return number.value();
}

}  // namespace

void check_payload(const StoredTensor& tensor, const Payload& payload) {
  const TensorMeta& meta = *tensor.meta;
  if (meta.layout != Layout::kStrided)
    fail_input("a stored tensor has the layout ", layout_name(meta.layout), ", expected strided");
  // The last element's place, in 128 bits: no product of two int64 goes over that, and sums are checked as they grow.
  unsigned __int128 last = static_cast<unsigned __int128>(constant(meta.storage_offset));
  bool empty = false;
  constexpr unsigned __int128 kTooFar = static_cast<unsigned __int128>(1) << 100;
  for (size_t i = 0; i < meta.sizes.size(); ++i) {
    int64_t size = constant(meta.sizes[i]), stride = constant(meta.strides[i]);
    if (size == 0)
      empty = true;
    else
      last += static_cast<unsigned __int128>(size - 1) * static_cast<unsigned __int128>(stride);
    if (last > kTooFar) last = kTooFar;
  }
  // A program that was exported without its weights has empty files.
  if (empty || payload.bytes.empty()) return;
  unsigned __int128 needed = (last + 1) * info(meta.dtype).bytes;
  if (needed <= payload.bytes.size()) return;
  std::string text = needed > UINT64_MAX ? "more than 2^64" : cat(static_cast<uint64_t>(needed));
  fail_input("the file '", tensor.file_name, "' is too short: it has ", payload.bytes.size(),
             " bytes, the tensor's sizes and strides need ", text);
}

void read_raw_weights(const Archive& archive, ValueReader& values, ExportedProgram& program) {
  PayloadTable payloads(archive, program);
  read_folder(archive, "data/weights/", "model_weights_config.json", values, payloads, program, program.state);
  read_folder(archive, "data/constants/", "model_constants_config.json", values, payloads, program, program.constants);
}

void check_weights(const ExportedProgram& program) {
  std::unordered_map<std::string_view, const StoredTensor*> state, constants;
  for (const StoredTensor& tensor : program.state) state.emplace(tensor.name, &tensor);
  for (const StoredTensor& tensor : program.constants) constants.emplace(tensor.name, &tensor);
  for (const InputSpec& input : program.inputs) {
    auto require = [&](const auto& table, std::string_view what) {
      auto found = table.find(input.target);
      if (found == table.end()) fail_input("the ", what, " '", input.target, "' is not among the stored tensors");
      const TensorMeta* recorded = input.node->tensor();
      const TensorMeta* stored = found->second->meta;
      if (recorded == nullptr || stored == nullptr) return;
      bool same = recorded->dtype == stored->dtype && recorded->sizes.size() == stored->sizes.size();
      for (size_t i = 0; same && i < stored->sizes.size(); ++i)
        same = recorded->sizes[i].is_symbolic() || recorded->sizes[i].identical(stored->sizes[i]);
      if (!same)
        fail_input("the ", what, " '", input.target, "' is stored with another dtype or shape than the graph gives it");
    };
    if (input.kind == InputKind::kParameter)
      require(state, "parameter");
    else if (input.kind == InputKind::kBuffer)
      require(input.persistent ? state : constants, "buffer");
    else if (input.kind == InputKind::kTensorConstant)
      require(constants, "constant");
    else if (input.kind == InputKind::kCustomObject)
      require(constants, "object");
  }
}

}  // namespace rung
