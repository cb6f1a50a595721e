// save(): the program's JSON around the graph, and the archive around it all.
#include "export/writer.h"

#include <algorithm>

#include "base/error.h"
#include "export/save.h"
#include "export/write_graph.h"

namespace rung {
namespace {

constexpr std::string_view kSampleInputs = "data/sample_inputs/model.pt";
constexpr int64_t kSchemaMajor = 8, kSchemaMinor = 20;  // of torch 2.13

// A member of the JSON that was read; kMissing if there is none, or none was read.
json::Value recorded(const ExportedProgram& program, std::string_view key) {
  return program.document != nullptr ? program.document->root().find(key) : json::Value();
}

json::Value recorded_in_module(const ExportedProgram& program, std::string_view key) {
  json::Value module = recorded(program, "graph_module");
  return module ? module.find(key) : json::Value();
}

void append_or(std::string& out, json::Value value, std::string_view otherwise) {
  if (value && !value.is_null())
    json::append_value(out, value);
  else
    out += otherwise;
}

// The file is of the newest layout's time; of older ones torch 2.13 is told that it wrote them.
bool is_current(const ExportedProgram& program) {
  json::Value version = recorded(program, "schema_version");
  if (!version || !version.is_object()) return false;
  json::Value minor = version.find("minor");
  bool is_number = minor && minor.kind() == json::Kind::kInt;
  return version.at("major").as_int() == kSchemaMajor && is_number && minor.as_int() >= kSchemaMinor;
}

void append_range_constraints(std::string& out, const ExportedProgram& program) {
  auto bound = [](std::optional<int64_t> value) { return value ? cat(*value) : std::string("null"); };
  out += '{';
  for (size_t i = 0; i < program.range_constraints.size(); ++i) {
    const RangeConstraint& range = program.range_constraints[i];
    if (i > 0) out += ", ";
    json::append_string(out, range.symbol);
    out += cat(": {\"min_val\": ", bound(range.min), ", \"max_val\": ", bound(range.max), '}');
  }
  out += '}';
}

void append_versions(std::string& out, const ExportedProgram& program) {
  bool current = is_current(program), as_read = is_as_read(program);
  out += ", \"schema_version\": ";
  if (current)
    json::append_value(out, recorded(program, "schema_version"));
  else
    out += cat("{\"major\": ", kSchemaMajor, ", \"minor\": ", kSchemaMinor, '}');
  out += ", \"verifiers\": ";
  json::Value verifiers = recorded(program, "verifiers");
  if (as_read && verifiers && verifiers.is_array()) {
    json::append_value(out, verifiers);
  } else {
    out += '[';
    json::append_string(out, program.verifier);
    out += ']';
  }
  out += ", \"torch_version\": ";
  if (current && !program.torch_version.empty())
    json::append_string(out, program.torch_version);
  else
    out += "\"2.13.0\"";
  out += ", \"guards_code\": ";
  append_or(out, as_read ? recorded(program, "guards_code") : json::Value(), "[]");
}

void append_graph_module(std::string& out, const ExportedProgram& program) {
  ValueWriter values(program.hints);
  FromNodes from_nodes;
  out += "{\"graph\": ";
  GraphWriter(out, values, from_nodes, *program.graph, program.inputs).write();
  out += ", \"signature\": ";
  append_signature(out, program);
  out += ", \"module_call_graph\": ";
  append_module_call_graph(out, program);
  out += ", \"metadata\": ";
  append_or(out, recorded_in_module(program, "metadata"), "{}");
  out += ", \"treespec_namedtuple_fields\": ";
  append_or(out, recorded_in_module(program, "treespec_namedtuple_fields"), "{}");
  constexpr std::string_view kKnown[] = {"graph", "signature", "module_call_graph", "metadata",
                                         "treespec_namedtuple_fields"};
  if (json::Value module = recorded(program, "graph_module")) append_unknown(out, module, kKnown);
  out += '}';
}

// torch takes the path's last part without its last extension.
std::string root_folder(const std::string& path) {
  std::string name = path.substr(path.rfind('/') + 1);
  name.resize(std::min(name.rfind('.'), name.size()));
  return (name.empty() ? "archive" : name) + "/";
}

void add_text(ZipWriter& zip, const std::string& name, std::string_view text) {
  zip.add(name, {text.data(), text.size()});
}

// 40 digits, as torch has them: the same for the same content.
std::string serialization_id(std::string_view names, std::string_view json, uint32_t json_crc32) {
  uint64_t hash = 0xcbf29ce484222325;
  for (char c : names) hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001b3;
  std::string id;
  for (uint64_t part : {hash, json.size() << 32 | json_crc32}) {
    std::string digits = cat(part);
    id += std::string(20 - digits.size(), '0') + digits;
  }
  return id;
}

}  // namespace

bool is_as_read(const ExportedProgram& program) {
  return program.document != nullptr && program.graph->file_facts != nullptr;
}

std::string program_json(const ExportedProgram& program) {
  std::string out;
  if (program.document != nullptr) out.reserve(program.document->text_size() + program.document->text_size() / 8);
  out += "{\"graph_module\": ";
  append_graph_module(out, program);
  out += ", \"opset_version\": ";
  append_or(out, recorded(program, "opset_version"), "{\"aten\": 10}");
  out += ", \"range_constraints\": ";
  append_range_constraints(out, program);
  append_versions(out, program);
  // "dialect" is what old torches wrote instead of "verifiers".
  constexpr std::string_view kKnown[] = {"graph_module", "opset_version", "range_constraints", "schema_version",
                                         "verifiers",    "torch_version", "guards_code",       "dialect"};
  if (program.document != nullptr) append_unknown(out, program.document->root(), kKnown);
  out += '}';
  return out;
}

void save(const ExportedProgram& program, const std::string& path) {
  ZipWriter zip(path);
  std::string root = root_folder(path), json;
  try {
    json = program_json(program);
  } catch (const Error& error) {
    throw error.at(path);
  }
  write_weights(program, zip, root);
  uint32_t json_crc32 = crc32_of(json);
  zip.add(root + "models/model.json", json, &json_crc32);
  bool has_inputs = false;
  std::string names;
  for (const auto& [name, payload] : program.other_files) {
    has_inputs = has_inputs || name == kSampleInputs;
    names += name;
    zip.add(root + name, payload.bytes, payload.has_crc32 ? &payload.crc32 : nullptr, payload.file);
  }
  if (!has_inputs) add_text(zip, root + std::string(kSampleInputs), "");
  add_text(zip, root + "archive_format", "pt2");
  add_text(zip, root + "archive_version", "0");
  add_text(zip, root + ".data/version", "6\n");
  add_text(zip, root + "byteorder", "little");
  add_text(zip, root + ".data/serialization_id", serialization_id(names, json, json_crc32));
  zip.finish();
}

}  // namespace rung
