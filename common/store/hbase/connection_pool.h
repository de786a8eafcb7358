// The connections to all Thrift servers, and which of these servers work.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"

#include "common/base/backoff.h"
#include "common/base/clock.h"
#include "common/store/hbase/connection.h"
#include "common/store/hbase/hbase_options.h"
#include "common/store/hbase/tls.h"

namespace orbweaver {

// Place: below ThriftCaller, which borrows a connection for each try of a call. Connections are
// opened when they are needed and kept. A server that fails is left alone for a while, growing with
// each failure in a row. Thread-safe.
class ConnectionPool {
 public:
  // A connection on loan.
  struct Loan {
    size_t host = 0;
    std::unique_ptr<Connection> connection;
  };

  // `peers` are options.hosts. `tls` may be null, and outlives the pool otherwise.
  ConnectionPool(const HBaseOptions& options, std::vector<HostPort> peers, const TlsContext* tls);
  ~ConnectionPool();

  // A connection to the least busy server that works; an idle one rather than a new one. Waits
  // until `deadline` when all connections are on loan or no server works; the error then says why
  // none does (retry). Fatal at once when no server has ever worked and the certificates of all are
  // refused; later that is an outage. Every loan ends by one of the three calls below.
  absl::StatusOr<Loan> Borrow(SteadyTime deadline) ABSL_LOCKS_EXCLUDED(mutex_);

  // The server answered.
  void Return(Loan loan) ABSL_LOCKS_EXCLUDED(mutex_);

  // The connection broke after it had been idle: the server may be well, its other idle connections
  // hardly, so they go too.
  void Drop(Loan loan) ABSL_LOCKS_EXCLUDED(mutex_);

  // The server failed: no new call goes there for a while.
  void DropFailed(Loan loan, std::string cause, bool refused = false) ABSL_LOCKS_EXCLUDED(mutex_);

  const HostPort& peer(const Loan& loan) const { return peers_[loan.host]; }

 private:
  struct Host {
    std::vector<std::unique_ptr<Connection>> idle;  // the last used at the end
    int on_loan = 0;
    Backoff backoff;
    SteadyTime not_before{};
    std::string last_failure;
    bool refused = false;  // for its certificate, when it failed last
  };

  // The working host with the fewest loans that has room for another, or hosts_.size(). Sets
  // *wait_until to when a host that is left alone may be tried again.
  size_t Choose(SteadyTime now, SteadyTime* wait_until) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status NoneFree() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // The certificates of all servers are refused, and never were not.
  bool AllRefused() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  std::string Failures() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const HBaseOptions options_;
  const std::vector<HostPort> peers_;
  const TlsContext* const tls_;

  absl::Mutex mutex_;
  absl::CondVar changed_;                            // a loan has ended
  std::vector<Host> hosts_ ABSL_GUARDED_BY(mutex_);  // as in peers_
  bool any_worked_ ABSL_GUARDED_BY(mutex_) = false;
  size_t first_ ABSL_GUARDED_BY(mutex_) = 0;  // where to begin looking, so that equals take turns
};

}  // namespace orbweaver
