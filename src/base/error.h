// Throwing rung's one exception type, and the checks that do.
#pragma once
#include <rung/error.h>

#include <string>

#include "base/strings.h"

namespace rung {

template <typename... Parts>
[[noreturn]] void fail_input(const Parts&... parts) {
  throw Error(ErrorKind::kInput, cat(parts...));
}

template <typename... Parts>
[[noreturn]] void fail_unsupported(const Parts&... parts) {
  throw Error(ErrorKind::kUnsupported, cat(parts...));
}

[[noreturn]] void fail_internal(const char* file, int line, const std::string& message);

}  // namespace rung

/// For what only a bug in rung can break, never for what a user wrote.
#define RUNG_CHECK(condition, ...)                                                         \
  do {                                                                                     \
    if (!(condition)) ::rung::fail_internal(__FILE__, __LINE__, ::rung::cat(__VA_ARGS__)); \
  } while (false)

#define RUNG_UNREACHABLE() ::rung::fail_internal(__FILE__, __LINE__, "unreachable")
