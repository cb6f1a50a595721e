// The layout of torch.save: ROOT/data.pkl, ROOT/data/0, ROOT/byteorder.
#include "export/saved_archive.h"

#include <charconv>

#include "base/error.h"

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

}  // namespace

SavedArchive::SavedArchive(std::span<const char> bytes) : zip_(std::make_shared<ZipReader>(bytes)) {
  if (zip_->entries().empty()) fail_input("the inner archive is empty");
  const std::string& first = zip_->entries()[0].name;
  root_ = first.substr(0, first.find('/') + 1);
  if (const ZipEntry* order = zip_->find(root_ + "byteorder")) {
    std::span<const char> text = zip_->checked_content(*order);
    if (std::string_view(text.data(), text.size()) != "little")
      fail_input("the tensors are stored with the byte order of another machine");
  }
}

std::span<const char> SavedArchive::pickle() const {
  const ZipEntry* pickle = zip_->find(root_ + "data.pkl");
  if (pickle == nullptr) fail_input("the inner archive has no entry 'data.pkl'");
  return zip_->checked_content(*pickle);
}

const ZipEntry& SavedArchive::storage(std::string_view name) const {
  std::string record = cat(root_, "data/", name);
  const ZipEntry* entry = zip_->find(record);
  if (entry == nullptr) fail_input("the inner archive has no entry '", record, "'");
  return *entry;
}

TensorMeta meta_of(const PickledTensor& tensor, Arena& arena) {
  TensorMeta meta;
  meta.dtype = tensor.dtype;
  meta.requires_grad = tensor.requires_grad;
  meta.device = device_at(tensor.location, arena);
  std::vector<SymInt> sizes(tensor.sizes.begin(), tensor.sizes.end()),
      strides(tensor.strides.begin(), tensor.strides.end());
  meta.sizes = arena.copy(sizes);
  meta.strides = arena.copy(strides);
  meta.storage_offset = tensor.offset;
  return meta;
}

}  // namespace rung
