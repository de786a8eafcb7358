// A TCP connection, with TLS or without, on which every wait has a deadline.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "common/base/clock.h"
#include "common/store/hbase/hbase_options.h"
#include "common/store/hbase/tls.h"

namespace orbweaver {

// Not thread-safe. After an error only destruction makes sense. Errors are retry, a deadline that
// passed being DeadlineExceeded; but fatal where the server's certificate was refused.
class Socket {
 public:
  // Tries the host's addresses one after the other. Blocks until `deadline` at most, but for the
  // lookup of a name, which the system's resolver bounds. `tls` may be null; otherwise the
  // handshake and its checks are done when this returns.
  static absl::StatusOr<std::unique_ptr<Socket>> Connect(const HostPort& peer,
                                                         const TlsContext* tls,
                                                         SteadyTime deadline);

  ~Socket();
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;

  // At least one byte, or 0 when the server has closed the connection.
  absl::StatusOr<size_t> Read(std::span<char> into, SteadyTime deadline);
  // All of `bytes`.
  absl::Status Write(std::span<const char> bytes, SteadyTime deadline);

 private:
  explicit Socket(int fd) : fd_(fd) {}

  // Repeats `step`, waiting as it says, until it is done.
  absl::Status Drive(std::string_view action, SteadyTime deadline,
                     absl::FunctionRef<IoStep()> step);

  const int fd_;
  std::optional<TlsSession> tls_;
};

}  // namespace orbweaver
