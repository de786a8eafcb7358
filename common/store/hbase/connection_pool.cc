#include "common/store/hbase/connection_pool.h"

#include <algorithm>
#include <random>
#include <utility>

#include "absl/time/time.h"

#include "common/base/check.h"
#include "common/base/log.h"
#include "common/base/status.h"

namespace orbweaver {

ConnectionPool::ConnectionPool(const HBaseOptions& options, std::vector<HostPort> peers,
                               const TlsContext* tls)
    : options_(options), peers_(std::move(peers)), tls_(tls) {
  std::random_device seed;
  absl::MutexLock lock(&mutex_);
  for (size_t i = 0; i < peers_.size(); ++i) {
    hosts_.push_back({.backoff = Backoff(options_.backoff, seed())});
  }
}

ConnectionPool::~ConnectionPool() {
  absl::MutexLock lock(&mutex_);
  for (const Host& host : hosts_) CHECK(host.on_loan == 0);
}

absl::StatusOr<ConnectionPool::Loan> ConnectionPool::Borrow(SteadyTime deadline) {
  for (;;) {
    Loan loan;
    {
      absl::MutexLock lock(&mutex_);
      for (;;) {
        const SteadyTime now = SystemClock().Now();
        SteadyTime wait_until = deadline;
        loan.host = Choose(now, &wait_until);
        if (loan.host < hosts_.size()) break;
        if (now >= deadline) return NoneFree();
        changed_.WaitWithTimeout(&mutex_, absl::FromChrono(wait_until - now));
      }
      Host& host = hosts_[loan.host];
      ++host.on_loan;
      if (!host.idle.empty()) {
        loan.connection = std::move(host.idle.back());
        host.idle.pop_back();
        return loan;
      }
    }
    const SteadyTime patience = SystemClock().Now() + options_.connect_timeout;
    auto connection = Connection::Open(options_, peer(loan), tls_, std::min(deadline, patience));
    if (connection.ok()) {
      loan.connection = std::move(*connection);
      return loan;
    }
    std::string cause(MessageOf(connection.status()));
    if (deadline < patience && SystemClock().Now() >= deadline) {
      // The call had no more time: what the server failed with before says more.
      absl::MutexLock lock(&mutex_);
      const Host& host = hosts_[loan.host];
      if (!host.last_failure.empty()) cause = host.last_failure;
    }
    DropFailed(std::move(loan), std::move(cause), IsFatal(connection.status()));
    absl::MutexLock lock(&mutex_);
    if (AllRefused()) return FatalError("no Thrift server is trusted ({})", Failures());
  }
}

void ConnectionPool::Return(Loan loan) {
  absl::MutexLock lock(&mutex_);
  Host& host = hosts_[loan.host];
  --host.on_loan;
  host.backoff.Reset();
  host.not_before = {};
  host.refused = false;
  any_worked_ = true;
  if (!host.last_failure.empty()) {
    Log(LogLevel::kInfo, "hbase", "Thrift server {} works again", peer(loan).ToString());
    host.last_failure.clear();
  }
  loan.connection->set_answered();
  host.idle.push_back(std::move(loan.connection));
  changed_.SignalAll();
}

void ConnectionPool::Drop(Loan loan) {
  std::vector<std::unique_ptr<Connection>> closed;  // outside the lock
  absl::MutexLock lock(&mutex_);
  Host& host = hosts_[loan.host];
  --host.on_loan;
  closed.swap(host.idle);
  changed_.SignalAll();
}

void ConnectionPool::DropFailed(Loan loan, std::string cause, bool refused) {
  absl::MutexLock lock(&mutex_);
  Host& host = hosts_[loan.host];
  --host.on_loan;
  host.refused = refused;
  host.idle.clear();
  const SteadyTime now = SystemClock().Now();
  // Several calls that fail at the same time are one failure.
  if (host.not_before <= now) host.not_before = now + host.backoff.Next();
  if (host.last_failure != cause) {
    // Otherwise it is the caller's error, which says it.
    if (!AllRefused()) {
      Log(LogLevel::kWarning, "hbase", "Thrift server {}: {}", peer(loan).ToString(), cause);
    }
    host.last_failure = std::move(cause);
  }
  changed_.SignalAll();
}

size_t ConnectionPool::Choose(SteadyTime now, SteadyTime* wait_until) {
  size_t best = hosts_.size();
  for (size_t i = 0; i < hosts_.size(); ++i) {
    const size_t index = (first_ + i) % hosts_.size();
    const Host& host = hosts_[index];
    if (host.not_before > now) {
      *wait_until = std::min(*wait_until, host.not_before);
    } else if (host.on_loan < options_.connections_per_host &&
               (best == hosts_.size() || host.on_loan < hosts_[best].on_loan)) {
      best = index;
    }
  }
  if (best < hosts_.size()) first_ = best + 1;
  return best;
}

absl::Status ConnectionPool::NoneFree() const {
  const std::string failures = Failures();
  if (failures.empty()) return TimeoutError("all connections are in use");
  return RetryError("no Thrift server works ({})", failures);
}

bool ConnectionPool::AllRefused() const {
  return !any_worked_ &&
         std::all_of(hosts_.begin(), hosts_.end(), [](const Host& host) { return host.refused; });
}

std::string ConnectionPool::Failures() const {
  std::string failures;
  for (size_t i = 0; i < hosts_.size(); ++i) {
    if (hosts_[i].last_failure.empty()) continue;
    if (!failures.empty()) failures += "; ";
    failures += peers_[i].ToString() + ": " + hosts_[i].last_failure;
  }
  return failures;
}

}  // namespace orbweaver
