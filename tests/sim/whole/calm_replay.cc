#include "tests/sim/whole/calm_replay.h"

#include <utility>
#include <vector>

#include "fmt/format.h"

#include "common/base/status.h"
#include "common/bus/topics.h"
#include "tests/sim/whole/sim_strategy.h"

namespace orbweaver::sim {
namespace {

std::string Text(const ReadRequest& request) {
  std::string text =
      fmt::format("{} depth {} score {} attempt {} not before {} action {} etag {}", request.url,
                  request.depth, request.score, request.attempt, request.not_before_ms,
                  static_cast<int>(request.action), request.etag);
  for (const auto& [key, value] : request.meta) text += fmt::format(" {}={}", key, value);
  return text;
}

std::string Text(const DomainUpdate& update) {
  return fmt::format("delay {}, blocked {}, back off {}, purge {}",
                     update.crawl_delay.value_or(std::chrono::milliseconds(-1)).count(),
                     update.blocked_until.value_or(WallTime()).time_since_epoch().count(),
                     update.back_off, update.purge);
}

std::string Hex(const auto& bytes) {
  std::string text;
  for (const auto byte : bytes) text += fmt::format(" {:02x}", static_cast<unsigned char>(byte));
  return text;
}

}  // namespace

std::string Difference(const std::map<std::string, int>& is,
                       const std::map<std::string, int>& should, std::string_view lost,
                       std::string_view repeated) {
  for (const auto& [key, count] : should) {
    const auto found = is.find(key);
    const int times = found == is.end() ? 0 : found->second;
    if (times == count) continue;
    return fmt::format("{}: {} ({} times instead of {})", times < count ? lost : repeated, key,
                       times, count);
  }
  for (const auto& [key, count] : is) {
    if (!should.contains(key)) return fmt::format("{}: {} ({} times, never)", repeated, key, count);
  }
  return {};
}

CalmReplay::CalmReplay(SimRun& run) : run_(run), calm_(run.shape.partitions) {
  calm_.clock.Advance(run.world.clock.Wall() - calm_.clock.Wall());
  for (int p = 0; p < run.shape.partitions; ++p) {
    absl::MutexLock lock(&run.world.broker.mutex);
    absl::MutexLock calm_lock(&calm_.broker.mutex);
    const PartitionLog& log = **run.world.broker.log().Find(kSpiderLogTopic, PartitionId(p));
    PartitionLog& same = **calm_.broker.log().Find(kSpiderLogTopic, PartitionId(p));
    for (Offset offset(0); offset < log.bounds().end; ++offset) same.Append(log.At(offset));
  }
  const auto strategy = NewSimStrategy(run.shape, run.shape.strategy, /*seed=*/0);
  auto scope = CrawlScope::Make(run.shape.scope, *calm_.suffixes);
  CHECK_OK(scope.status());
  const auto core = calm_.NewCore(
      *strategy,
      {.member = "calm", .options = run.shape.strategy_worker, .scope = *std::move(scope)});
  CHECK_OK(calm_.RunUntilIdle(*core));
}

std::map<std::string, int> CalmReplay::Lines(StrategyWorld& world, const ReaderRules& rules) const {
  std::map<std::string, int> lines;
  for (const ReadSchedule& schedule : world.ReadScoringLog(rules)) {
    const std::string event =
        fmt::format("{}: event {} part {}", schedule.domain, schedule.source_offset, schedule.part);
    if (schedule.update) ++lines[fmt::format("{}: {}", event, sim::Text(*schedule.update))];
    for (const ReadRequest& request : schedule.requests) {
      if (!run_.strategy_swapped) {
        ++lines[fmt::format("{}: {}", event, sim::Text(request))];
      } else if (request.action == ScheduleAction::kAdd) {
        // The strategies add the same requests, and only one of them raises.
        ++lines[fmt::format("{}: {} attempt {}", event, request.url, request.attempt)];
      }
    }
  }
  return lines;
}

std::string CalmReplay::ScheduledOtherwise(const ReaderRules& rules) {
  return Difference(Lines(run_.world, rules), Lines(calm_, {}), "not scheduled", "scheduled again");
}

std::string CalmReplay::Text(const DomainRecord& record) const {
  std::string text = fmt::format(
      "fetched {}, scheduled {}, failed {}, known {}, assets {}, sitemaps {}", record.fetched,
      record.scheduled, record.failed, record.known_urls, record.assets, record.sitemaps);
  if (run_.strategy_swapped) return text;
  // Strategies rank differently, so what may be drawn depends on them.
  return text + fmt::format(", chances {}, robots {}, delay {}, bytes{}", record.explore_chances,
                            record.robots,
                            record.crawl_delay.value_or(std::chrono::milliseconds(-1)).count(),
                            Hex(record.strategy_data));
}

std::string CalmReplay::Text(const std::optional<LinkState>& state) const {
  if (!state) return "unknown";
  std::string text =
      fmt::format("status {}, depth {}, fetches {}, errors {}", static_cast<int>(state->status),
                  state->depth, state->fetches, state->errors);
  if (run_.strategy_swapped) return text;
  return text + fmt::format(", due {}, etag {}, bytes{}", state->due_at.time_since_epoch().count(),
                            state->etag, Hex(state->data));
}

std::string CalmReplay::KeptOtherwise(const std::vector<std::string>& domains,
                                      std::map<std::string, std::string> urls) {
  for (const ReadRequest& request : calm_.ReadRequests()) urls[request.url] = request.domain;
  for (const std::string& domain : domains) {
    const std::string is = Text(run_.world.RecordOf(domain).value_or(DomainRecord()));
    const std::string should = Text(calm_.RecordOf(domain).value_or(DomainRecord()));
    if (is != should) return fmt::format("record of {}: {}; without faults {}", domain, is, should);
  }
  for (const auto& [url, domain] : urls) {
    const std::string is = Text(run_.world.StateOf(domain, url));
    const std::string should = Text(calm_.StateOf(domain, url));
    if (is != should) return fmt::format("state of {}: {}; without faults {}", url, is, should);
  }
  return {};
}

}  // namespace orbweaver::sim
