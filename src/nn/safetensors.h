// Tensors in files of the safetensors format: eight bytes of length, a JSON header, then the bytes.
#pragma once
#include <string>

#include "nn/module.h"

namespace rung::nn {

/// The tensors of a file, by name, in the order of the file. Their values stay in the mapped file: they are read when
/// first used, and cannot be written to. Fails with kInput: path, tensor, what is wrong.
StateDict load_safetensors(const std::string& path);

/// Writes every tensor, dense and in row-major order. Fails with kInput when the file cannot be written, and on a name
/// that is there twice.
void save_safetensors(const StateDict& tensors, const std::string& path);

}  // namespace rung::nn
