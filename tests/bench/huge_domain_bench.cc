// The largest domain that there is: ten million URLs, two million of them queued. Memory and time
// of a batch when the cache does not hold the domain, of the worst single event, and of giving the
// domain up. Bound by CPU (decoding of shards); the store is memory.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "fmt/format.h"

#include "common/base/random.h"
#include "common/base/status.h"
#include "common/store/memory/memory_store.h"
#include "common/store/memory/memory_tables.h"
#include "strategy_worker/states/packed_state_store.h"
#include "tests/bench/bench.h"
#include "tests/bench/heap.h"

namespace orbweaver {
namespace {

constexpr Duration kTimeout = std::chrono::minutes(5);
constexpr PartitionId kPartition(0);
constexpr std::string_view kDomain = "huge.com";
constexpr size_t kUrls = 10'000'000;
constexpr size_t kQueuedOf = 5;  // one URL in so many
constexpr size_t kEvents = 200;
constexpr size_t kLinksOfAPage = 60;
constexpr size_t kLinksOfTheWorstEvent = 10'000;
constexpr double kMegabyte = 1 << 20;

Fingerprint UrlOf(size_t url) {
  Random random(url);
  return {random(), random()};
}

// The domain, in rows of a memory store.
class HugeDomain {
 public:
  absl::Status Fill() {
    PackedStateStore states(store_, SystemClock(), {.cache_bytes = uint64_t{1} << 40}, metrics_);
    constexpr size_t kUrlsOfAFlush = 500'000;
    for (size_t begin = 0; begin < kUrls; begin += kUrlsOfAFlush) {
      std::vector<Fingerprint> urls;
      for (size_t i = 0; i < kUrlsOfAFlush; ++i) urls.push_back(UrlOf(begin + i));
      const StateRequest request{.domain = kDomain, .partition = kPartition, .fingerprints = urls};
      RETURN_IF_ERROR(states.Load({&request, 1}, kTimeout).status());
      for (size_t i = 0; i < urls.size(); ++i) {
        const auto status = i % kQueuedOf == 0 ? LinkStatus::kQueued : LinkStatus::kNotCrawled;
        states.Find(kDomain)->Set(urls[i], {.status = status, .depth = 3});
      }
      RETURN_IF_ERROR(Write(states));
    }
    return absl::OkStatus();
  }

  std::unique_ptr<PackedStateStore> Open(uint64_t cache_bytes) {
    return std::make_unique<PackedStateStore>(store_, SystemClock(),
                                              StateOptions{.cache_bytes = cache_bytes}, metrics_);
  }

  absl::Status Write(PackedStateStore& states) {
    std::vector<RowPut> first, second;
    std::vector<uint32_t> remaining;
    states.Flush(kPartition, Version(++version_), &first, &second);
    RETURN_IF_ERROR(store_.Write(Table::kDomains, first, kTimeout, &remaining));
    RETURN_IF_ERROR(store_.Write(Table::kDomains, second, kTimeout, &remaining));
    states.Flushed();
    return absl::OkStatus();
  }

 private:
  MemoryTables tables_;
  MemoryStore store_{&tables_, {}};
  MetricRegistry registry_;
  StateMetrics metrics_{registry_};
  uint64_t version_ = 0;
};

std::vector<Fingerprint> SomeUrls(size_t count, Random& random) {
  std::vector<Fingerprint> urls;
  for (size_t i = 0; i < count; ++i) urls.push_back(UrlOf(random.Below(kUrls)));
  return urls;
}

// The events of one batch: as portions, a request an event, or as one request, as if the domain
// were to be loaded with all shards that the batch touches.
absl::Status ApplyBatch(HugeDomain& domain, uint64_t cache_bytes, bool in_portions,
                        BenchReport& report) {
  Random random(7);
  std::vector<std::vector<Fingerprint>> events;
  std::vector<Fingerprint> all;
  for (size_t i = 0; i < kEvents; ++i) {
    events.push_back(SomeUrls(kLinksOfAPage, random));
    all.insert(all.end(), events.back().begin(), events.back().end());
  }
  std::vector<StateRequest> requests;
  if (!in_portions) events = {all};
  for (const auto& urls : events) {
    requests.push_back({.domain = kDomain, .partition = kPartition, .fingerprints = urls});
  }
  const size_t heap = HeapBytes();
  const auto states = domain.Open(cache_bytes);
  const CpuTimer timer;
  size_t most = 0, portions = 0;
  for (std::span<const StateRequest> rest = requests; !rest.empty(); ++portions) {
    ASSIGN_OR_RETURN(const size_t met, states->Load(rest, kTimeout));
    most = std::max(most, HeapBytes() - heap);
    rest = rest.subspan(met);
  }
  const std::string name =
      fmt::format("huge_batch_{}mb_{}", cache_bytes >> 20, in_portions ? "in_portions" : "at_once");
  report.Add(name + "_peak", static_cast<double>(most) / kMegabyte, "MB", timer.CpuSeconds(),
             timer.WallSeconds(), fmt::format("{} portions", portions));
  report.AddRate(name, kEvents, "events/cpu_s", timer, "CPU: decoding of shards");
  return absl::OkStatus();
}

absl::Status WorstEvent(HugeDomain& domain, BenchReport& report) {
  Random random(8);
  const std::vector<Fingerprint> urls = SomeUrls(kLinksOfTheWorstEvent, random);
  const size_t heap = HeapBytes();
  const auto states = domain.Open(uint64_t{64} << 20);
  const CpuTimer timer;
  const StateRequest request{.domain = kDomain, .partition = kPartition, .fingerprints = urls};
  RETURN_IF_ERROR(states->Load({&request, 1}, kTimeout).status());
  report.Add("huge_worst_event_peak", static_cast<double>(HeapBytes() - heap) / kMegabyte, "MB",
             timer.CpuSeconds(), timer.WallSeconds(), "every shard of the domain");
  return absl::OkStatus();
}

absl::Status PurgeDomain(HugeDomain& domain, uint64_t cache_bytes, bool all_loaded,
                         BenchReport& report) {
  const size_t heap = HeapBytes();
  const auto states = domain.Open(cache_bytes);
  const StateRequest request{
      .domain = kDomain, .partition = kPartition, .fingerprints = {}, .all_states = all_loaded};
  const std::string name = all_loaded ? "huge_give_up_all_in_memory" : "huge_give_up";
  const CpuTimer timer;
  RETURN_IF_ERROR(states->Load({&request, 1}, kTimeout).status());
  states->Find(kDomain)->ForgetQueued();
  const size_t most = HeapBytes() - heap;
  RETURN_IF_ERROR(domain.Write(*states));
  report.Add(name, timer.CpuSeconds() * 1000, "ms", timer.CpuSeconds(), timer.WallSeconds(),
             fmt::format("{:.1f} MB at most", static_cast<double>(most) / kMegabyte));
  return absl::OkStatus();
}

absl::Status RunAll(BenchReport& report) {
  HugeDomain domain;
  const CpuTimer filling;
  RETURN_IF_ERROR(domain.Fill());
  report.AddRate("huge_fill", kUrls, "states/cpu_s", filling, "CPU");
  for (const uint64_t megabytes : {64, 1024}) {
    for (const bool in_portions : {false, true}) {
      RETURN_IF_ERROR(ApplyBatch(domain, megabytes << 20, in_portions, report));
    }
  }
  RETURN_IF_ERROR(WorstEvent(domain, report));
  RETURN_IF_ERROR(PurgeDomain(domain, uint64_t{64} << 20, /*all_loaded=*/false, report));
  return PurgeDomain(domain, uint64_t{1} << 40, /*all_loaded=*/true, report);
}

void HugeDomainBench(BenchReport& report) {
  const absl::Status status = RunAll(report);
  if (!status.ok()) report.Fail("huge", MessageOf(status));
}

ORBWEAVER_BENCH("huge_domain", HugeDomainBench);

}  // namespace
}  // namespace orbweaver
