#include "cli/frontier/kept_failures.h"

#include <algorithm>

#include "cli/frontier/frontier.h"

#include "common/base/status.h"
#include "common/model/arena.h"
#include "common/protocol/failed_url_rows.h"
#include "spider/fetch/fetch_url.h"
#include "strategy_worker/core/event_view.h"

namespace orbweaver {
namespace {

constexpr size_t kErasedAtOnce = 1000;
constexpr size_t kMostPorts = 20;

LinkStatus StatusAfter(const FetchFailed& failed) {
  const bool may_pass = IsOfOurOwn(failed.cause) || IsTransient(failed.cause, failed.status);
  return may_pass ? LinkStatus::kError : LinkStatus::kGone;
}

}  // namespace

bool WantedFailures::Wants(const FetchFailed& failed) const {
  if (!causes.empty() && std::ranges::find(causes, failed.cause) == causes.end()) return false;
  return !status.has_value() || *status == StatusAfter(failed);
}

absl::Status VisitFailures(
    Store& store, const WantedFailures& wanted,
    absl::FunctionRef<bool(const SpiderLogEntry& entry, const FetchFailed& failed)> visit) {
  const std::string begin = wanted.domain ? FailedUrlsBegin(*wanted.domain) : "";
  const std::string end = wanted.domain ? FailedUrlsEnd(*wanted.domain) : "";
  const ScanRange range{.begin = begin, .end = end, .columns = {&kFailedUrlColumn, 1}};
  Arena arena;
  absl::Status result;
  RETURN_IF_ERROR(store.Scan(
      kFailedUrlTable, range, kLookTimeout, [&](std::string_view, std::span<const Cell> cells) {
        if (cells[0].value.empty()) return true;
        arena.Reset();
        SpiderLogEntry entry;
        result = Decode(cells[0].value, &arena, &entry);
        if (!result.ok()) return false;
        const auto* const failed = std::get_if<FetchFailed>(&entry.event);
        return failed == nullptr || !wanted.Wants(*failed) || visit(entry, *failed);
      }));
  return result.ok() ? result : FatalError("read kept failures: {}", MessageOf(result));
}

absl::StatusOr<std::string> FindFailure(Store& store, std::string_view domain,
                                        const Fingerprint& url, std::string_view column) {
  const std::string row = FailedUrlRow(domain, url);
  const RowGet get{.row = row, .columns = {&column, 1}};
  Rows rows;
  RETURN_IF_ERROR(store.MultiGet(kFailedUrlTable, {&get, 1}, kLookTimeout, &rows));
  const Cell* const cell = rows.Find(0, column);
  return cell == nullptr ? std::string() : std::string(cell->value);
}

absl::StatusOr<uint64_t> EraseFailures(Store& store, std::string_view domain) {
  const std::string end = FailedUrlsEnd(domain);
  std::string begin = FailedUrlsBegin(domain);
  uint64_t count = 0;
  for (bool is_done = false; !is_done;) {
    std::vector<std::string> rows;
    std::vector<Version> versions;
    const ScanRange range{
        .begin = begin, .end = end, .columns = {&kFailedUrlColumn, 1}, .limit = kErasedAtOnce};
    RETURN_IF_ERROR(store.Scan(kFailedUrlTable, range, kLookTimeout,
                               [&](std::string_view row, std::span<const Cell> cells) {
                                 rows.emplace_back(row);
                                 versions.push_back(cells[0].version);
                                 count += cells[0].value.empty() ? 0 : 1;
                                 return true;
                               }));
    std::vector<RowErase> erases;
    for (size_t i = 0; i < rows.size(); ++i) {
      erases.push_back({rows[i], versions[i], {&kFailedUrlColumn, 1}});
    }
    if (!erases.empty()) RETURN_IF_ERROR(store.Erase(kFailedUrlTable, erases, kLookTimeout));
    is_done = rows.size() < kErasedAtOnce;
    if (!is_done) begin = rows.back() + '\0';
  }
  return count;
}

absl::StatusOr<FailureCounts> CountFailures(Store& store, const WantedFailures& wanted,
                                            uint64_t most) {
  FailureCounts counts;
  std::string domain;
  RETURN_IF_ERROR(
      VisitFailures(store, wanted, [&](const SpiderLogEntry& entry, const FetchFailed& failed) {
        if (counts.urls == most) {
          counts.is_exact = false;
          return false;
        }
        ++counts.urls;
        ++counts.by_cause[failed.cause];
        if (entry.domain != domain) ++counts.domains;
        domain = entry.domain;
        if (failed.cause != FailureCause::kPort || counts.refused_ports.size() == kMostPorts) {
          return true;
        }
        const auto url =
            SplitFetchUrl(failed.final_url.empty() ? failed.request.url : failed.final_url);
        if (url) counts.refused_ports.insert(url->port);
        return true;
      }));
  return counts;
}

}  // namespace orbweaver
