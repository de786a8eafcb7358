// Owners of a partition that die, and owners that were replaced and go on writing: whatever is left
// in the rows, the next owner sees each domain exactly as its last durable record says.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "common/base/random.h"
#include "common/base/status.h"
#include "common/metrics/metric_registry.h"
#include "common/store/memory/memory_store.h"
#include "common/store/memory/memory_tables.h"
#include "common/url/partition.h"
#include "strategy_worker/states/packed_state_store.h"
#include "tests/support/expect_ok.h"
#include "tests/support/random_state.h"

namespace orbweaver {
namespace {

constexpr Duration kTimeout = std::chrono::seconds(10);
constexpr PartitionId kPartition(3);
constexpr size_t kDomains = 5;

// A domain's states and counts at one moment.
struct Snapshot {
  std::map<Fingerprint, LinkState> states;
  uint64_t fetched = 0;
};

// A put and all that it points to.
struct OwnedPut {
  explicit OwnedPut(const RowPut& put) : row(put.row), version(put.version) {
    for (const CellPut& cell : put.cells) cells.emplace_back(cell.column, cell.value);
  }
  void Apply(MemoryTables& tables) const {
    std::vector<CellPut> views(cells.begin(), cells.end());
    tables.Put(Table::kDomains, {row, version, views});
  }
  std::string row;
  Version version;
  struct OwnedCell {
    OwnedCell(std::string_view c, std::string_view v) : column(c), value(v) {}
    operator CellPut() const { return {column, value}; }  // NOLINT(google-explicit-constructor)
    std::string column, value;
  };
  std::vector<OwnedCell> cells;
};

struct OwnedErase {
  explicit OwnedErase(const RowErase& erase)
      : row(erase.row),
        version(erase.version),
        columns(erase.columns.begin(), erase.columns.end()) {}
  void Apply(MemoryTables& tables) const {
    const std::vector<std::string_view> views(columns.begin(), columns.end());
    tables.Erase(Table::kDomains, {row, version, views});
  }
  std::string row;
  Version version;
  std::vector<std::string> columns;
};

// A flush that a deposed owner has still to write.
struct Delayed {
  std::vector<OwnedPut> first;
  std::vector<OwnedPut> second;
  std::map<std::string, Snapshot> snapshots;  // by the row of the record
};

class Partition {
 public:
  explicit Partition(uint64_t seed) : random_(seed) {
    for (size_t i = 0; i < kDomains; ++i) {
      Domain domain;
      domain.name = "site" + std::to_string(i) + ".org";
      const size_t urls = std::array<size_t, kDomains>{3, 20, 60, 300, 300}[i];
      for (size_t url = 0; url < urls; ++url) {
        uint64_t high = random_();
        // Neighbours that no split tells apart, and the ends of all keys.
        if (i == 4 && url % 4 == 0) high = 0x1234'0000'0000'0000u | high >> 20;
        if (url == 1) high = 0;
        if (url == 2) high = ~uint64_t{0};
        domain.fingerprints.push_back({high, random_()});
      }
      domains_.push_back(std::move(domain));
    }
    TakeOver();
  }

  void Step() {
    const uint64_t kind = random_.Below(20);
    if (kind < 12) {
      Work();
    } else if (kind < 17) {
      Flush();
    } else if (kind == 17 && !delayed_.empty()) {
      LetTheDeposedWrite();
    } else if (kind == 18) {
      for (const OwnedErase& erase : late_erases_) erase.Apply(tables_);
      late_erases_.clear();
    } else if (kind == 19 && random_.Chance(0.3)) {
      if (random_.Chance(0.5)) Depose();
      TakeOver();
    }
  }

  void CheckAll() {
    for (size_t i = 0; i < domains_.size(); ++i) Check(i, domains_[i].fingerprints);
  }

 private:
  struct Domain {
    std::string name;
    std::vector<Fingerprint> fingerprints;
    std::optional<Version> version;  // of the record that shows
    Snapshot durable;                // as it says
    Snapshot current;                // as the owner knows it
  };

  void TakeOver() {
    ++epoch_;
    flush_ = 0;
    store_ = std::make_unique<MemoryStore>(
        &tables_,
        MemoryStoreOptions{.faults = {.seed = random_(), .unavailable = 0.1, .lost_answer = 0.1}});
    states_ = std::make_unique<PackedStateStore>(
        *store_, SystemClock(),
        StateOptions{.cache_bytes = random_.Chance(0.5) ? 3000u : 30'000u,
                     .inline_bytes = 150,
                     .max_deltas = random_.Below(4),
                     .shard_urls = 30,
                     .shard_bytes = 2000},
        metrics_);
    for (Domain& domain : domains_) domain.current = domain.durable;
  }

  std::vector<Fingerprint> Some(const Domain& domain) {
    std::vector<Fingerprint> some;
    for (const Fingerprint fingerprint : domain.fingerprints) {
      if (random_.Chance(0.1)) some.push_back(fingerprint);
    }
    return some;
  }

  // How many of them were met.
  size_t Load(std::span<const StateRequest> requests) {
    absl::StatusOr<size_t> loaded = size_t{0};
    for (int tries = 0; tries < 100; ++tries) {
      loaded = states_->Load(requests, kTimeout);
      if (!IsRetry(loaded.status())) break;
    }
    EXPECT_OK(loaded);
    EXPECT_GE(loaded.value_or(0), 1u);
    return loaded.value_or(0);
  }

  void Check(size_t index, const std::vector<Fingerprint>& fingerprints) {
    const Domain& domain = domains_[index];
    const StateRequest request{domain.name, kPartition, fingerprints};
    Load({&request, 1});
    Compare(domain, fingerprints);
  }

  void Compare(const Domain& domain, const std::vector<Fingerprint>& fingerprints) {
    DomainStates* const loaded = states_->Find(domain.name);
    ASSERT_NE(loaded, nullptr);
    EXPECT_EQ(loaded->record().fetched, domain.current.fetched) << domain.name;
    EXPECT_EQ(loaded->record().known_urls, domain.current.states.size()) << domain.name;
    if (fingerprints.empty()) return;
    std::vector<LinkState> states(fingerprints.size());
    const auto known = std::make_unique<bool[]>(fingerprints.size());
    loaded->Find(fingerprints, states, {known.get(), fingerprints.size()});
    for (size_t i = 0; i < fingerprints.size(); ++i) {
      const auto expected = domain.current.states.find(fingerprints[i]);
      ASSERT_EQ(known[i], expected != domain.current.states.end()) << domain.name << ' ' << i;
      if (known[i]) ASSERT_EQ(states[i], expected->second) << domain.name << ' ' << i;
    }
  }

  // As the core does with a batch: loads, looks, changes.
  void Work() {
    std::vector<std::vector<Fingerprint>> wanted;
    std::vector<StateRequest> requests;
    for (const Domain& domain : domains_) {
      wanted.push_back(random_.Chance(0.6) ? Some(domain) : std::vector<Fingerprint>());
    }
    for (size_t i = 0; i < domains_.size(); ++i) {
      requests.push_back({domains_[i].name, kPartition, wanted[i]});
    }
    size_t loaded_to = 0;
    for (size_t i = 0; i < domains_.size(); ++i) {
      if (i == loaded_to) {
        const size_t loaded = Load(std::span(requests).subspan(i));
        if (loaded == 0) return;
        loaded_to += loaded;
      }
      Domain& domain = domains_[i];
      Compare(domain, wanted[i]);
      DomainStates* const loaded = states_->Find(domain.name);
      if (random_.Chance(0.3)) {
        loaded->record().fetched = ++domain.current.fetched;
        loaded->MarkChanged();
      }
      if (random_.Chance(0.1)) {
        loaded->ForgetQueued();
        for (auto& [fingerprint, state] : domain.current.states) {
          if (state.status == LinkStatus::kQueued) state.status = StatusOutOfQueue(state);
        }
        Compare(domain, wanted[i]);
      }
      if (random_.Chance(0.02)) {
        loaded->Forget();
        domain.current = {};
        Compare(domain, wanted[i]);
      }
      for (const Fingerprint fingerprint : wanted[i]) {
        if (!random_.Chance(0.5)) continue;
        const LinkState state = RandomState(random_);
        loaded->Set(fingerprint, state);
        domain.current.states[fingerprint] = state;
      }
    }
  }

  Delayed FlushOf(Version version, std::vector<std::string>* names) {
    std::vector<RowPut> first, second;
    states_->Flush(kPartition, version, &first, &second);
    Delayed flush{{first.begin(), first.end()}, {second.begin(), second.end()}, {}};
    for (const OwnedPut& put : flush.second) {
      for (const Domain& domain : domains_) {
        if (ShardRow(DomainRow(domain.name), 0) != put.row) continue;
        flush.snapshots[put.row] = domain.current;
        names->push_back(domain.name);
      }
    }
    EXPECT_EQ(flush.snapshots.size(), flush.second.size());
    return flush;
  }

  Version NextVersion() { return Version(epoch_ << 18 | ++flush_); }

  // Part of a list, in any order, as a crash leaves it.
  void ApplySome(std::vector<OwnedPut> puts) {
    for (const OwnedPut& put : puts) {
      if (random_.Chance(0.5)) put.Apply(tables_);
    }
  }

  void ApplyRecord(const OwnedPut& put, const Snapshot& snapshot) {
    put.Apply(tables_);
    for (Domain& domain : domains_) {
      if (ShardRow(DomainRow(domain.name), 0) != put.row) continue;
      if (domain.version.has_value() && *domain.version > put.version) continue;
      domain.version = put.version;
      domain.durable = snapshot;
    }
  }

  void Flush() {
    std::vector<std::string> names;
    Delayed flush = FlushOf(NextVersion(), &names);
    if (random_.Chance(0.15)) {  // dies before the records
      ApplySome(flush.first);
      return TakeOver();
    }
    for (const OwnedPut& put : flush.first) put.Apply(tables_);
    const bool dies = random_.Chance(0.15);
    for (const OwnedPut& put : flush.second) {
      if (!dies || random_.Chance(0.5)) ApplyRecord(put, flush.snapshots[put.row]);
    }
    if (dies) return TakeOver();
    // The next batch is worked on while this one is on its way.
    if (random_.Chance(0.5)) Work();
    states_->Flushed();
    if (random_.Chance(0.3)) return;
    std::vector<RowErase> erases;
    states_->TakeGarbage(&erases);
    for (const RowErase& erase : erases) {
      if (random_.Chance(0.3)) late_erases_.emplace_back(erase);
      if (random_.Chance(0.6)) OwnedErase(erase).Apply(tables_);
    }
  }

  // The owner is only slow: what it is about to write comes later, when another one is at work.
  void Depose() {
    std::vector<std::string> names;
    Delayed flush = FlushOf(NextVersion(), &names);
    ApplySome(flush.first);
    delayed_.push_back(std::move(flush));
  }

  void LetTheDeposedWrite() {
    const Delayed flush = std::move(delayed_.back());
    delayed_.pop_back();
    if (random_.Chance(0.3)) return ApplySome(flush.first);
    for (const OwnedPut& put : flush.first) put.Apply(tables_);
    bool is_seen = false;
    for (const OwnedPut& put : flush.second) {
      if (random_.Chance(0.3)) continue;
      ApplyRecord(put, flush.snapshots.at(put.row));
      for (const Domain& domain : domains_) is_seen |= domain.version == put.version;
    }
    // Where the present owner has written nothing yet, that is now what there is. It knows the
    // domain as it was before or after that; the next owner only as it is after.
    if (is_seen) TakeOver();
  }

  Random random_;
  MemoryTables tables_;
  MetricRegistry registry_;
  StateMetrics metrics_{registry_};
  std::vector<Domain> domains_;
  uint64_t epoch_ = 0;
  uint64_t flush_ = 0;
  std::unique_ptr<MemoryStore> store_;
  std::unique_ptr<PackedStateStore> states_;
  std::vector<Delayed> delayed_;
  std::vector<OwnedErase> late_erases_;
};

TEST(StatesCrashTest, EveryOwnerSeesTheLastDurableRecordOfEachDomainAndItsStates) {
  const char* const seeds = std::getenv("ORBWEAVER_STATES_SEEDS");
  const uint64_t count = seeds == nullptr ? 60 : std::stoull(seeds);
  for (uint64_t seed = 0; seed < count; ++seed) {
    Partition partition(seed);
    for (int step = 0; step < 120; ++step) {
      partition.Step();
      if (HasFatalFailure() || HasNonfatalFailure()) break;
    }
    partition.CheckAll();
    ASSERT_FALSE(HasFailure()) << "seed " << seed;
  }
}

}  // namespace
}  // namespace orbweaver
