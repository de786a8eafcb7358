// Checks a run when it is over. Each check is one of the guarantees of ARCHITECTURE.md, or follows
// from one.
#include "tests/sim/whole/audit.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "fmt/format.h"

#include "common/base/status.h"
#include "common/bus/topics.h"
#include "common/model/arena.h"
#include "common/model/scoring_log.h"
#include "common/url/partition.h"
#include "tests/sim/whole/calm_replay.h"
#include "tests/sim/whole/feed_audit.h"
#include "tests/support/spider_logs.h"
#include "tests/support/synthetic_web/comparison.h"
#include "tests/support/synthetic_web/reachable.h"

namespace orbweaver::sim {
namespace {

constexpr Duration kLong = std::chrono::minutes(1);

class Auditor {
 public:
  explicit Auditor(SimRun& run) : run_(run) {}

  std::string FirstBreach() {
    if (!run_.shape.by_chance) calm_.emplace(run_);
    feed_ = ReadFeed(run_);
    constexpr std::array kChecks = {&Auditor::Queued,    &Auditor::DeadLetters, &Auditor::Crawled,
                                    &Auditor::Scheduled, &Auditor::Left,        &Auditor::Fetched,
                                    &Auditor::Records,   &Auditor::Polite,      &Auditor::FeedCaps,
                                    &Auditor::Blocked,   &Auditor::PageCaps,    &Auditor::Ordered};
    for (const auto check : kChecks) {
      if (std::string breach = (this->*check)(); !breach.empty()) return breach;
    }
    return {};
  }

 private:
  // Guarantee 5: nothing here is bad input.
  std::string DeadLetters() {
    const std::vector<std::string> causes = run_.world.DeadLetterCauses();
    return causes.empty() ? "" : "in dead-letter: " + causes[0];
  }

  // Guarantee 1: what was crawled is what could be reached.
  std::string Crawled() {
    const std::vector<std::string> seeds = run_.server.Seeds();
    const bool with_sitemaps = run_.shape.scope.sitemaps == SitemapUse::kAlso;
    const auto reachable =
        synthetic::Reachable::Compute(run_.server.web(), seeds, {.sitemaps = with_sitemaps});
    CHECK_OK(reachable.status());
    const synthetic::Comparison compared = Compare(*reachable, run_.server.ledger());
    const auto first = [](std::string_view what, const synthetic::Comparison::Finding& finding) {
      return finding.count == 0 ? "" : fmt::format("{}: {}", what, finding.examples[0]);
    };
    std::string breach = first("crawled against robots.txt", compared.forbidden);
    if (breach.empty()) breach = first("crawled though nothing leads there", compared.unreachable);
    // A URL that a purge dropped is crawled only when something leads there once more.
    const bool is_all_wanted =
        run_.shape.max_pages == 0 && !run_.shape.by_chance && run_.purged.empty();
    if (!is_all_wanted || !breach.empty()) return breach;
    breach = first("never crawled", compared.missing);
    return breach.empty() ? first("given up too early", compared.unfinished) : breach;
  }

  // Guarantee 1 again: at rest no state says that its URL is still to be crawled.
  std::string Queued() {
    for (const synthetic::Place& place : AllPages()) {
      const std::string url = run_.server.web().paths().UrlOf(place);
      const std::string domain = run_.server.DomainOf(url);
      const std::optional<LinkState> state = run_.world.StateOf(domain, url);
      if (!state || state->status != LinkStatus::kQueued) continue;
      if (run_.shape.by_chance && IsClaimable(domain, url)) continue;
      return fmt::format("lost: {} is still queued, as its state says", url);
    }
    return {};
  }

  // Decided by a worker that had been replaced and did not know: its put came after its successor
  // had read the row, and its successor, asked again, decided that nothing is to be done and put
  // nothing. The next worker that reads the row sends its outbox. A strategy that decides the same
  // when it is asked again leaves no such row.
  bool IsClaimable(std::string_view domain, std::string_view url) {
    const std::optional<DomainRecord> record = run_.world.RecordOf(domain);
    Arena arena;
    for (const std::string& outgoing : record->outbox) {
      arena.Reset();
      ScoringLogEntry entry;
      CHECK_OK(Decode(outgoing, &arena, &entry));
      const auto* const schedule = std::get_if<ScheduleRequests>(&entry.entry);
      if (schedule == nullptr || entry.epoch >= LastEpochOf(domain)) continue;
      for (const ScheduledRequest& request : schedule->requests) {
        if (request.url == url) return true;
      }
    }
    return false;
  }

  // Of those who owned the domain's partition of the scoring log.
  Offset LastEpochOf(std::string_view domain) {
    const PartitionId partition = PartitionOf(SlotOf(domain), run_.shape.partitions);
    absl::MutexLock lock(&run_.world.broker.mutex);
    const PartitionLog& log = **run_.world.broker.log().Find(kScoringLogTopic, partition);
    Offset last(-1);
    for (Offset offset(0); offset < log.bounds().end; ++offset) {
      if (log.At(offset)->key.empty()) last = offset;
    }
    return last;
  }

  std::vector<synthetic::Place> AllPages() const {
    std::vector<synthetic::Place> pages;
    for (uint32_t host = 0; host < run_.shape.web.hosts; ++host) {
      for (uint32_t page = 0; page < run_.shape.web.pages_per_host; ++page) {
        pages.push_back({.host = host, .number = page, .kind = synthetic::Place::Kind::kPage});
      }
    }
    return pages;
  }

  // Guarantee 2: what the events schedule is scheduled, and once.
  std::string Scheduled() { return calm_ ? calm_->ScheduledOtherwise() : ""; }

  // Every scheduled request has left the queue, and as often as it was scheduled.
  std::string Left() {
    std::map<std::string, int> left, scheduled;
    std::set<std::string> raised;
    for (const Sent& sent : feed_) ++left[sent.url];
    for (const ReadRequest& request : run_.world.ReadRequests()) {
      if (request.action == ScheduleAction::kAdd) ++scheduled[request.url];
      if (request.action == ScheduleAction::kRaise) raised.insert(request.url);
    }
    // A request that a dead spider had handed back may wait twice: a RAISE makes one of the two.
    for (const std::string& url : raised) {
      if (left[url] > 0) scheduled[url] = std::min(scheduled[url], left[url]);
    }
    for (auto& [url, times] : scheduled) {
      if (run_.purged.contains(run_.server.DomainOf(url))) times = std::min(times, left[url]);
    }
    return Difference(left, scheduled, "never left the queue", "left the queue again");
  }

  // Every request has an outcome; more than one only has what a spider had in hand that died.
  std::string Fetched() {
    SpiderLogContents log;
    CHECK_OK(ReadSpiderLog(run_.world.bus, run_.shape.partitions, kLong, &log));
    std::map<std::string, int> left;
    for (const Sent& sent : feed_) ++left[sent.url];
    int repeated = 0;
    for (const auto& [url, times] : left) {
      const auto found = log.by_url.find(url);
      const int outcomes = found == log.by_url.end() ? 0 : found->second.all();
      if (outcomes < times) {
        return fmt::format("without an outcome: {} ({} of {})", url, outcomes, times);
      }
      repeated += outcomes - times;
    }
    const int most = static_cast<int>(run_.shape.crawl.window) * run_.spider_losses;
    if (repeated <= most) return {};
    return fmt::format("{} requests were fetched again, at most {} were in hand", repeated, most);
  }

  // Every event is in the states, and once.
  std::string Records() { return calm_ ? calm_->KeptOtherwise(run_.server.Domains()) : ""; }

  // Guarantee 3, as the crawled sites measure it.
  std::string Polite() {
    const synthetic::Verdict verdict = run_.server.verdict();
    for (size_t i = 0; i < static_cast<size_t>(synthetic::Breach::kCount); ++i) {
      const auto breach = static_cast<synthetic::Breach>(i);
      if (verdict[breach].count == 0) continue;
      // A spider that was replaced without knowing it cannot pass Retry-After on, and one with a
      // wrong clock passes a wrong time on.
      const bool may_mislead = run_.zombie_spiders || run_.clocks_jumped;
      if (breach == synthetic::Breach::kRetryAfter && may_mislead) continue;
      return fmt::format("impolite, {}: {}", NameOf(breach), verdict[breach].examples[0]);
    }
    return {};
  }

  std::string FeedCaps() {
    if (run_.clocks_jumped) return {};
    return FeedCapBreach(feed_, run_.shape.db_worker.feed,
                         [this](const std::string&) { return run_.shape.politeness.delay; });
  }

  std::string Blocked() {
    if (run_.clocks_jumped) return {};
    for (const SimRun::Block& block : run_.blocks) {
      for (const Sent& sent : feed_) {
        if (sent.domain != block.domain || sent.time <= block.from || sent.time >= block.until) {
          continue;
        }
        return fmt::format("sent although its domain was blocked: {}", sent.url);
      }
    }
    return {};
  }

  // Pages of a domain.
  std::string PageCaps() {
    if (run_.shape.max_pages == 0) return {};
    std::map<std::string, uint64_t> scheduled;
    for (const std::string& domain : run_.server.Domains()) {
      const uint64_t count = run_.world.RecordOf(domain).value_or(DomainRecord()).scheduled;
      const auto ordered = run_.ordered.find(domain);
      const uint64_t most =
          run_.shape.max_pages + (ordered == run_.ordered.end() ? 0 : ordered->second);
      if (count <= most) continue;
      return fmt::format("{} requests of {} were scheduled, {} are allowed", count, domain, most);
    }
    return {};
  }

  // An order about a URL queues none that is queued: from its scheduling until its outcome.
  std::string Ordered() {
    if (run_.shape.by_chance) return {};
    std::map<std::pair<PartitionId, Offset>, std::vector<ReadRequest>> schedules;
    for (ReadSchedule& schedule : run_.world.ReadScoringLog()) {
      auto& of = schedules[{schedule.partition, schedule.source_offset}];
      for (ReadRequest& request : schedule.requests) of.push_back(std::move(request));
    }
    for (int p = 0; p < run_.shape.partitions; ++p) {
      std::string breach = OrderedIn(PartitionId(p), schedules);
      if (!breach.empty()) return breach;
    }
    return {};
  }

  std::string OrderedIn(
      PartitionId partition,
      const std::map<std::pair<PartitionId, Offset>, std::vector<ReadRequest>>& schedules) {
    std::set<std::string> queued;
    absl::MutexLock lock(&run_.world.broker.mutex);
    const PartitionLog& log = **run_.world.broker.log().Find(kSpiderLogTopic, partition);
    for (Offset offset(0); offset < log.bounds().end; ++offset) {
      Arena arena;
      SpiderLogEntry entry;
      if (!Decode(log.At(offset)->value, &arena, &entry).ok()) continue;
      if (const auto* page = std::get_if<PageFetched>(&entry.event)) {
        queued.erase(std::string(page->request.url));
      } else if (const auto* failed = std::get_if<FetchFailed>(&entry.event)) {
        queued.erase(std::string(failed->request.url));
      } else if (const auto* order = std::get_if<DomainOrder>(&entry.event)) {
        if (order->purge) queued.clear();
      }
      const auto found = schedules.find({partition, offset});
      if (found == schedules.end()) continue;
      for (const ReadRequest& request : found->second) {
        if (request.action != ScheduleAction::kAdd) continue;
        const bool is_new = queued.insert(request.url).second;
        if (!is_new && std::holds_alternative<UrlOrder>(entry.event)) {
          return fmt::format("an order queued what was queued: {}", request.url);
        }
      }
    }
    return {};
  }

  SimRun& run_;
  std::optional<CalmReplay> calm_;
  std::vector<Sent> feed_;
};

}  // namespace

std::string AuditWhole(SimRun& run) { return Auditor(run).FirstBreach(); }

}  // namespace orbweaver::sim
