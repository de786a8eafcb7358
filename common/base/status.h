// The three kinds of error, and what a caller does with each.
//
//   retry   the same call may succeed later: a broker restarts, a deadline passed, a budget is full
//   poison  these bytes can never be processed: to the dead-letter topic with them, and go on
//   fatal   going on would be wrong: wrong configuration, full disk, a lost partition
//
// The kind follows from the absl status code, so a status from any library has one too.
#pragma once

#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "fmt/core.h"

namespace orbweaver {

enum class ErrorKind { kRetry, kPoison, kFatal };

// `status` must not be OK.
ErrorKind KindOf(const absl::Status& status);

inline bool IsRetry(const absl::Status& status) {
  return !status.ok() && KindOf(status) == ErrorKind::kRetry;
}
inline bool IsPoison(const absl::Status& status) {
  return !status.ok() && KindOf(status) == ErrorKind::kPoison;
}
inline bool IsFatal(const absl::Status& status) {
  return !status.ok() && KindOf(status) == ErrorKind::kFatal;
}

// A later owner holds the partition, or a record that was sent is given up: stop without
// committing, and begin anew. Fatal to the work in hand, not to the process.
inline bool IsFenced(const absl::Status& status) {
  return status.code() == absl::StatusCode::kAborted;
}

namespace internal {
absl::Status MakeStatus(absl::StatusCode code, std::string_view message);
}

// Messages read `action identity: cause. Hint`.
template <typename... Args>
absl::Status RetryError(fmt::format_string<Args...> format, Args&&... args) {
  return internal::MakeStatus(absl::StatusCode::kUnavailable,
                              fmt::format(format, std::forward<Args>(args)...));
}
template <typename... Args>
absl::Status PoisonError(fmt::format_string<Args...> format, Args&&... args) {
  return internal::MakeStatus(absl::StatusCode::kInvalidArgument,
                              fmt::format(format, std::forward<Args>(args)...));
}
template <typename... Args>
absl::Status FatalError(fmt::format_string<Args...> format, Args&&... args) {
  return internal::MakeStatus(absl::StatusCode::kInternal,
                              fmt::format(format, std::forward<Args>(args)...));
}
// A deadline that passed: retry, and told apart from a refusal.
template <typename... Args>
absl::Status TimeoutError(fmt::format_string<Args...> format, Args&&... args) {
  return internal::MakeStatus(absl::StatusCode::kDeadlineExceeded,
                              fmt::format(format, std::forward<Args>(args)...));
}
template <typename... Args>
absl::Status FencedError(fmt::format_string<Args...> format, Args&&... args) {
  return internal::MakeStatus(absl::StatusCode::kAborted,
                              fmt::format(format, std::forward<Args>(args)...));
}

// `context: message`, the code kept; OK stays OK.
absl::Status Annotate(const absl::Status& status, std::string_view context);

// The message without the code's name, as shown to a user.
std::string_view MessageOf(const absl::Status& status);

namespace internal {
void CheckOk(const char* file, int line, const absl::Status& status);
}

}  // namespace orbweaver

#define ORBWEAVER_CONCAT_INNER(a, b) a##b
#define ORBWEAVER_CONCAT(a, b) ORBWEAVER_CONCAT_INNER(a, b)

// CHECK for a status; ends the process with its message.
#define CHECK_OK(expression) ::orbweaver::internal::CheckOk(__FILE__, __LINE__, (expression))

#define RETURN_IF_ERROR(expression)                                           \
  do {                                                                        \
    if (absl::Status orbweaver_status = (expression); !orbweaver_status.ok()) \
      return orbweaver_status;                                                \
  } while (false)

// ASSIGN_OR_RETURN(auto rows, Load(...));
#define ASSIGN_OR_RETURN(declaration, expression) \
  ASSIGN_OR_RETURN_INNER(ORBWEAVER_CONCAT(status_or_, __LINE__), declaration, expression)
#define ASSIGN_OR_RETURN_INNER(holder, declaration, expression) \
  auto holder = (expression);                                   \
  if (!holder.ok()) return holder.status();                     \
  declaration = std::move(holder).value()
