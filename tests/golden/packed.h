// Cases that lie together in one file (scripts/pack_corpus.py FOLDER OUT.zip).
#pragma once
#include <filesystem>
#include <functional>
#include <string>

namespace rung::golden {

/// Calls `use` for each case of the archive at `path`, in its order, with a file NAME.pt2 that is gone afterwards.
/// Fails with kInput for what is no such archive.
void for_each_packed(const std::string& path, const std::function<void(const std::filesystem::path&)>& use);

}  // namespace rung::golden
