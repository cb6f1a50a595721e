// Weights of older layouts: an archive in the archive, with a pickle of the dictionary and a file for each storage.
#include "base/error.h"
#include "export/reader.h"
#include "export/saved_archive.h"

namespace rung {
namespace {

// One torch.save archive.
class SavedTensors {
 public:
  SavedTensors(std::span<const char> bytes, const Archive& outer, ExportedProgram& program)
      : archive_(bytes), outer_(outer), program_(program) {
    program.keep_alive.push_back(archive_.memory());
  }

  void read(std::vector<StoredTensor>& out) {
    for (const PickledTensor& tensor : read_tensor_pickle(archive_.pickle())) {
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
    out.meta = program_.arena->make<TensorMeta>(meta_of(tensor, *program_.arena));
    out.payload = payload_of(tensor.storage);
    check_payload(out, program_.payloads[out.payload]);
    return out;
  }

  uint32_t payload_of(std::string_view storage) {
    auto [place, is_new] = payloads_.try_emplace(std::string(storage), static_cast<uint32_t>(program_.payloads.size()));
    if (!is_new) return place->second;
    const ZipEntry& entry = archive_.storage(storage);
    program_.payloads.push_back({archive_.zip().content(entry), entry.crc32, true, outer_.file().get()});
    return place->second;
  }

  SavedArchive archive_;
  const Archive& outer_;
  ExportedProgram& program_;
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
