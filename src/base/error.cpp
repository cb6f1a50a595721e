// Internal errors always say where.
#include "base/error.h"

namespace rung {

void fail_internal(const char* file, int line, const std::string& message) {
  std::string_view name(file);
  name.remove_prefix(name.rfind("src/") == std::string_view::npos ? 0 : name.rfind("src/"));
  throw Error(ErrorKind::kInternal, cat("this is a bug in rung: ", message, " (", name, ":", line, ")"));
}

}  // namespace rung
