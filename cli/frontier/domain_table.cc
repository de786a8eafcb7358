#include "cli/frontier/domain_table.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "common/base/big_endian.h"
#include "common/base/status.h"
#include "common/url/domain.h"
#include "common/url/partition.h"
#include "db_worker/queue/columns.h"
#include "strategy_worker/states/domain_record.h"
#include "strategy_worker/states/shard.h"

namespace orbweaver {
namespace {

// Rows that are read at once, of each table: two columns of the same domains are put together by
// reading some slots of both.
constexpr size_t kRowsPerPortion = 4096;

// Of a row of either table.
std::string DomainOf(std::string_view row) {
  row.remove_prefix(sizeof(uint16_t));
  return ReversedDomain(row.substr(0, row.find('\0')));
}

uint64_t NumberOf(const ListedDomain& listed, DomainColumn column) {
  switch (column) {
    case DomainColumn::kName:
      return 0;
    case DomainColumn::kWaiting:
      return listed.waiting;
    case DomainColumn::kDelayed:
      return listed.queue.delayed;
    case DomainColumn::kKnown:
      return listed.known_urls;
    case DomainColumn::kFetched:
      return listed.fetched;
    case DomainColumn::kFailed:
      return listed.failed;
    case DomainColumn::kBlockedUntil:
      return static_cast<uint64_t>(listed.queue.blocked_until.time_since_epoch().count());
  }
  return 0;
}

// Keeps the first `offset + limit` of the domains that it sees.
class FirstOf {
 public:
  explicit FirstOf(const DomainQuery& query) : query_(query) {}

  void See(ListedDomain listed) {
    const bool is_wanted =
        (query_.contains.empty() || listed.domain.find(query_.contains) != std::string::npos) &&
        (!query_.phase.has_value() || *query_.phase == listed.phase);
    if (!is_wanted) return;
    ++matches_;
    const size_t most = query_.offset + query_.limit;
    const auto before = [this](const auto& a, const auto& b) { return Before(a, b); };
    if (kept_.size() == most) {
      if (most == 0 || !Before(listed, kept_.front())) return;
      std::pop_heap(kept_.begin(), kept_.end(), before);
      kept_.pop_back();
    }
    kept_.push_back(std::move(listed));
    std::push_heap(kept_.begin(), kept_.end(), before);
  }

  uint64_t matches() const { return matches_; }

  std::vector<ListedDomain> Take() {
    std::sort_heap(kept_.begin(), kept_.end(),
                   [this](const auto& a, const auto& b) { return Before(a, b); });
    const size_t skipped = std::min(query_.offset, kept_.size());
    kept_.erase(kept_.begin(), kept_.begin() + static_cast<std::ptrdiff_t>(skipped));
    return std::move(kept_);
  }

 private:
  bool Before(const ListedDomain& a, const ListedDomain& b) const {
    if (query_.sort == DomainColumn::kName) {
      return query_.is_ascending ? a.domain < b.domain : b.domain < a.domain;
    }
    const uint64_t of_a = NumberOf(a, query_.sort), of_b = NumberOf(b, query_.sort);
    if (of_a != of_b) return query_.is_ascending ? of_a < of_b : of_b < of_a;
    return a.domain < b.domain;
  }

  const DomainQuery& query_;
  std::vector<ListedDomain> kept_;  // a heap, the last of them in front
  uint64_t matches_ = 0;
};

std::string SlotBound(int slot) {
  std::string bound;
  AppendBigEndian(static_cast<uint16_t>(slot), &bound);
  return bound;
}

// Calls see(domain, cell) for that column of each domain of slots [begin, end).
template <typename See>
absl::Status ReadSlots(Store& store, Table table, std::string_view column, int begin, int end,
                       Duration timeout, See see) {
  absl::Status failed;
  const std::string first = SlotBound(begin), last = SlotBound(end);
  RETURN_IF_ERROR(
      Annotate(store.Scan(table, {.begin = first, .end = last, .columns = {&column, 1}}, timeout,
                          [&](std::string_view row, std::span<const Cell> cells) {
                            if (row.size() <= sizeof(uint16_t)) return true;
                            failed = see(DomainOf(row), cells[0].value);
                            return failed.ok();
                          }),
               "read the domains"));
  return failed.ok() ? failed : FatalError("read the domains: {}", MessageOf(failed));
}

using ByName = std::map<std::string, ListedDomain>;

absl::Status ReadPortion(Store& store, int begin, int end, const PolitenessOptions& politeness,
                         WallTime now, Duration timeout, ByName* portion) {
  DomainRecord record;
  std::string_view states;
  RETURN_IF_ERROR(ReadSlots(store, Table::kDomains, kRecordColumn, begin, end, timeout,
                            [&](const std::string& domain, std::string_view cell) {
                              RETURN_IF_ERROR(DecodeRecordCell(cell, &record, &states));
                              ListedDomain& listed = (*portion)[domain];
                              listed.known_urls = record.known_urls;
                              listed.fetched = record.fetched;
                              listed.failed = record.failed;
                              listed.robots_status = record.robots_status;
                              return absl::OkStatus();
                            }));
  Head head;
  return ReadSlots(store, Table::kQueue, kHeadColumn, begin, end, timeout,
                   [&](const std::string& domain, std::string_view cell) {
                     RETURN_IF_ERROR(DecodeHead(cell, &head));
                     ListedDomain& listed = (*portion)[domain];
                     listed.queue = ReportOf(PartitionId(), "", head, politeness);
                     listed.waiting = std::accumulate(listed.queue.waiting.begin(),
                                                      listed.queue.waiting.end(), uint64_t{0});
                     listed.phase = PhaseOf(listed.queue, now);
                     return absl::OkStatus();
                   });
}

}  // namespace

std::string_view DomainPhaseName(DomainPhase phase) {
  switch (phase) {
    case DomainPhase::kIdle:
      return "idle";
    case DomainPhase::kReady:
      return "ready";
    case DomainPhase::kPaced:
      return "paced";
    case DomainPhase::kLater:
      return "later";
    case DomainPhase::kBlocked:
      return "blocked";
  }
  return "idle";
}

std::string_view DomainColumnName(DomainColumn column) {
  switch (column) {
    case DomainColumn::kName:
      return "domain";
    case DomainColumn::kWaiting:
      return "waiting";
    case DomainColumn::kDelayed:
      return "delayed";
    case DomainColumn::kKnown:
      return "known_urls";
    case DomainColumn::kFetched:
      return "fetched";
    case DomainColumn::kFailed:
      return "failed";
    case DomainColumn::kBlockedUntil:
      return "blocked_until";
  }
  return "domain";
}

DomainPhase PhaseOf(const DomainReport& queue, WallTime now) {
  const bool has_waiting = std::any_of(queue.waiting.begin(), queue.waiting.end(),
                                       [](uint64_t waiting) { return waiting > 0; });
  // A block without requests shows too: an operator wants to see that it holds.
  if (queue.blocked_until > now) return DomainPhase::kBlocked;
  if (!has_waiting) return queue.delayed > 0 ? DomainPhase::kLater : DomainPhase::kIdle;
  return queue.paced_until > now ? DomainPhase::kPaced : DomainPhase::kReady;
}

absl::StatusOr<DomainPage> ListDomains(Store& store, int partitions, const DomainQuery& query,
                                       const PolitenessOptions& politeness, WallTime now,
                                       Duration timeout) {
  if (query.offset > kMostListedDomains || query.limit > kMostListedDomains - query.offset) {
    return FatalError("list domains: only the first {} can be shown. Narrow the filter, or sort",
                      kMostListedDomains);
  }
  DomainPage page;
  FirstOf first(query);
  int slot = 0;
  for (int step = 1; slot < kSlots;) {
    const int end = std::min(slot + step, static_cast<int>(kSlots));
    ByName portion;
    RETURN_IF_ERROR(ReadPortion(store, slot, end, politeness, now, timeout, &portion));
    page.domains_read += portion.size();
    step = portion.size() < kRowsPerPortion / 2 ? step * 2 : std::max(1, step / 2);
    for (auto& [name, listed] : portion) {
      listed.domain = name;
      listed.partition = PartitionOf(SlotOf(name), partitions);
      first.See(std::move(listed));
    }
    slot = end;
    if (query.max_domains > 0 && page.domains_read >= query.max_domains) break;
  }
  page.share = static_cast<double>(slot) / kSlots;
  page.matches = first.matches();
  page.domains = first.Take();
  return page;
}

}  // namespace orbweaver
