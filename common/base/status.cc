#include "common/base/status.h"

#include <string>

#include "common/base/check.h"
#include "common/base/text.h"

namespace orbweaver {

ErrorKind KindOf(const absl::Status& status) {
  CHECK(!status.ok());
  switch (status.code()) {
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kDeadlineExceeded:
    case absl::StatusCode::kResourceExhausted:
      return ErrorKind::kRetry;
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kDataLoss:
      return ErrorKind::kPoison;
    default:
      return ErrorKind::kFatal;
  }
}

namespace internal {
void CheckOk(const char* file, int line, const absl::Status& status) {
  if (!status.ok()) CheckFailed(file, line, std::string(MessageOf(status)).c_str());
}

absl::Status MakeStatus(absl::StatusCode code, std::string_view message) {
  return absl::Status(code, ToAbsl(message));
}
}  // namespace internal

absl::Status Annotate(const absl::Status& status, std::string_view context) {
  if (status.ok()) return status;
  return absl::Status(status.code(), ToAbsl(fmt::format("{}: {}", context, MessageOf(status))));
}

std::string_view MessageOf(const absl::Status& status) { return ToStd(status.message()); }

}  // namespace orbweaver
