#include "common/store/hbase/thrift_caller.h"

#include <algorithm>
#include <optional>
#include <random>
#include <string>
#include <utility>

#include "absl/time/clock.h"

#include "common/base/backoff.h"
#include "common/base/status.h"
#include "common/store/store.h"
#include "hbase_thrift/THBaseService.h"

namespace orbweaver {
namespace {

using Kind = CallFailure::Kind;

// A server that stops or starts can fail in any way for a moment; one that fails so often has a
// reason, which only its log tells.
constexpr int kMaxInternalErrors = 4;

absl::Status CheckOptions(const HBaseOptions& options) {
  if (options.hosts.empty()) return FatalError("open HBase store: no Thrift host is configured");
  if (options.connections_per_host < 1 || options.parallel_calls < 1 || options.rows_per_call < 1 ||
      options.bytes_per_call < 1) {
    return FatalError("open HBase store: a size in its options is below 1");
  }
  if (options.http && (options.framed || options.compact)) {
    return FatalError(
        "open HBase store: Thrift servers over HTTP are neither framed nor compact. Set one of "
        "hbase.http and hbase.{}",
        options.framed ? "framed" : "compact");
  }
  // Thrift takes a value above its limit for damage, so the largest that can be put must fit.
  if (options.max_answer_bytes < 2 * kMaxPutBytes || options.max_answer_bytes > (1 << 30)) {
    return FatalError("open HBase store: max_answer_bytes must lie from 32 MiB to 1 GiB");
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<ThriftCaller>> ThriftCaller::Create(const HBaseOptions& options) {
  RETURN_IF_ERROR(CheckOptions(options));
  std::vector<HostPort> peers;
  for (const std::string& host : options.hosts) {
    ASSIGN_OR_RETURN(peers.emplace_back(), ParseHostPort(host));
  }
  std::unique_ptr<TlsContext> tls;
  if (options.tls.enabled) {
    ASSIGN_OR_RETURN(tls, TlsContext::Create(options.tls));
  }
  return std::unique_ptr<ThriftCaller>(new ThriftCaller(options, std::move(peers), std::move(tls)));
}

ThriftCaller::ThriftCaller(const HBaseOptions& options, std::vector<HostPort> peers,
                           std::unique_ptr<TlsContext> tls)
    : options_(options), tls_(std::move(tls)), pool_(options, std::move(peers), tls_.get()) {}

absl::Status ThriftCaller::Call(std::string_view action, std::string_view table,
                                SteadyTime deadline, Body body) {
  std::optional<Backoff> backoff;
  int internal_errors = 0;
  CallFailure failure{};
  for (;;) {
    auto loan = pool_.Borrow(deadline);
    if (!loan.ok()) return Annotate(loan.status(), action);
    if (Try(std::move(*loan), table, deadline, body, &failure)) return absl::OkStatus();
    switch (failure.kind) {
      case Kind::kConnection:
      case Kind::kTimedOut:
        break;  // at once: it is the pool that waits for a server that fails
      case Kind::kInternal:
        if (++internal_errors == kMaxInternalErrors) {
          return FatalError(
              "{}: {}. The Thrift server's log has the cause; a value larger than its "
              "hbase.client.keyvalue.maxsize is one.",
              action, failure.cause);
        }
        [[fallthrough]];
      case Kind::kBusy: {
        if (!backoff) backoff.emplace(options_.backoff, std::random_device()());
        // Nothing tells when a region is served again.
        const Duration left = deadline - SystemClock().Now();
        absl::SleepFor(absl::FromChrono(std::min(left, backoff->Next())));
        break;
      }
      case Kind::kAnswerTooLarge:
        return absl::OutOfRangeError(
            absl::string_view(std::string(action) + ": the answer has more than " +
                              std::to_string(options_.max_answer_bytes) + " bytes"));
      case Kind::kTableMissing:
        return FatalError("{}: the table does not exist. Run `orbweaver init`.", action);
      case Kind::kRefused:
        return FatalError("{}: {}", action, failure.cause);
    }
    if (SystemClock().Now() >= deadline) return TimeoutError("{}: {}", action, failure.cause);
  }
}

bool ThriftCaller::Try(ConnectionPool::Loan loan, std::string_view table, SteadyTime deadline,
                       Body body, CallFailure* failure) {
  try {
    body(loan.connection->Begin(std::min(deadline, SystemClock().Now() + options_.call_timeout)));
    pool_.Return(std::move(loan));
    return true;
  } catch (...) {
    *failure = SortCurrentException(table);
  }
  const std::string peer = pool_.peer(loan).ToString();
  if (failure->Answered()) {
    pool_.Return(std::move(loan));
  } else if (failure->kind == Kind::kAnswerTooLarge ||
             (failure->kind == Kind::kConnection && loan.connection->answered())) {
    pool_.Drop(std::move(loan));
  } else {
    pool_.DropFailed(std::move(loan), failure->cause);
  }
  failure->cause = peer + ": " + failure->cause;
  return false;
}

}  // namespace orbweaver
