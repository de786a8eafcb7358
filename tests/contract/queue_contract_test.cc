// The queue on every store that needs nothing: what was scheduled leaves once, across restarts.
#include <map>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "common/store/memory/memory_store.h"
#include "common/store/rocksdb/database.h"
#include "common/store/rocksdb/rocksdb_store.h"
#include "db_worker/queue/columns.h"
#include "tests/support/db_worker_harness.h"
#include "tests/support/scratch_folder.h"

namespace orbweaver {
namespace {

struct QueueStore {
  virtual ~QueueStore() = default;
  virtual Store& store() = 0;
};

struct InMemory : QueueStore {
  Store& store() override { return memory; }
  MemoryTables tables;
  MemoryStore memory{&tables, {.faults = {.shuffle_writes = true}}};
};

struct OnRocksdb : QueueStore {
  Store& store() override { return rocksdb; }
  ScratchFolder folder;
  std::unique_ptr<Database> database = *Database::Open({.folder = folder.path() / "data"});
  RocksdbStore rocksdb{*database};
};

class QueueContract : public ::testing::TestWithParam<std::string_view> {
 protected:
  QueueContract() {
    if (GetParam() == "memory") {
      kept_ = std::make_unique<InMemory>();
    } else {
      kept_ = std::make_unique<OnRocksdb>();
    }
  }

  std::unique_ptr<QueueStore> kept_;
};

TEST_P(QueueContract, WhatIsScheduledLeavesOnceAcrossRestartsAndIsErased) {
  constexpr int kHosts = 20, kOfEach = 70;
  DbWorkerHarness worker(kept_->store());
  worker.options().chunk_cache_bytes = 3000;
  worker.feed().target_lag = 64;
  worker.politeness().delay = std::chrono::milliseconds(0);
  worker.feed().max_per_domain = 7;
  const WallTime later = worker.clock().Wall() + std::chrono::minutes(3);
  for (int i = 0; i < kHosts; ++i) {
    const std::string domain = "host" + std::to_string(i) + ".com";
    worker.ScheduleMany(domain, kOfEach - 20, 0.3F);
    worker.ScheduleMany(domain, 20, 0.9F, later);
    const std::string url = "http://" + domain + "/gone";
    ScheduledRequest gone = DbWorkerHarness::RequestTo(url);
    worker.Schedule(domain, {gone});
    gone.action = ScheduleAction::kDelete;
    worker.Schedule(domain, {gone});
  }
  std::map<std::string, int> times;
  for (int look = 0; look < 3000 && times.size() < size_t{kHosts * kOfEach}; ++look) {
    if (look % 10 == 0) {
      worker.Restart();
      worker.Settle();
    }
    worker.CommitFeed();
    worker.StepOnce();
    for (const auto& sent : worker.NewInFeed()) {
      ++times[sent.url];
      EXPECT_EQ(sent.url.find("gone"), std::string::npos);
    }
  }
  EXPECT_EQ(times.size(), static_cast<size_t>(kHosts * kOfEach));
  for (const auto& [url, count] : times) EXPECT_EQ(count, 1) << url;
  // All that is left of each domain is its head.
  for (int i = 0; i < 3; ++i) worker.StepOnce();
  ASSERT_TRUE(kept_->store()
                  .Scan(Table::kQueue, {}, DbWorkerHarness::kLong,
                        [](std::string_view, std::span<const Cell> cells) {
                          EXPECT_EQ(cells.size(), 1u);
                          EXPECT_EQ(cells.front().column, kHeadColumn);
                          return true;
                        })
                  .ok());
}

INSTANTIATE_TEST_SUITE_P(Stores, QueueContract, ::testing::Values("memory", "rocksdb"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace orbweaver
