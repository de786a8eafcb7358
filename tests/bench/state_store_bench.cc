// Link states of a strategy worker: what they take in memory, and what looking them up, changing,
// flushing and loading them costs. One URL in ten was crawled. All but the first cases are bound by
// CPU, and by memory where the states do not fit into the processor's caches.
#include <memory>
#include <string>
#include <vector>

#include "fmt/format.h"

#include "common/base/check.h"
#include "common/base/random.h"
#include "common/base/status.h"
#include "common/store/memory/memory_store.h"
#include "common/store/memory/memory_tables.h"
#include "strategy_worker/states/block.h"
#include "strategy_worker/states/packed_state_store.h"
#include "tests/bench/bench.h"
#include "tests/bench/heap.h"

namespace orbweaver {
namespace {

constexpr Duration kTimeout = std::chrono::minutes(1);
constexpr PartitionId kPartition(0);
constexpr size_t kLinksOfAPage = 60;

std::string DomainName(size_t index) { return "some-site-" + std::to_string(index) + ".com"; }

Fingerprint UrlOf(size_t domain, size_t url) {
  Random random(domain << 20 | url);
  return {random(), random()};
}

LinkState StateOf(size_t url) {
  LinkState state;
  state.status = LinkStatus::kQueued;
  state.depth = 3;
  if (url % 10 != 0) return state;
  state.status = LinkStatus::kCrawled;
  state.fetches = 1;
  state.http_status = 200;
  state.fetched_at = WallTime(std::chrono::hours(24 * 365 * 56));
  state.content_hash = url * 0x9e3779b97f4a7c15u;
  return state;
}

// A table `domains` that no memory is spent on: every row is made up when it is read.
class MadeUpStore : public Store {
 public:
  explicit MadeUpStore(size_t urls) : urls_(urls) {}

  absl::Status MultiGet(Table, std::span<const RowGet> gets, Duration, Rows* rows) override {
    rows->Clear();
    for (size_t i = 0; i < gets.size(); ++i) AddRow(rows);
    return absl::OkStatus();
  }
  absl::Status Write(Table, std::span<const RowPut>, Duration, std::vector<uint32_t>*) override {
    return FatalError("made-up store: it cannot be written");
  }
  absl::Status Erase(Table, std::span<const RowErase>, Duration) override {
    return FatalError("made-up store: it cannot be written");
  }
  absl::Status Scan(Table, const ScanRange&, Duration, Visitor) override {
    return FatalError("made-up store: it cannot be scanned");
  }

  uint64_t states() const { return states_; }

 private:
  // From none to twice as many URLs as on average.
  void AddRow(Rows* rows) {
    LinkSet links;
    LinkPacker packer;
    const size_t urls = 1 + domain_ * 7919 % (2 * urls_ - 1);
    for (size_t url = 0; url < urls; ++url) {
      links.Put(UrlOf(domain_, url).high, packer.Pack(StateOf(url)));
    }
    DomainRecord record;
    record.applied = {.topic_epoch = 1, .offset = Offset(1'000'000), .part = 0};
    record.known_urls = urls;
    record.fetched = urls / 10;
    record.scheduled = urls;
    record.strategy_name = "breadth_first";
    record.strategy_version = 1;
    std::string states;
    EncodeBase(links, /*purges=*/0, &states);
    const Version version(1'000'000);
    if (states.size() > StateOptions().inline_bytes) {
      record.manifest.push_back({.first = 0, .last_block = version});
      rows->AddCell(BaseColumn(version), states, version);
      states.clear();
    }
    rows->AddCell(kRecordColumn, EncodeDomainRecord(record) + states, version);
    rows->EndRow();
    states_ += urls;
    ++domain_;
  }

  const size_t urls_;
  size_t domain_ = 0;
  uint64_t states_ = 0;
};

// The bytes of a state when `states` of them are cached, in domains of `urls` on average: the
// growth of the heap, with all that belongs to the domains.
absl::Status BytesPerState(std::string_view name, uint64_t states, size_t urls,
                           BenchReport& report) {
  MetricRegistry registry;
  StateMetrics metrics(registry);
  MadeUpStore made_up(urls);
  const size_t before = HeapBytes();
  const CpuTimer timer;
  PackedStateStore store(made_up, SystemClock(), {.cache_bytes = uint64_t{1} << 40}, metrics);
  for (size_t next = 0; made_up.states() < states;) {
    std::vector<std::string> names;
    for (size_t i = 0; i < 1000; ++i) names.push_back(DomainName(next++));
    std::vector<StateRequest> requests;
    const Fingerprint any = UrlOf(0, 0);
    for (const std::string& domain : names) requests.push_back({domain, kPartition, {&any, 1}});
    RETURN_IF_ERROR(store.Load(requests, kTimeout).status());
  }
  const auto count = static_cast<double>(made_up.states());
  report.Add(
      name, static_cast<double>(HeapBytes() - before) / count, "bytes", timer.CpuSeconds(),
      timer.WallSeconds(),
      fmt::format("{:.1f} by its own count", static_cast<double>(store.cached_bytes()) / count));
  return absl::OkStatus();
}

// Domains with states in a MemoryStore, and pages that link to them: 54 known URLs and 6 new ones.
class Workload {
 public:
  Workload(size_t domains, size_t urls)
      : urls_(urls), memory_(&tables_, {}), metrics_(registry_), fresh_(domains, urls) {
    for (size_t i = 0; i < domains; ++i) names_.push_back(DomainName(i));
    Open();
  }

  void Open() {
    store_ = std::make_unique<PackedStateStore>(
        memory_, SystemClock(), StateOptions{.cache_bytes = uint64_t{1} << 40}, metrics_);
  }

  absl::Status Load() {
    const Fingerprint any = UrlOf(0, 0);
    std::vector<StateRequest> requests;
    for (const std::string& name : names_) requests.push_back({name, kPartition, {&any, 1}});
    return store_->Load(requests, kTimeout).status();
  }

  absl::Status Fill() {
    RETURN_IF_ERROR(Load());
    for (size_t domain = 0; domain < names_.size(); ++domain) {
      DomainStates* const states = store_->Find(names_[domain]);
      for (size_t url = 0; url < urls_; ++url) states->Set(UrlOf(domain, url), StateOf(url));
    }
    return Write();
  }

  absl::Status Write() {
    std::vector<RowPut> first, second;
    std::vector<uint32_t> remaining;
    Flush(&first, &second);
    RETURN_IF_ERROR(memory_.Write(Table::kDomains, first, kTimeout, &remaining));
    RETURN_IF_ERROR(memory_.Write(Table::kDomains, second, kTimeout, &remaining));
    store_->Flushed();
    return absl::OkStatus();
  }
  void Flush(std::vector<RowPut>* first, std::vector<RowPut>* second) {
    store_->Flush(kPartition, Version(++version_), first, second);
  }
  PackedStateStore& store() { return *store_; }

  size_t domains() const { return names_.size(); }
  DomainStates& domain(size_t index) { return *store_->Find(names_[index]); }

  std::vector<Fingerprint> Known(size_t domain, size_t count) {
    std::vector<Fingerprint> known;
    for (size_t i = 0; i < count; ++i) known.push_back(UrlOf(domain, random_.Below(urls_)));
    return known;
  }
  Fingerprint New(size_t domain) { return UrlOf(domain, fresh_[domain]++); }

 private:
  const size_t urls_;
  MemoryTables tables_;
  MemoryStore memory_;
  MetricRegistry registry_;
  StateMetrics metrics_;
  std::unique_ptr<PackedStateStore> store_;
  std::vector<std::string> names_;
  std::vector<size_t> fresh_;
  Random random_{1};
  uint64_t version_ = 0;
};

struct Page {
  size_t domain;
  std::vector<Fingerprint> links;
};

void FindLinks(std::string_view name, Workload& load, const std::vector<Page>& pages,
               BenchReport& report) {
  std::vector<LinkState> states(kLinksOfAPage);
  bool known[kLinksOfAPage];
  size_t found = 0;
  const CpuTimer timer;
  for (const Page& page : pages) {
    load.domain(page.domain).Find(page.links, states, known);
    for (const bool is_known : known) found += is_known ? 1 : 0;
  }
  report.AddRate(name, static_cast<double>(pages.size() * kLinksOfAPage), "links/cpu_s", timer,
                 "CPU, memory");
  CHECK(found == pages.size() * 54);
}

absl::Status Costs(std::string_view suffix, size_t domains, size_t urls, BenchReport& report) {
  const auto named = [suffix](std::string_view name) { return fmt::format("{}_{}", name, suffix); };
  Workload load(domains, urls);
  RETURN_IF_ERROR(load.Fill());
  load.Open();
  const CpuTimer loading;
  RETURN_IF_ERROR(load.Load());
  report.AddRate(named("states_load"), static_cast<double>(domains * urls), "states/cpu_s", loading,
                 "CPU: memory store, decoding");
  const CpuTimer again;
  RETURN_IF_ERROR(load.Load());
  report.AddRate(named("states_load_cached"), static_cast<double>(domains), "domains/cpu_s", again,
                 "CPU: hash table");

  std::vector<Page> pages;
  Random random(2);
  for (size_t i = 0; i < 20'000; ++i) {
    const size_t domain = random.Below(domains);
    pages.push_back({domain, load.Known(domain, 54)});
    for (int link = 0; link < 6; ++link) pages.back().links.push_back(load.New(domain));
  }
  FindLinks(named("states_find"), load, pages, report);

  const CpuTimer setting;
  for (const Page& page : pages) {
    DomainStates& states = load.domain(page.domain);
    for (size_t i = 54; i < kLinksOfAPage; ++i) states.Set(page.links[i], StateOf(1));
  }
  report.AddRate(named("states_set"), static_cast<double>(pages.size() * 6), "links/cpu_s", setting,
                 "CPU, memory");

  constexpr size_t kPagesOfAFlush = 1000;
  CpuTimer flushing;
  double cpu = 0, wall = 0;
  RETURN_IF_ERROR(load.Write());
  for (size_t i = 0; i < pages.size(); ++i) {
    load.domain(pages[i].domain).Set(load.New(pages[i].domain), StateOf(1));
    if ((i + 1) % kPagesOfAFlush != 0) continue;
    std::vector<RowPut> first, second;
    flushing = CpuTimer();
    load.Flush(&first, &second);
    load.store().Flushed();
    cpu += flushing.CpuSeconds();
    wall += flushing.WallSeconds();
  }
  report.Add(named("states_flush"), static_cast<double>(pages.size()) / cpu, "pages/cpu_s", cpu,
             wall, "CPU: encoding");
  return absl::OkStatus();
}

absl::Status RunAll(BenchReport& report) {
  RETURN_IF_ERROR(BytesPerState("cache_bytes_per_state", 30'000'000, 100, report));
  RETURN_IF_ERROR(BytesPerState("cache_bytes_per_state_small", 3'000'000, 10, report));
  RETURN_IF_ERROR(Costs("1000x100", 1000, 100, report));
  RETURN_IF_ERROR(Costs("30000x100", 30'000, 100, report));
  return Costs("20x50000", 20, 50'000, report);
}

void StateStoreBench(BenchReport& report) {
  const absl::Status status = RunAll(report);
  if (!status.ok()) report.Fail("states", MessageOf(status));
}

ORBWEAVER_BENCH("strategy_worker", StateStoreBench);

}  // namespace
}  // namespace orbweaver
