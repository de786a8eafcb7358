// Calls a Thrift server until it works, the time is over, or it never will.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "common/base/clock.h"
#include "common/store/hbase/call_failure.h"
#include "common/store/hbase/connection_pool.h"
#include "common/store/hbase/hbase_options.h"

namespace orbweaver {

// Place: between the store's calls and the connections. Thread-safe.
class ThriftCaller {
 public:
  // Does not connect. Fatal when the options cannot work.
  static absl::StatusOr<std::unique_ptr<ThriftCaller>> Create(const HBaseOptions& options);

  using Body = absl::FunctionRef<void(hbase_thrift::THBaseServiceClient&)>;

  // Runs `body`, which makes one Thrift call, on a connection; again on another one as long as the
  // failure is one that may pass. So the call must be one that may happen twice. Blocks until
  // `deadline` at most.
  //
  // `table` as in SortCurrentException. `action` ("get 'domains'") begins the message of an error,
  // which is DeadlineExceeded or Unavailable (retry), OutOfRange (the answer is too large; fatal
  // unless the caller can ask for less) or fatal.
  absl::Status Call(std::string_view action, std::string_view table, SteadyTime deadline,
                    Body body);

 private:
  ThriftCaller(const HBaseOptions& options, std::vector<HostPort> peers,
               std::unique_ptr<TlsContext> tls);

  // One try. True when it worked.
  bool Try(ConnectionPool::Loan loan, std::string_view table, SteadyTime deadline, Body body,
           CallFailure* failure);

  const HBaseOptions options_;
  const std::unique_ptr<TlsContext> tls_;
  ConnectionPool pool_;
};

}  // namespace orbweaver
