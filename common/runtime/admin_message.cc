#include "common/runtime/admin_message.h"

#include "common/base/status.h"

namespace orbweaver {

std::string AdminRequest::form() const {
  std::string both(query());
  if (!both.empty() && !body.empty()) both += '&';
  both += body;
  return both;
}

std::string_view OriginForm(std::string_view target) {
  if (!target.starts_with("http://") && !target.starts_with("https://")) return target;
  const size_t path = target.find_first_of("/?", target.find("//") + 2);
  return path == std::string_view::npos ? "/" : target.substr(path);
}

int HttpStatusOf(const absl::Status& error) {
  if (error.code() == absl::StatusCode::kNotFound) return 404;
  if (IsPoison(error)) return 400;
  return IsRetry(error) ? 503 : 500;
}

}  // namespace orbweaver
