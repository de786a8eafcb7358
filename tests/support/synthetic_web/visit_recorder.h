// The server's record of its visits: counts, the judge's view, and a log file.
#pragma once

#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"

#include "common/base/clock.h"
#include "tests/support/synthetic_web/comparison.h"
#include "tests/support/synthetic_web/judge.h"
#include "tests/support/synthetic_web/ledger.h"
#include "tests/support/synthetic_web/reachable.h"
#include "tests/support/synthetic_web/web.h"

namespace orbweaver::synthetic {

// Place: in the server, between its thread and whoever asks. Thread-safe. Bounded by the hosts and
// pages of the web and by the requests in flight, not by the number of requests.
class VisitRecorder {
 public:
  // `log_file` empty: none. Fatal when it cannot be written. The log is text, a line for each
  // request, in the order in which the responses ended; fields are separated by tabs:
  //
  //   arrival_ns end_ns status connection address domain host note url
  //
  // Times are those of CLOCK_MONOTONIC; status 0 stands for an answer that the client did not wait
  // for; the note is `robots`, `forbidden` (by robots.txt) or `-`.
  static absl::StatusOr<std::unique_ptr<VisitRecorder>> Create(const Web& web,
                                                               const JudgeOptions& judge,
                                                               const std::string& log_file);
  ~VisitRecorder();

  struct Begun {
    uint64_t id = 0;
    uint32_t attempt = 0;  // as in Ask
    uint32_t version = 0;
  };
  // `host` and `target` as requested, for places that this web does not know.
  Begun Arrived(const Place& place, std::string_view host, std::string_view target,
                uint64_t connection, SteadyTime at);

  // `status` 0: the client went away.
  void Ended(uint64_t id, int status, std::optional<std::chrono::seconds> retry_after,
             SteadyTime at);

  // Sets the content version of all hosts, or of one of them; 0 in the beginning.
  void SetVersion(uint32_t version);
  void SetVersion(uint32_t host, uint32_t version);

  // As Judge::ClientDied.
  void ClientDied(SteadyTime told_since);

  Verdict verdict() const;
  std::optional<Duration> LeastDomainInterval(std::string_view domain) const;
  uint32_t RequestsOf(const Place& place) const;
  Comparison CompareWith(const Reachable& reachable) const;

  // Writes the log's buffer to its file.
  void Flush();

 private:
  struct Open {
    Judge::VisitId judged = 0;  // 0: not judged
    Place place;
    SteadyTime arrival;
    uint64_t connection = 0;
    std::string url;  // only with a log
  };

  VisitRecorder(const Web& web, const JudgeOptions& judge, std::FILE* log);
  std::string_view Note(const Place& place) const;
  void WriteLine(const Open& open, int status, SteadyTime at) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const Web& web_;

  mutable absl::Mutex mutex_;
  Ledger ledger_ ABSL_GUARDED_BY(mutex_);
  Judge judge_ ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_map<uint64_t, Open> open_ ABSL_GUARDED_BY(mutex_);
  uint64_t next_id_ ABSL_GUARDED_BY(mutex_) = 1;
  uint32_t version_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::flat_hash_map<uint32_t, uint32_t> host_versions_ ABSL_GUARDED_BY(mutex_);
  std::FILE* const log_ ABSL_PT_GUARDED_BY(mutex_);
  // Memory for names, from call to call.
  std::string domain_ ABSL_GUARDED_BY(mutex_);
  std::string host_ ABSL_GUARDED_BY(mutex_);
  std::string address_ ABSL_GUARDED_BY(mutex_);
  std::string url_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace orbweaver::synthetic
