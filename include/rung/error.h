// The one exception type of rung.
#pragma once
#include <stdexcept>
#include <string>
#include <string_view>

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
  Error at(std::string_view place) const { return Error(kind_, std::string(place) + ": " + what()); }

 private:
  ErrorKind kind_;
};

}  // namespace rung
