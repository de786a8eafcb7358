// Checks a run when it is over. Each check is one of the guarantees of ARCHITECTURE.md, or follows
// from one. Past 400 lines, since a breach is read beside the others.
#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "fmt/format.h"

#include "common/base/status.h"
#include "common/bus/topics.h"
#include "common/model/arena.h"
#include "common/model/exploration.h"
#include "common/model/scoring_log.h"
#include "common/model/spider_feed.h"
#include "common/protocol/epoch_filter.h"
#include "common/url/partition.h"
#include "strategy_worker/host/loader.h"
#include "tests/sim/whole/sim_run.h"
#include "tests/support/spider_logs.h"
#include "tests/support/synthetic_web/comparison.h"
#include "tests/support/synthetic_web/reachable.h"

namespace orbweaver::sim {
namespace {

constexpr Duration kLong = std::chrono::minutes(1);

// An entry of the feed that counts.
struct Sent {
  std::string url;
  std::string domain;
  WallTime time;
};

std::vector<Sent> ReadFeed(SimRun& run) {
  std::vector<Sent> sent;
  Arena arena;
  for (int p = 0; p < run.shape.partitions; ++p) {
    EpochFilter filter;
    absl::MutexLock lock(&run.world.broker.mutex);
    const PartitionLog& log = **run.world.broker.log().Find(kSpiderFeedTopic, PartitionId(p));
    for (Offset offset(0); offset < log.bounds().end; ++offset) {
      arena.Reset();
      SpiderFeedEntry entry;
      CHECK_OK(Decode(log.At(offset)->value, &arena, &entry));
      if (std::holds_alternative<Marker>(entry.entry)) {
        filter.Pass(offset);
      } else if (filter.Accepts(entry.epoch)) {
        const auto& request = std::get<Request>(entry.entry);
        sent.push_back(
            {std::string(request.url), std::string(request.domain), log.At(offset)->time});
      }
    }
  }
  return sent;
}

std::string Difference(const std::map<std::string, int>& is,
                       const std::map<std::string, int>& should, std::string_view lost,
                       std::string_view repeated) {
  for (const auto& [key, count] : should) {
    const auto found = is.find(key);
    const int times = found == is.end() ? 0 : found->second;
    if (times < count)
      return fmt::format("{}: {} ({} times instead of {})", lost, key, times, count);
    if (times > count) {
      return fmt::format("{}: {} ({} times instead of {})", repeated, key, times, count);
    }
  }
  for (const auto& [key, count] : is) {
    if (!should.contains(key)) return fmt::format("{}: {} ({} times, never)", repeated, key, count);
  }
  return {};
}

class Auditor {
 public:
  explicit Auditor(SimRun& run) : run_(run), calm_(run.shape.partitions) {}

  std::string FirstBreach() {
    if (!run_.shape.by_chance) Replay();
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
  // One strategy worker reads the same spider log without any fault.
  void Replay() {
    std::vector<std::pair<PartitionId, const StoredRecord*>> records;
    {
      absl::MutexLock lock(&run_.world.broker.mutex);
      for (int p = 0; p < run_.shape.partitions; ++p) {
        const PartitionLog& log = **run_.world.broker.log().Find(kSpiderLogTopic, PartitionId(p));
        for (Offset offset(0); offset < log.bounds().end; ++offset) {
          records.emplace_back(PartitionId(p), log.At(offset).get());
        }
      }
    }
    for (const auto& [partition, record] : records) {
      calm_.AppendRaw(partition, record->key, record->value);
    }
    auto strategy = LoadStrategy(run_.shape.strategy, /*seed=*/1);
    CHECK_OK(strategy.status());
    auto scope = CrawlScope::Make(run_.shape.scope, *calm_.suffixes);
    CHECK_OK(scope.status());
    const auto core = calm_.NewCore(
        **strategy,
        {.member = "calm", .options = run_.shape.strategy_worker, .scope = *std::move(scope)});
    CHECK_OK(calm_.RunUntilIdle(*core));
  }

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

  // The strategies add the same requests, and only one of them raises.
  std::map<std::string, int> Schedules(StrategyWorld& world) const {
    std::map<std::string, int> schedules;
    for (const ReadSchedule& schedule : world.ReadScoringLog()) {
      for (const ReadRequest& request : schedule.requests) {
        if (run_.strategy_swapped && request.action != ScheduleAction::kAdd) continue;
        const auto drawn = request.meta.find(std::string(kExploreKey));
        const bool is_drawn = drawn != request.meta.end() && !run_.strategy_swapped;
        ++schedules[fmt::format("{} by event {} part {} attempt {}{}", request.url,
                                schedule.source_offset, schedule.part, request.attempt,
                                is_drawn ? " drawn with " + drawn->second : "")];
      }
    }
    return schedules;
  }

  // Guarantee 2: what the events schedule is scheduled, and once.
  std::string Scheduled() {
    if (run_.shape.by_chance) return {};
    return Difference(Schedules(run_.world), Schedules(calm_), "not scheduled", "scheduled again");
  }

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

  std::string Text(const DomainRecord& record) const {
    return fmt::format(
        "fetched {}, scheduled {}, failed {}, known {}, sitemaps {}, chances {}, outbox {}",
        record.fetched, record.scheduled, record.failed, record.known_urls, record.sitemaps,
        // Strategies rank differently, so what may be drawn depends on them.
        run_.strategy_swapped ? 0 : record.explore_chances, record.outbox.size());
  }
  static std::string Text(const std::optional<LinkState>& state) {
    if (!state) return "unknown";
    return fmt::format("status {}, depth {}, fetches {}, errors {}",
                       static_cast<int>(state->status), state->depth, state->fetches,
                       state->errors);
  }

  // Every event is in the states, and once.
  std::string Records() {
    if (run_.shape.by_chance) return {};
    std::map<std::string, std::string> domain_of;
    for (const ReadRequest& request : calm_.ReadRequests()) domain_of[request.url] = request.domain;
    for (const std::string& domain : run_.server.Domains()) {
      DomainRecord is = run_.world.RecordOf(domain).value_or(DomainRecord());
      is.outbox.clear();  // acked
      DomainRecord should = calm_.RecordOf(domain).value_or(DomainRecord());
      should.outbox.clear();
      if (Text(is) != Text(should)) {
        return fmt::format("record of {}: {}; without faults {}", domain, Text(is), Text(should));
      }
    }
    for (const auto& [url, domain] : domain_of) {
      const std::string is = Text(run_.world.StateOf(domain, url));
      const std::string should = Text(calm_.StateOf(domain, url));
      if (is != should) return fmt::format("state of {}: {}; without faults {}", url, is, should);
    }
    return {};
  }

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

  // In no stretch of the feed are more requests of a domain than its delay and the cap of a batch
  // allow.
  std::string FeedCaps() {
    if (run_.clocks_jumped) return {};
    const FeedOptions& options = run_.shape.db_worker.feed;
    const Duration delay = run_.shape.politeness.delay;
    const int64_t cap = std::min<int64_t>(options.max_per_domain, 1 + options.window / delay);
    std::map<std::string, std::vector<WallTime>> times;
    for (const Sent& sent : feed_) times[sent.domain].push_back(sent.time);
    for (const auto& [domain, at] : times) {
      for (size_t i = 0; i < at.size(); ++i) {
        for (size_t j = i; j < at.size(); ++j) {
          // The log's times and the worker's are cut to milliseconds, at different moments.
          const auto most_apart = at[j] - at[i] + std::chrono::milliseconds(1);
          if (static_cast<int64_t>(j - i + 1) <= cap + most_apart / delay) continue;
          return fmt::format("{} requests of {} within {} ms", j - i + 1, domain,
                             (at[j] - at[i]).count());
        }
      }
    }
    return {};
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
  StrategyWorld calm_;
  std::vector<Sent> feed_;
};

}  // namespace

std::string Audit(SimRun& run) { return Auditor(run).FirstBreach(); }

int64_t MostOutstanding(SimRun& run) {
  int64_t most = 0;
  absl::MutexLock lock(&run.world.broker.mutex);
  for (int p = 0; p < run.shape.partitions; ++p) {
    const PartitionId partition(p);
    const PartitionLog& log = **run.world.broker.log().Find(kSpiderFeedTopic, partition);
    const auto& committed =
        (*run.world.broker.Group(kSpiderGroup, kSpiderFeedTopic))->committed(partition);
    const Offset from = committed ? committed->offset : Offset(0);
    // Markers, and what replaced owners wrote, only where it may matter.
    if (log.bounds().end - from <= run.shape.db_worker.feed.target_lag) continue;
    EpochFilter filter(committed ? committed->metadata : "");
    Arena arena;
    int64_t count = 0;
    for (Offset offset = from; offset < log.bounds().end; ++offset) {
      arena.Reset();
      SpiderFeedEntry entry;
      CHECK_OK(Decode(log.At(offset)->value, &arena, &entry));
      if (std::holds_alternative<Marker>(entry.entry)) {
        filter.Pass(offset);
      } else if (filter.Accepts(entry.epoch)) {
        ++count;
      }
    }
    most = std::max(most, count);
  }
  return most;
}

uint64_t DigestOf(SimRun& run) {
  // FNV-1a: the same in every process, unlike absl::Hash.
  uint64_t digest = 0xcbf29ce484222325u;
  const auto add = [&digest](std::string_view bytes) {
    for (const char byte : bytes) {
      digest = (digest ^ static_cast<unsigned char>(byte)) * 0x100000001b3u;
    }
  };
  absl::MutexLock lock(&run.world.broker.mutex);
  for (const std::string_view topic : {kSpiderLogTopic, kScoringLogTopic, kSpiderFeedTopic}) {
    for (int p = 0; p < run.shape.partitions; ++p) {
      const PartitionLog& log = **run.world.broker.log().Find(topic, PartitionId(p));
      for (Offset offset(0); offset < log.bounds().end; ++offset) {
        add(log.At(offset)->key);
        add(log.At(offset)->value);
        add(fmt::format("{}", log.At(offset)->time.time_since_epoch().count()));
      }
    }
  }
  return digest;
}

}  // namespace orbweaver::sim
