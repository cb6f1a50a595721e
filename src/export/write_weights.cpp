// Storages as files of their own, and the configs that say which tensors lie in them.
#include <algorithm>

#include "base/error.h"
#include "export/write_values.h"
#include "export/writer.h"

namespace rung {
namespace {

struct Folder {
  std::string_view path, config, prefix;
};
constexpr Folder kWeights = {"data/weights/", "model_weights_config.json", "weight_"};
constexpr Folder kConstants = {"data/constants/", "model_constants_config.json", "tensor_"};

// Names of the payloads of one folder: those of the file if it gave each one its own, else counted up.
class FileNames {
 public:
  FileNames(const std::vector<StoredTensor>& tensors, std::string_view prefix) {
    if (take_recorded(tensors)) return;
    names_.clear();
    size_t next = 0;
    for (const StoredTensor& tensor : tensors)
      if (names_.find(tensor.payload) == names_.end()) names_[tensor.payload] = cat(prefix, next++);
  }

  const std::string& of(const StoredTensor& tensor) const { return names_.at(tensor.payload); }

 private:
  bool take_recorded(const std::vector<StoredTensor>& tensors) {
    std::unordered_map<std::string_view, uint32_t> taken;
    for (const StoredTensor& tensor : tensors) {
      if (tensor.file_name.empty()) return false;
      if (!taken.emplace(tensor.file_name, tensor.payload).second && taken[tensor.file_name] != tensor.payload)
        return false;
      auto [place, is_new] = names_.emplace(tensor.payload, tensor.file_name);
      if (!is_new && place->second != tensor.file_name) return false;
    }
    return true;
  }

  std::unordered_map<uint32_t, std::string> names_;
};

void append_config_entry(std::string& out, const StoredTensor& tensor, const std::string& file_name,
                         ValueWriter& values) {
  json::append_string(out, tensor.name);
  out += ": ";
  if (tensor.file_facts && tensor.file_name == file_name) return json::append_value(out, tensor.file_facts);
  out += "{\"path_name\": ";
  json::append_string(out, file_name);
  out += tensor.is_parameter ? ", \"is_param\": true" : ", \"is_param\": false";
  out += tensor.pickled ? ", \"use_pickle\": true, \"tensor_meta\": " : ", \"use_pickle\": false, \"tensor_meta\": ";
  if (tensor.meta == nullptr)
    out += "null";
  else
    values.tensor_meta(out, *tensor.meta);
  out += '}';
}

void write_folder(const ExportedProgram& program, const std::vector<StoredTensor>& tensors, const Folder& folder,
                  ZipWriter& zip, std::string_view root) {
  FileNames names(tensors, folder.prefix);
  ValueWriter values(program.hints);
  std::vector<bool> written(program.payloads.size());
  std::string config = "{\"config\": {";
  for (const StoredTensor& tensor : tensors) {
    if (config.back() != '{') config += ", ";
    append_config_entry(config, tensor, names.of(tensor), values);
    if (written[tensor.payload]) continue;
    written[tensor.payload] = true;
    const Payload& payload = program.payloads[tensor.payload];
    zip.add(cat(root, folder.path, names.of(tensor)), payload.bytes, payload.has_crc32 ? &payload.crc32 : nullptr,
            payload.file);
  }
  config += "}}";
  zip.add(cat(root, folder.path, folder.config), {config.data(), config.size()});
}

}  // namespace

void write_weights(const ExportedProgram& program, ZipWriter& zip, std::string_view root) {
  write_folder(program, program.state, kWeights, zip, root);
  write_folder(program, program.constants, kConstants, zip, root);
}

}  // namespace rung
