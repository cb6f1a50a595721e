// JSON put together from parts that are JSON already.
#pragma once
#include <initializer_list>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/strings.h"

namespace rung::tool {

inline std::string json_text(std::string_view text) {
  std::string out;
  json::append_string(out, text);
  return out;
}

struct JsonMember {
  std::string_view name;
  std::string value;
};

inline std::string json_object(std::initializer_list<JsonMember> members) {
  std::string out;
  for (const JsonMember& member : members)
    out += cat(out.empty() ? "{" : ", ", json_text(member.name), ": ", member.value);
  return out.empty() ? "{}" : out + '}';
}

/// `json_of(item)` of each.
template <typename Items, typename JsonOf>
std::string json_list(const Items& items, JsonOf&& json_of) {
  std::string out;
  for (const auto& item : items) out += cat(out.empty() ? "[" : ", ", json_of(item));
  return out.empty() ? "[]" : out + ']';
}

/// An object of numbers by name.
template <typename Map>
std::string json_counts(const Map& counts) {
  std::string out;
  for (const auto& [name, count] : counts) out += cat(out.empty() ? "{" : ", ", json_text(name), ": ", count);
  return out.empty() ? "{}" : out + '}';
}

}  // namespace rung::tool
