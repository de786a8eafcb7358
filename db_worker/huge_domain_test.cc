// The whole worker and domains as large as they come: no call to the store may ask for all of one.
#include <algorithm>
#include <string>
#include <vector>

#include "fmt/format.h"
#include <gtest/gtest.h>

#include "common/base/check.h"
#include "common/store/memory/memory_store.h"
#include "db_worker/queue/chunk.h"
#include "db_worker/queue/columns.h"
#include "tests/support/db_worker_harness.h"

namespace orbweaver {
namespace {

constexpr size_t kMostCells = 256;
constexpr size_t kMostErased = 2000;
constexpr int kBand = 4;
constexpr uint64_t kWriter = 1;

// Keeps the most that one call took.
class GaugedStore : public MemoryStore {
 public:
  explicit GaugedStore(MemoryTables* tables) : MemoryStore(tables, {}) {}

  absl::Status MultiGet(Table table, std::span<const RowGet> gets, Duration timeout,
                        Rows* rows) override {
    size_t cells = 0;
    for (const RowGet& get : gets) cells += get.columns.size();
    got = std::max(got, cells);
    return MemoryStore::MultiGet(table, gets, timeout, rows);
  }
  absl::Status Write(Table table, std::span<const RowPut> puts, Duration timeout,
                     std::vector<uint32_t>* remaining) override {
    size_t cells = 0;
    for (const RowPut& put : puts) cells += put.cells.size();
    written = std::max(written, cells);
    return MemoryStore::Write(table, puts, timeout, remaining);
  }
  absl::Status Erase(Table table, std::span<const RowErase> erases, Duration timeout) override {
    size_t cells = 0;
    for (const RowErase& erase : erases) cells += erase.columns.size();
    erased = std::max(erased, cells);
    return MemoryStore::Erase(table, erases, timeout);
  }

  size_t got = 0;
  size_t written = 0;
  size_t erased = 0;
};

class HugeDomainTest : public ::testing::Test {
 protected:
  HugeDomainTest() { worker_.politeness().delay = std::chrono::milliseconds(0); }

  void Put(const std::string& domain, const std::string& column, std::string_view value) {
    const std::string row = DomainRow(domain);
    const CellPut cell{column, value};
    const RowPut put{row, Version(1), {&cell, 1}};
    std::vector<uint32_t> remaining;
    CHECK_OK(tables_store_.Write(Table::kQueue, {&put, 1}, DbWorkerHarness::kLong, &remaining));
  }

  // Chunks of two requests, as an owner before left them; `applied`, if there is one, took all out.
  void PutQueue(const std::string& domain, int chunks, std::optional<Watermark> applied) {
    Head head;
    head.applied = applied.value_or(Watermark{});
    for (int i = 0; i < chunks; ++i) {
      ChunkWriter writer;
      for (int n = 0; n < 2; ++n) {
        const std::string url = fmt::format("http://{}/{}", domain, 2 * i + n);
        std::string encoded;
        EncodeRequest({.url = url, .fingerprint = FingerprintOf(url)}, &encoded);
        writer.Add(encoded);
      }
      Chunk chunk = writer.Finish();
      if (applied.has_value()) chunk = chunk.WithTakenOut({{0, *applied}, {1, *applied}});
      head.bands[kBand].Append(2, kWriter);
      Put(domain, BandColumn(head, kBand, static_cast<uint64_t>(i)), chunk.bytes());
    }
    if (!applied.has_value()) head.bands[kBand].waiting = 2 * static_cast<uint64_t>(chunks);
    PutHead(domain, head);
  }
  void PutHead(const std::string& domain, const Head& head) {
    std::string packed;
    EncodeHead(head, &packed);
    Put(domain, std::string(kHeadColumn), packed);
  }

  MemoryTables tables_;
  MemoryStore tables_store_{&tables_, {}};
  GaugedStore store_{&tables_};
  DbWorkerHarness worker_{store_};
};

TEST_F(HugeDomainTest, TheActionsOfABatchShareOneSearchAndNoneReadsTheDomainAtOnce) {
  constexpr int kChunks = 4000;
  constexpr int kActions = 1000;
  PutQueue("huge.com", kChunks, {});
  worker_.Settle();
  for (int i = 0; i < kActions; ++i) {
    const std::string url = fmt::format("http://huge.com/{}", i * 8);
    ScheduledRequest request = DbWorkerHarness::RequestTo(url, 1);
    request.action = i % 2 == 0 ? ScheduleAction::kRaise : ScheduleAction::kDelete;
    worker_.Schedule("huge.com", {request});
  }
  worker_.Settle();
  EXPECT_EQ(worker_.metrics().taken_out.value(), kActions);
  // Those with something to mark are read again.
  EXPECT_EQ(worker_.metrics().chunks_read.value(), kChunks + kActions);
  EXPECT_EQ(store_.got, kMostCells);
  EXPECT_LE(store_.written, kMostCells + 1);
  const DomainReport report = *worker_.core().Inspect("huge.com");
  EXPECT_EQ(report.waiting[0], kActions / 2);
  EXPECT_EQ(report.waiting[kBand], 2 * kChunks - kActions);
}

TEST_F(HugeDomainTest, ASearchEndsWhereNothingElseCanMatter) {
  PutQueue("huge.com", 4000, {});
  worker_.Settle();
  ScheduledRequest raise = DbWorkerHarness::RequestTo("http://huge.com/7", 0.4F);
  raise.action = ScheduleAction::kRaise;
  worker_.Schedule("huge.com", {raise});
  worker_.Settle();
  EXPECT_EQ(worker_.metrics().taken_out.value(), 0u);
  EXPECT_EQ(worker_.metrics().chunks_read.value(), kMostCells);
  // To later: never.
  raise.not_before = worker_.clock().Wall() + std::chrono::minutes(1);
  worker_.Schedule("huge.com", {raise});
  worker_.Settle();
  EXPECT_EQ(worker_.metrics().chunks_read.value(), kMostCells);
}

TEST_F(HugeDomainTest, ADomainAllOfWhichWasTakenOutIsPassedOnceAndHoldsNobodyUp) {
  constexpr uint64_t kChunks = 4000;
  PutQueue("huge.com", kChunks, Watermark{1, Offset(0), 0});
  worker_.Settle();
  worker_.ScheduleMany("other.com", 10, 0.1F);
  worker_.Settle();
  uint64_t read = worker_.metrics().chunks_read.value();
  for (int i = 0; i < 3; ++i) {
    worker_.CommitFeed();
    worker_.StepOnce();
    EXPECT_LE(worker_.metrics().chunks_read.value() - read, 2 * kMostCells);
    read = worker_.metrics().chunks_read.value();
  }
  EXPECT_EQ(worker_.metrics().requests_sent.value(), 10u);
  EXPECT_LT(read, kChunks);
  for (int i = 0; i < 100; ++i) {
    worker_.CommitFeed();
    worker_.StepOnce();
  }
  EXPECT_EQ(worker_.metrics().chunks_read.value(), kChunks);
  EXPECT_EQ(worker_.metrics().requests_sent.value(), 10u);
}

TEST_F(HugeDomainTest, APurgedDomainIsErasedInPortions) {
  constexpr uint64_t kChunks = 50'000;
  Head head;
  while (head.bands[kBand].next < kChunks) head.bands[kBand].Append(1, kWriter);
  head.bands[kBand].first = kChunks;
  head.next_bucket = 1;
  head.garbage = {
      {.due = {.start_s = 1, .level = 0}, .id = 0, .writer = kWriter, .first = 0, .next = kChunks}};
  PutHead("huge.com", head);
  for (const uint64_t kept : {uint64_t{0}, kChunks / 2, kChunks - 1}) {
    Put("huge.com", BandColumn(head, kBand, kept), "chunk");
    Put("huge.com", DelayedColumn(head.garbage[0], static_cast<uint32_t>(kept)), "chunk");
  }
  Put("huge.com", BandColumn(head, kBand, kChunks), "not garbage");
  worker_.Settle();
  // A checkpoint comes with what is sent.
  for (int i = 0; i < 5; ++i) {
    worker_.ScheduleMany("other.com", 1);
    worker_.Settle();
    worker_.CommitFeed();
    worker_.StepOnce();
  }
  EXPECT_EQ(worker_.metrics().chunks_erased.value() / (2 * kChunks), 1u);
  EXPECT_LE(store_.erased, kMostErased);
  const std::string row = DomainRow("huge.com");
  const RowGet all{.row = row, .columns = {}};
  Rows rows;
  CHECK_OK(store_.MultiGet(Table::kQueue, {&all, 1}, DbWorkerHarness::kLong, &rows));
  EXPECT_EQ(rows[0].size(), 2u) << "the head, and what is not garbage";
}

TEST_F(HugeDomainTest, ManyBucketsThatOpenTogetherAreReadInPortions) {
  // Of 100 domains, 20 chunks each.
  constexpr int kDomains = 100;
  constexpr int kChunks = 20;
  for (int d = 0; d < kDomains; ++d) {
    const std::string domain = fmt::format("huge{}.com", d);
    Head head;
    const WallTime now = worker_.clock().Wall();
    DelayedBucket& bucket = head.BucketFor(now + std::chrono::minutes(5), now, kWriter);
    for (int i = 0; i < kChunks; ++i) {
      const std::string url = fmt::format("http://{}/{}", domain, i);
      std::string encoded;
      EncodeRequest({.url = url, .fingerprint = FingerprintOf(url)}, &encoded);
      ChunkWriter writer;
      writer.Add(encoded);
      Put(domain, DelayedColumn(bucket, bucket.next++), writer.Finish().bytes());
      ++bucket.waiting;
    }
    PutHead(domain, head);
  }
  worker_.Settle();
  worker_.clock().Advance(std::chrono::minutes(7));
  store_.got = 0;
  for (int i = 0; i < 1000 && worker_.metrics().requests_sent.value() < kDomains * kChunks; ++i) {
    worker_.CommitFeed();
    worker_.StepOnce();
  }
  EXPECT_EQ(worker_.metrics().requests_sent.value(), kDomains * kChunks);
  EXPECT_LE(store_.got, 1000u);
}

}  // namespace
}  // namespace orbweaver
