#include "db_worker/report.h"

#include <algorithm>

#include "db_worker/queue/pacing.h"

namespace orbweaver {
namespace {

uint64_t DelayedIn(const Head& head) {
  uint64_t sum = 0;
  for (const DelayedBucket& bucket : head.delayed) sum += bucket.waiting;
  return sum;
}

}  // namespace

std::string_view LagStateName(LagState state) {
  switch (state) {
    case LagState::kUnknown:
      return "unknown";
    case LagState::kCommitted:
      return "committed";
    case LagState::kNoCommit:
      return "no-commit";
    case LagState::kLogCut:
      return "log-cut";
    case LagState::kCommitBeyondEnd:
      return "commit-beyond-end";
  }
  return "unknown";
}

double SecondsSince(WallTime time, WallTime now) {
  if (time == WallTime() || time > now) return 0;
  return std::chrono::duration<double>(now - time).count();
}

void CountDomain(const Head& head, WallTime now, PartitionReport* report) {
  uint64_t ready = 0;
  for (int band = 0; band < kBands; ++band) {
    report->waiting[band] += head.bands[band].waiting;
    ready += head.bands[band].waiting;
  }
  report->delayed += DelayedIn(head);
  // A band whose requests were all taken out has chunks left until its turn comes.
  if (ready == 0 && head.delayed.empty()) return;
  const WallTime earliest = ready > 0 ? WallTime() : OpensAt(head.delayed.front().due);
  report->next_due = std::min(report->next_due, std::max(earliest, ReadyAt(head)));
  if (head.rest.until > now) {
    ++report->blocked;
  } else if (ready > 0) {
    ++(head.paced_until > now ? report->paced : report->ready);
  }
  const bool is_older = report->oldest == WallTime() || head.waiting_since < report->oldest;
  if (is_older) report->oldest = head.waiting_since;
}

PartitionReport ReportOf(const Partition& partition, WallTime now) {
  PartitionReport report{.partition = partition.id,
                         .epoch = partition.epoch,
                         .paused = partition.paused,
                         .lag_state = partition.lag_state,
                         .lag = partition.lag,
                         .backlog = partition.backlog,
                         .sent = partition.sent,
                         .domains = partition.index.size(),
                         .index_bytes = partition.index.bytes()};
  Head head;
  partition.index.ForEach([&](DomainId id) {
    partition.index.Read(id, &head);
    CountDomain(head, now, &report);
  });
  return report;
}

DomainReport ReportOf(PartitionId partition, std::string_view domain, const Head& head,
                      const PolitenessOptions& options) {
  DomainReport report{.domain = std::string(domain),
                      .partition = partition,
                      .delayed = DelayedIn(head),
                      .delay = DelayOf(head, options),
                      .blocked_until = head.rest.until,
                      .paced_until = head.paced_until,
                      .back_offs = head.rest.back_offs,
                      .waiting_since = head.waiting_since};
  for (int band = 0; band < kBands; ++band) report.waiting[band] = head.bands[band].waiting;
  if (!head.delayed.empty()) report.next_delayed = OpensAt(head.delayed.front().due);
  return report;
}

}  // namespace orbweaver
