#include "tests/sim/whole/sim_logs.h"

#include "absl/functional/function_ref.h"
#include "fmt/format.h"

#include "common/bus/topics.h"

namespace orbweaver::sim {
namespace {

void ForEachLog(SimRun& run,
                absl::FunctionRef<void(std::string_view topic, const PartitionLog&)> visit) {
  absl::MutexLock lock(&run.world.broker.mutex);
  for (const std::string_view topic : {kSpiderLogTopic, kScoringLogTopic, kSpiderFeedTopic}) {
    for (int p = 0; p < run.shape.partitions; ++p) {
      visit(topic, **run.world.broker.log().Find(topic, PartitionId(p)));
    }
  }
}

}  // namespace

uint64_t RecordsOf(SimRun& run) {
  uint64_t sum = 0;
  ForEachLog(run, [&sum](std::string_view, const PartitionLog& log) {
    sum += static_cast<uint64_t>(log.bounds().end.value());
  });
  return sum;
}

size_t MarkersOf(SimRun& run) {
  size_t count = 0;
  ForEachLog(run, [&count](std::string_view topic, const PartitionLog& log) {
    if (topic == kSpiderLogTopic) return;
    for (Offset offset = log.bounds().start; offset < log.bounds().end; ++offset) {
      if (log.At(offset)->key.empty()) ++count;
    }
  });
  return count;
}

std::string UnreadOf(SimRun& run) {
  const Shape& shape = run.shape;
  const struct {
    std::string_view group;
    std::string_view topic;
    bool is_read;
  } readers[] = {{kStrategyWorkerGroup, kSpiderLogTopic, shape.strategy_workers > 0},
                 {kDbWorkerGroup, kScoringLogTopic, shape.db_workers > 0},
                 {kSpiderGroup, kSpiderFeedTopic, shape.spiders > 0 || shape.db_workers > 0}};
  std::string unread;
  absl::MutexLock lock(&run.world.broker.mutex);
  for (const auto& [group, topic, is_read] : readers) {
    if (!is_read) continue;
    for (int p = 0; p < shape.partitions; ++p) {
      const PartitionId partition(p);
      const Offset end = (*run.world.broker.log().Find(topic, partition))->bounds().end;
      const auto& committed = (*run.world.broker.Group(group, topic))->committed(partition);
      const Offset done = committed ? committed->offset : Offset(0);
      if (done != end) unread += fmt::format("{} {}: {} of {}; ", topic, p, done, end);
    }
  }
  return unread;
}

uint64_t DigestOf(SimRun& run) {
  // FNV-1a: the same in every process, unlike absl::Hash.
  uint64_t digest = 0xcbf29ce484222325u;
  const auto add = [&digest](std::string_view bytes) {
    for (const char byte : bytes) {
      digest = (digest ^ static_cast<unsigned char>(byte)) * 0x100000001b3u;
    }
  };
  ForEachLog(run, [&add](std::string_view, const PartitionLog& log) {
    for (Offset offset = log.bounds().start; offset < log.bounds().end; ++offset) {
      add(log.At(offset)->key);
      add(log.At(offset)->value);
      add(fmt::format("{}", log.At(offset)->time.time_since_epoch().count()));
    }
  });
  return digest;
}

}  // namespace orbweaver::sim
