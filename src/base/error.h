// The one exception type of rung, and the checks that throw it.
#pragma once
#include <stdexcept>
#include <string>

#include "base/strings.h"

namespace rung {

enum class ErrorKind {
  kInput,        // a file or an argument is wrong; the command line exits with 1
  kUnsupported,  // no path to the rung that was asked for; exits with 2
  kInternal,     // a bug in rung; exits with 70
};

/// Messages are lower case, without a full stop, the place first, and name both values.
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
  ErrorKind kind() const { return kind_; }

  /// The same error with `place` (a file, a node) put in front of the message.
  Error at(std::string_view place) const { return Error(kind_, cat(place, ": ", what())); }

 private:
  ErrorKind kind_;
};

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
#define RUNG_CHECK(condition, ...)                                                        \
  do {                                                                                    \
    if (!(condition)) ::rung::fail_internal(__FILE__, __LINE__, ::rung::cat(__VA_ARGS__)); \
  } while (false)

#define RUNG_UNREACHABLE() ::rung::fail_internal(__FILE__, __LINE__, "unreachable")
