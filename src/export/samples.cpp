// ((args, ...), {kwargs: ...}), saved by torch.save.
#include "export/samples.h"

#include "base/error.h"
#include "export/saved_archive.h"

namespace rung {
namespace {

constexpr std::string_view kRecord = "data/sample_inputs/model.pt";

SampleInput sample_of(const PickledLeaf& leaf, const SavedArchive& archive, Arena& arena) {
  SampleInput sample;
  if (!leaf.tensor) {
    sample.value = leaf.value;
    if (leaf.value.kind == Argument::Kind::kString)
      sample.value = Argument::string(arena.copy(leaf.value.string_view()));
    return sample;
  }
  sample.meta = arena.make<TensorMeta>(meta_of(*leaf.tensor, arena));
  sample.bytes = archive.zip().content(archive.storage(leaf.tensor->storage));
  sample.memory = archive.memory();
  return sample;
}

}  // namespace

std::optional<std::vector<SampleInput>> read_sample_inputs(const ExportedProgram& program) {
  for (const auto& [name, payload] : program.other_files) {
    if (name != kRecord || payload.bytes.empty()) continue;
    try {
      const SavedArchive archive(payload.bytes);
      std::vector<SampleInput> samples;
      for (const PickledLeaf& leaf : read_leaves_pickle(archive.pickle()))
        samples.push_back(sample_of(leaf, archive, *program.arena));
      return samples;
    } catch (const Error& error) {
      throw error.at(cat("sample inputs ", kRecord));
    }
  }
  return std::nullopt;
}

}  // namespace rung
