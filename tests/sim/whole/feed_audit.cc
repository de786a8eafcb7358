#include "tests/sim/whole/feed_audit.h"

#include <algorithm>
#include <map>

#include "absl/functional/function_ref.h"
#include "fmt/format.h"

#include "common/base/status.h"
#include "common/bus/topics.h"
#include "common/model/arena.h"
#include "common/model/spider_feed.h"
#include "common/protocol/epoch_filter.h"

namespace orbweaver::sim {
namespace {

// The requests of `log` from `from` on that count.
void ForEachRequest(const PartitionLog& log, Offset from, EpochFilter filter,
                    absl::FunctionRef<void(const Request&, WallTime)> visit) {
  Arena arena;
  for (Offset offset = std::max(from, log.bounds().start); offset < log.bounds().end; ++offset) {
    arena.Reset();
    SpiderFeedEntry entry;
    CHECK_OK(Decode(log.At(offset)->value, &arena, &entry));
    if (std::holds_alternative<Marker>(entry.entry)) {
      filter.Pass(offset);
    } else if (filter.Accepts(entry.epoch)) {
      visit(std::get<Request>(entry.entry), log.At(offset)->time);
    }
  }
}

}  // namespace

std::vector<Sent> ReadFeed(SimRun& run) {
  std::vector<Sent> sent;
  absl::MutexLock lock(&run.world.broker.mutex);
  for (int p = 0; p < run.shape.partitions; ++p) {
    const PartitionLog& log = **run.world.broker.log().Find(kSpiderFeedTopic, PartitionId(p));
    ForEachRequest(log, Offset(0), EpochFilter(), [&sent](const Request& request, WallTime time) {
      sent.push_back({std::string(request.url), std::string(request.domain), time});
    });
  }
  return sent;
}

std::string FeedCapBreach(const std::vector<Sent>& feed, const FeedOptions& options,
                          const std::function<Duration(const std::string& domain)>& delay_of) {
  std::map<std::string, std::vector<WallTime>> times;
  for (const Sent& sent : feed) times[sent.domain].push_back(sent.time);
  for (const auto& [domain, at] : times) {
    const Duration delay = delay_of(domain);
    const int64_t cap = std::min<int64_t>(options.max_per_domain, 1 + options.window / delay);
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
    int64_t count = 0;
    ForEachRequest(log, from, EpochFilter(committed ? committed->metadata : ""),
                   [&count](const Request&, WallTime) { ++count; });
    most = std::max(most, count);
  }
  return most;
}

}  // namespace orbweaver::sim
