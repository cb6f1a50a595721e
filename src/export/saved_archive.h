// An archive that torch.save wrote: a pickle, and a record for each storage.
#pragma once
#include <memory>
#include <span>
#include <string>

#include "base/arena.h"
#include "base/zip.h"
#include "export/pickle.h"
#include "ir/tensor_meta.h"

namespace rung {

class SavedArchive {
 public:
  /// `bytes` outlive it. Fails with kInput for what is no such archive, or comes from a machine of another byte order.
  explicit SavedArchive(std::span<const char> bytes);

  std::span<const char> pickle() const;
  /// The record "data/<storage>".
  const ZipEntry& storage(std::string_view name) const;
  const ZipReader& zip() const { return *zip_; }
  /// What contents lie in where they were compressed.
  std::shared_ptr<const void> memory() const { return zip_; }

 private:
  std::shared_ptr<const ZipReader> zip_;
  std::string root_;
};

/// Texts and lists lie in `arena`.
TensorMeta meta_of(const PickledTensor& tensor, Arena& arena);

}  // namespace rung
