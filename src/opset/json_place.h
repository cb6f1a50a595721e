// Reading JSON so that every error says where in the file it is: "ops: [3]: rank: ...".
#pragma once
#include <set>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/json.h"

namespace rung {

/// Calls `read`; an Error that it throws gets `place` in front.
template <typename Read>
void at_place(std::string_view place, Read&& read) {
  try {
    read();
  } catch (const Error& error) {
    throw error.at(place);
  }
}

/// Calls visit(Value, size_t index) for each item of a list; what it throws gets "[index]" in front.
template <typename Visit>
void for_each_item_at(json::Value list, Visit&& visit) {
  size_t i = 0;
  list.for_each_item([&](json::Value item) {
    at_place(cat('[', i, ']'), [&] { visit(item, i); });
    ++i;
  });
}

/// Calls visit(std::string_view key, Value) for each member of an object; what it throws gets the key in front. Fails
/// with kInput where a key stands twice.
template <typename Visit>
void for_each_member_at(json::Value object, Visit&& visit) {
  std::set<std::string_view> seen;
  object.for_each_member([&](std::string_view key, json::Value value) {
    at_place(key, [&] {
      if (!seen.insert(key).second) fail_input("the key stands twice");
      visit(key, value);
    });
  });
}

}  // namespace rung
