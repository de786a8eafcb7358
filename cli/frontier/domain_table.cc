#include "cli/frontier/domain_table.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/hash/hash.h"

#include "common/base/big_endian.h"
#include "common/base/status.h"
#include "common/url/domain.h"
#include "common/url/partition.h"
#include "db_worker/queue/columns.h"
#include "db_worker/report.h"
#include "strategy_worker/states/domain_record.h"
#include "strategy_worker/states/shard.h"

namespace orbweaver {
namespace {

// Rows that are read at once, of each table: two columns of the same domains are put together by
// reading some slots of both.
constexpr size_t kRowsPerPortion = 4096;
// A row begins with its slot.
constexpr size_t kSlotBytes = sizeof(uint16_t);

// Of a row of either table, without a shard.
std::string DomainOf(std::string_view row) { return ReversedDomain(row.substr(kSlotBytes)); }

uint64_t NumberOf(const ListedDomain& listed, DomainColumn column) {
  switch (column) {
    case DomainColumn::kName:
      return 0;
    case DomainColumn::kWaiting:
      return listed.waiting;
    case DomainColumn::kDelayed:
      return listed.delayed;
    case DomainColumn::kKnown:
      return listed.known_urls;
    case DomainColumn::kFetched:
      return listed.fetched;
    case DomainColumn::kRate:
      // A thousandth of a page is precise enough, and unknown is less than nothing.
      return listed.pages_per_s.has_value() ? 1 + static_cast<uint64_t>(*listed.pages_per_s * 1000)
                                            : 0;
    case DomainColumn::kFailed:
      return listed.failed;
    case DomainColumn::kBlockedUntil:
      return static_cast<uint64_t>(listed.blocked_until.time_since_epoch().count());
  }
  return 0;
}

// Whether `a` stands before `b`.
bool Before(const ListedDomain& a, const ListedDomain& b, const DomainQuery& query) {
  if (query.sort == DomainColumn::kName) {
    return query.is_ascending ? a.domain < b.domain : b.domain < a.domain;
  }
  const uint64_t of_a = NumberOf(a, query.sort), of_b = NumberOf(b, query.sort);
  if (of_a != of_b) return query.is_ascending ? of_a < of_b : of_b < of_a;
  return a.domain < b.domain;
}

bool IsWanted(const ListedDomain& listed, const DomainQuery& query, WallTime now) {
  return (query.contains.empty() || listed.domain.find(query.contains) != std::string::npos) &&
         (!query.phase.has_value() || *query.phase == PhaseOf(listed, now));
}

std::string SlotBound(int slot) {
  std::string bound;
  AppendBigEndian(static_cast<uint16_t>(slot), &bound);
  return bound;
}

// Calls see(row, cell) for that column of each domain of slots [begin, end), in the order of the
// rows; `row` is without a shard.
template <typename See>
absl::Status ReadSlots(Store& store, Table table, std::string_view column, int begin, int end,
                       Duration timeout, See see) {
  absl::Status failed;
  const std::string first = SlotBound(begin), last = SlotBound(end);
  RETURN_IF_ERROR(
      Annotate(store.Scan(table, {.begin = first, .end = last, .columns = {&column, 1}}, timeout,
                          [&](std::string_view row, std::span<const Cell> cells) {
                            if (row.size() <= kSlotBytes) return true;
                            failed = see(row.substr(0, row.find('\0', kSlotBytes)), cells[0].value);
                            return failed.ok();
                          }),
               "read the domains"));
  return failed.ok() ? failed : FatalError("read the domains: {}", MessageOf(failed));
}

// A domain's rows, one or both.
struct ReadDomain {
  std::string row;
  ListedDomain listed;
};

// The rows of both tables stand in the same order.
absl::Status ReadPortion(Store& store, int begin, int end, const PolitenessOptions& politeness,
                         Duration timeout, std::vector<ReadDomain>* portion) {
  DomainRecord record;
  std::string_view states;
  std::vector<ReadDomain> records;
  RETURN_IF_ERROR(ReadSlots(store, Table::kDomains, kRecordColumn, begin, end, timeout,
                            [&](std::string_view row, std::string_view cell) {
                              RETURN_IF_ERROR(DecodeRecordCell(cell, &record, &states));
                              ReadDomain& read = records.emplace_back();
                              read.row = row;
                              read.listed.known_urls = record.known_urls;
                              read.listed.fetched = record.fetched;
                              read.listed.failed = record.failed;
                              read.listed.robots_status = record.robots_status;
                              return absl::OkStatus();
                            }));
  Head head;
  auto next = records.begin();
  RETURN_IF_ERROR(ReadSlots(store, Table::kQueue, kHeadColumn, begin, end, timeout,
                            [&](std::string_view row, std::string_view cell) {
                              RETURN_IF_ERROR(DecodeHead(cell, &head));
                              for (; next != records.end() && next->row < row; ++next) {
                                portion->push_back(std::move(*next));
                              }
                              ReadDomain& read = portion->emplace_back();
                              if (next != records.end() && next->row == row) {
                                read = std::move(*next++);
                              } else {
                                read.row = row;
                              }
                              const DomainReport report =
                                  ReportOf(PartitionId(), "", head, politeness);
                              read.listed.waiting_by_band = report.waiting;
                              for (const uint64_t waiting : report.waiting)
                                read.listed.waiting += waiting;
                              read.listed.delayed = report.delayed;
                              read.listed.delay = report.delay;
                              read.listed.blocked_until = report.blocked_until;
                              read.listed.paced_until = report.paced_until;
                              read.listed.waiting_since = report.waiting_since;
                              return absl::OkStatus();
                            }));
  std::move(next, records.end(), std::back_inserter(*portion));
  return absl::OkStatus();
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
    case DomainColumn::kRate:
      return "pages_per_second";
    case DomainColumn::kFailed:
      return "failed";
    case DomainColumn::kBlockedUntil:
      return "blocked_until";
  }
  return "domain";
}

DomainPhase PhaseOf(const ListedDomain& listed, WallTime now) {
  // A block without requests shows too: an operator wants to see that it holds.
  if (listed.blocked_until > now) return DomainPhase::kBlocked;
  if (listed.waiting == 0) return listed.delayed > 0 ? DomainPhase::kLater : DomainPhase::kIdle;
  return listed.paced_until > now ? DomainPhase::kPaced : DomainPhase::kReady;
}

absl::StatusOr<DomainTable> DomainTable::Read(Store& store, int partitions,
                                              const PolitenessOptions& politeness,
                                              uint64_t max_domains, Duration timeout) {
  DomainTable table;
  std::vector<ReadDomain> portion;
  int slot = 0;
  for (int step = 1; slot < kSlots;) {
    const int end = std::min(slot + step, static_cast<int>(kSlots));
    portion.clear();
    RETURN_IF_ERROR(ReadPortion(store, slot, end, politeness, timeout, &portion));
    step = portion.size() < kRowsPerPortion / 2 ? step * 2 : std::max(1, step / 2);
    for (ReadDomain& read : portion) {
      read.listed.domain = DomainOf(read.row);
      read.listed.partition =
          PartitionOf(Slot(LoadBigEndian<uint16_t>(read.row.data())), partitions);
      table.domains_.push_back(std::move(read.listed));
    }
    slot = end;
    if (max_domains > 0 && table.domains_.size() >= max_domains) break;
  }
  table.share_ = static_cast<double>(slot) / kSlots;
  return table;
}

FetchedThen DomainTable::Fetched(SteadyTime at) const {
  FetchedThen then{.at = at, .by_domain = {}};
  then.by_domain.reserve(domains_.size());
  for (const ListedDomain& listed : domains_) {
    then.by_domain[absl::HashOf(listed.domain)] = listed.fetched;
  }
  return then;
}

void DomainTable::SetRates(const FetchedThen& then, SteadyTime now) {
  const double seconds = std::chrono::duration<double>(now - then.at).count();
  if (seconds <= 0) return;
  for (ListedDomain& listed : domains_) {
    const auto before = then.by_domain.find(absl::HashOf(listed.domain));
    if (before == then.by_domain.end() || before->second > listed.fetched) continue;
    listed.pages_per_s = static_cast<double>(listed.fetched - before->second) / seconds;
  }
}

absl::StatusOr<DomainPage> DomainTable::Page(const DomainQuery& query, WallTime now) const {
  if (query.offset > kMostListedDomains || query.limit > kMostListedDomains - query.offset) {
    return FatalError("list domains: only the first {} can be shown. Narrow the filter, or sort",
                      kMostListedDomains);
  }
  std::vector<const ListedDomain*> wanted;
  for (const ListedDomain& listed : domains_) {
    if (IsWanted(listed, query, now)) wanted.push_back(&listed);
  }
  const size_t end = std::min(query.offset + query.limit, wanted.size());
  std::partial_sort(wanted.begin(), wanted.begin() + static_cast<std::ptrdiff_t>(end), wanted.end(),
                    [&query](const auto* a, const auto* b) { return Before(*a, *b, query); });
  DomainPage page;
  for (size_t i = query.offset; i < end; ++i) {
    page.domains.push_back(*wanted[i]);
    page.domains.back().phase = PhaseOf(*wanted[i], now);
  }
  page.matches = wanted.size();
  page.domains_read = domains_.size();
  page.share = share_;
  return page;
}

}  // namespace orbweaver
