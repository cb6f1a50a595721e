// Weights of older layouts: an archive in the archive, with a pickle of the dictionary and a file for each storage.
#include <charconv>

#include "base/error.h"
#include "export/pickle.h"
#include "export/reader.h"

namespace rung {
namespace {

Device device_at(std::string_view location, Arena& arena) {
  Device device;
  size_t colon = location.find(':');
  device.type = arena.copy(location.substr(0, colon));
  if (device.type.empty()) fail_input("a storage has no location");
  if (colon == location.npos) return device;
  std::string_view digits = location.substr(colon + 1);
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), device.index);
  if (error != std::errc() || end != digits.data() + digits.size() || device.index < 0)
    fail_input("a storage has the location ", python_string(location));
  return device;
}

// One torch.save archive.
class SavedTensors {
 public:
  SavedTensors(std::span<const char> bytes, const Archive& outer, ExportedProgram& program)
      : zip_(std::make_shared<ZipReader>(bytes)), outer_(outer), program_(program) {
    if (zip_->entries().empty()) fail_input("the inner archive is empty");
    const std::string& first = zip_->entries()[0].name;
    root_ = first.substr(0, first.find('/') + 1);
    program.keep_alive.push_back(zip_);
  }

  void read(std::vector<StoredTensor>& out) {
    if (const ZipEntry* order = zip_->find(root_ + "byteorder")) {
      std::span<const char> text = zip_->checked_content(*order);
      if (std::string_view(text.data(), text.size()) != "little")
        fail_input("the tensors are stored with the byte order of another machine");
    }
    const ZipEntry* pickle = zip_->find(root_ + "data.pkl");
    if (pickle == nullptr) fail_input("the inner archive has no entry 'data.pkl'");
    for (const PickledTensor& tensor : read_tensor_pickle(zip_->checked_content(*pickle))) {
      try {
        out.push_back(stored(tensor));
      } catch (const Error& error) {
        throw error.at(cat("tensor '", tensor.name, "'"));
      }
    }
  }

 private:
  StoredTensor stored(const PickledTensor& tensor) {
    StoredTensor out;
    out.name = tensor.name;
    out.is_parameter = tensor.is_parameter;
    TensorMeta meta;
    meta.dtype = tensor.dtype;
    meta.requires_grad = tensor.requires_grad;
    meta.device = device_at(tensor.location, *program_.arena);
    std::vector<SymInt> sizes(tensor.sizes.begin(), tensor.sizes.end()),
        strides(tensor.strides.begin(), tensor.strides.end());
    meta.sizes = program_.arena->copy(sizes);
    meta.strides = program_.arena->copy(strides);
    meta.storage_offset = tensor.offset;
    out.meta = program_.arena->make<TensorMeta>(meta);
    out.payload = payload_of(tensor.storage);
    check_payload(out, program_.payloads[out.payload]);
    return out;
  }

  uint32_t payload_of(std::string_view storage) {
    auto [place, is_new] = payloads_.try_emplace(std::string(storage), static_cast<uint32_t>(program_.payloads.size()));
    if (!is_new) return place->second;
    std::string record = cat(root_, "data/", storage);
    const ZipEntry* entry = zip_->find(record);
    if (entry == nullptr) fail_input("the inner archive has no entry '", record, "'");
    program_.payloads.push_back({zip_->content(*entry), entry->crc32, true, outer_.file().get()});
    return place->second;
  }

  std::shared_ptr<const ZipReader> zip_;
  const Archive& outer_;
  ExportedProgram& program_;
  std::string root_;
  std::unordered_map<std::string, uint32_t> payloads_;
};

// The first of the records that is there.
const ZipEntry& any_of(const Archive& archive, std::initializer_list<std::string_view> records) {
  for (std::string_view record : records)
    if (const ZipEntry* entry = archive.find(record)) return *entry;
  fail_input("the archive has no entry '", *records.begin(), "'");
}

void read_dictionary(const Archive& archive, const ZipEntry& entry, ExportedProgram& program,
                     std::vector<StoredTensor>& out) {
  if (entry.size == 0) return;  // no tensors at all
  try {
    SavedTensors(archive.zip().content(entry), archive, program).read(out);
  } catch (const Error& error) {
    throw error.at(archive.record_name(entry));
  }
}

}  // namespace

void read_pickled_weights(const Archive& archive, ExportedProgram& program) {
  bool plain = archive.layout() == ArchiveLayout::kPlain;
  const ZipEntry& state = plain ? any_of(archive, {"serialized_state_dict.pt", "serialized_state_dict.json"})
                                : any_of(archive, {"data/weights/model.pt", "data/weights/model_weights_config.json"});
  const ZipEntry& constants =
      plain ? any_of(archive, {"serialized_constants.pt", "serialized_constants.json"})
            : any_of(archive, {"data/constants/model.pt", "data/constants/model_constants_config.json"});
  read_dictionary(archive, state, program, program.state);
  read_dictionary(archive, constants, program, program.constants);
}

}  // namespace rung
