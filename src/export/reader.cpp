// load(): what a file holds besides the graph, and the order in which it is read.
#include <algorithm>

#include "base/error.h"
#include "export/load.h"
#include "export/read_graph.h"
#include "export/reader.h"

namespace rung {
namespace {

// Records that save() makes anew; all others but weights are kept as they are.
bool is_written_anew(std::string_view record) {
  constexpr std::string_view kNames[] = {".data/serialization_id",
                                         ".data/version",
                                         "archive_format",
                                         "archive_version",
                                         "byteorder",
                                         "models/model.json",
                                         "data/weights/model_weights_config.json",
                                         "data/constants/model_constants_config.json",
                                         "data/weights/model.pt",
                                         "data/constants/model.pt"};
  return std::find(std::begin(kNames), std::end(kNames), record) != std::end(kNames);
}

void keep_other_files(const Archive& archive, ExportedProgram& program) {
  for (const ZipEntry& entry : archive.zip().entries()) {
    std::string_view record = archive.record_name(entry);
    bool weight = record.starts_with("data/weights/") || record.starts_with("data/constants/");
    if (weight || record.ends_with("/") || is_written_anew(record)) continue;
    program.other_files.emplace_back(record,
                                     Payload{archive.zip().content(entry), entry.crc32, true, archive.file().get()});
  }
}

// torch 2.1 to 2.7: other names for what the newer layout has too.
void keep_other_plain_files(const Archive& archive, ExportedProgram& program) {
  constexpr std::string_view kExtra = "extra_files/";
  for (const ZipEntry& entry : archive.zip().entries()) {
    std::string_view name = entry.name;
    Payload payload{archive.zip().content(entry), entry.crc32, true, archive.file().get()};
    if (name == "serialized_example_inputs.pt")
      program.other_files.emplace_back("data/sample_inputs/model.pt", payload);
    if (name.starts_with(kExtra) && !name.ends_with("/"))
      program.other_files.emplace_back(cat("extra/", name.substr(kExtra.size())), payload);
  }
}

std::string_view text_record(const Archive& archive, std::string_view record) {
  std::span<const char> bytes = archive.zip().checked_content(archive.at(record));
  std::string_view text(bytes.data(), bytes.size());
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.remove_suffix(1);
  return text;
}

void check_archive_version(const Archive& archive) {
  std::string_view format = text_record(archive, "archive_format"), version = text_record(archive, "archive_version");
  if (format != "pt2") fail_input("the archive's format is ", python_string(format), ", expected 'pt2'");
  if (version != "0") fail_input("the archive's version is ", python_string(version), ", expected '0'");
}

// 2.2 wrote the integer 2; later torches {"major": 8, "minor": n}. Returns whether it is 8.
bool check_schema_version(json::Value root, ExportedProgram& program) {
  json::Value version = root.at("schema_version");
  constexpr int64_t kOldVersion = 2, kMajor = 8;
  if (!version.is_object()) {
    int64_t number = version.as_int();
    if (number != 1 && number != kOldVersion)
      fail_input("schema version ", number, " is unknown, expected ", kOldVersion, " or ", kMajor, ".x");
    program.build = Build::k2_2;
    return false;
  }
  int64_t major = version.at("major").as_int();
  if (major != kMajor && major != 0 && !(major >= 3 && major < kMajor))
    fail_input("schema version ", major, ".x is unknown, rung reads up to ", kMajor, ".x");
  return major == kMajor;
}

void read_versions(json::Value root, ExportedProgram& program) {
  if (json::Value version = root.find("torch_version"); version && version.is_string())
    program.torch_version = version.as_string();
  if (program.torch_version.starts_with("2.14")) program.build = Build::k2_14;
  json::Value verifiers = root.find("verifiers");
  if (verifiers && !verifiers.is_null()) {
    program.verifier = "ATEN";
    verifiers.for_each_item([&](json::Value name) { program.verifier = name.as_string(); });
  } else if (json::Value dialect = root.find("dialect"); dialect && dialect.is_string()) {
    program.verifier = dialect.as_string();
  }
}

std::optional<int64_t> range_bound(json::Value range, std::string_view key) {
  json::Value bound = range.find(key);
  if (!bound || bound.is_null()) return std::nullopt;
  return bound.as_int();
}

void read_range_constraints(json::Value root, ExportedProgram& program) {
  json::Value constraints = root.find("range_constraints");
  if (!constraints || constraints.is_null()) return;
  constraints.for_each_member([&](std::string_view symbol, json::Value range) {
    RangeConstraint constraint{std::string(symbol), range_bound(range, "min_val"), range_bound(range, "max_val")};
    if (constraint.min && constraint.max && *constraint.min > *constraint.max)
      fail_input("the range of ", symbol, " is empty: ", *constraint.min, " to ", *constraint.max);
    program.range_constraints.push_back(std::move(constraint));
  });
}

void read_program(const Archive& archive, std::string_view record, ExportedProgram& program) {
  json::Value root = parse_record(archive, record, program);
  std::optional<ReadState> state;
  try {
    bool is_current = check_schema_version(root, program);
    read_versions(root, program);
    json::Value module = root.at("graph_module");
    json::Value signature = module.at("signature");
    state.emplace(*program.arena, program.build, is_current, signature.at("input_specs"), program.hints);
    program.graph = std::make_unique<Graph>(*program.arena);
    GraphReader(*state, module.at("graph"), *program.graph).read();
    program.graph->renumber();
    read_signature(signature, program);
    if (json::Value calls = module.find("module_call_graph"); calls && !calls.is_null()) check_module_calls(calls);
    read_range_constraints(root, program);
  } catch (const Error& error) {
    throw error.at(record);
  }
  if (archive.find("data/weights/model_weights_config.json") != nullptr)
    read_raw_weights(archive, state->values, program);
  else
    read_pickled_weights(archive, program);
  check_weights(program);
}

}  // namespace

json::Value parse_record(const Archive& archive, std::string_view record, ExportedProgram& program) {
  const ZipEntry& entry = archive.at(record);
  std::span<const char> bytes = archive.zip().checked_content(entry);
  try {
    auto document = json::Document::parse({bytes.data(), bytes.size()}, archive.zip().readable_after(entry));
    if (program.document == nullptr)
      program.document = document;
    else
      program.keep_alive.push_back(document);
    return document->root();
  } catch (const Error& error) {
    throw error.at(record);
  }
}

ExportedProgram load(const std::string& path) {
  Archive archive(path);
  ExportedProgram program;
  program.file_name = path;
  program.keep_alive = {archive.file(), archive.shared_zip()};
  try {
    if (archive.layout() == ArchiveLayout::kArchive) {
      check_archive_version(archive);
      read_program(archive, "models/model.json", program);
      keep_other_files(archive, program);
    } else {
      read_program(archive, "serialized_exported_program.json", program);
      keep_other_plain_files(archive, program);
    }
  } catch (const Error& error) {
    throw error.at(path);
  }
  return program;
}

}  // namespace rung
