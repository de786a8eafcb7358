// One connection to one Thrift server: the generated client on a Socket.
#pragma once

#include <memory>

#include "absl/status/statusor.h"

#include "common/base/clock.h"
#include "common/store/hbase/hbase_options.h"
#include "common/store/hbase/tls.h"

namespace orbweaver {

namespace hbase_thrift {
class THBaseServiceClient;
}

// Not thread-safe: one call at a time. After a call that threw anything but the server's own
// answer (call_failure.h) the place in the byte stream is unknown, and the connection must go.
class Connection {
 public:
  // Blocks until `deadline` at most. `tls` may be null, and outlives the connection otherwise.
  static absl::StatusOr<std::unique_ptr<Connection>> Open(const HBaseOptions& options,
                                                          const HostPort& peer,
                                                          const TlsContext* tls,
                                                          SteadyTime deadline);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // The client, for one call that ends by `deadline`. Its methods block and throw.
  hbase_thrift::THBaseServiceClient& Begin(SteadyTime deadline);

  // Whether the server has answered on this connection: a failure is then perhaps only that it was
  // idle too long, or that the server restarted.
  bool answered() const { return answered_; }
  void set_answered() { answered_ = true; }

 private:
  struct Impl;
  explicit Connection(std::unique_ptr<Impl> impl);

  const std::unique_ptr<Impl> impl_;
  bool answered_ = false;
};

}  // namespace orbweaver
