// The store against a Thrift server that misbehaves. tests/contract covers a well-behaved one, on a
// real HBase.
#include "common/store/hbase/hbase_store.h"

#include <atomic>
#include <numeric>
#include <thread>

#include <gtest/gtest.h>

#include "common/base/status.h"
#include "common/store/hbase/fake_hbase.h"
#include "tests/support/expect_ok.h"

namespace orbweaver {
namespace {

using std::chrono::milliseconds;

constexpr Duration kLong = std::chrono::minutes(1);
constexpr Duration kShort = milliseconds(200);  // when the call cannot succeed
constexpr Table kTable = Table::kQueue;
constexpr int kManyGets = 100;  // enough for the store to learn how large rows are

class HBaseStoreTest : public ::testing::Test {
 protected:
  HBaseStoreTest() {
    options_.hosts = {server_.address()};
    options_.backoff = {.first = milliseconds(1), .most = milliseconds(5)};
  }

  HBaseStore& store() {
    if (store_ == nullptr) store_ = HBaseStore::Create(options_).value();
    return *store_;
  }

  static std::string RowName(size_t i) { return fmt::format("row{:06}", i); }

  absl::Status Put(size_t begin, size_t end, std::string_view value, Duration timeout = kLong,
                   std::vector<uint32_t>* remaining = nullptr) {
    std::vector<std::string> names;
    for (size_t i = begin; i < end; ++i) names.push_back(RowName(i));
    const CellPut cell{"c", value};
    std::vector<RowPut> puts;
    for (const std::string& name : names) puts.push_back({name, Version(1), {&cell, 1}});
    std::vector<uint32_t> ignored;
    return store().Write(kTable, puts, timeout, remaining ? remaining : &ignored);
  }

  absl::Status Get(size_t count, Rows* rows, Duration timeout = kLong) {
    std::vector<std::string> names;
    for (size_t i = 0; i < count; ++i) names.push_back(RowName(i));
    std::vector<RowGet> gets;
    for (const std::string& name : names) gets.push_back({name, {}});
    return store().MultiGet(kTable, gets, timeout, rows);
  }

  std::vector<std::string> Scan(absl::Status* status, Duration timeout = kLong) {
    std::vector<std::string> names;
    *status = store().Scan(kTable, {}, timeout, [&](std::string_view row, auto) {
      names.emplace_back(row);
      return true;
    });
    return names;
  }

  FakeHBase server_;
  HBaseOptions options_;
  std::unique_ptr<HBaseStore> store_;
};

// `times` times, then as it should be.
FakeHBase::Script First(int times, FakeReply reply) {
  return [=](const std::string&, int call) { return call < times ? reply : FakeReply::kAnswer; };
}
FakeHBase::Script Always(FakeReply reply) {
  return [=](const std::string&, int) { return reply; };
}

TEST_F(HBaseStoreTest, SpeaksEveryTransportAndProtocolThatServersAreConfiguredWith) {
  for (const FakeHBaseOptions& how : {FakeHBaseOptions{},
                                      {.framed = true},
                                      {.compact = true},
                                      {.framed = true, .compact = true},
                                      {.http = true}}) {
    FakeHBase server(how);
    options_ = {.hosts = {server.address()},
                .framed = how.framed,
                .compact = how.compact,
                .http = how.http};
    store_ = nullptr;
    ASSERT_OK(Put(0, 100, std::string(1000, 'v')));
    Rows rows;
    ASSERT_OK(Get(101, &rows));
    EXPECT_EQ(rows[99][0].value, std::string(1000, 'v'));
    EXPECT_EQ(rows[99][0].version, Version(1));
    EXPECT_TRUE(rows[100].empty());
    absl::Status status;
    EXPECT_EQ(Scan(&status).size(), 100u);
    ASSERT_OK(status);
    const std::string name = RowName(0);
    const RowErase erase{name, Version(1), {}};
    ASSERT_OK(store().Erase(kTable, {&erase, 1}, kLong));
    EXPECT_EQ(server.rows(), 99u);
  }
}

TEST_F(HBaseStoreTest, SplitsLargeCallsAndGivesTheRowsInTheOrderAsked) {
  options_.rows_per_call = 7;
  options_.parallel_calls = 3;
  ASSERT_OK(Put(0, 100, "v"));
  Rows rows;
  ASSERT_OK(Get(120, &rows));
  ASSERT_EQ(rows.size(), 120u);
  for (size_t i = 0; i < 120; ++i) EXPECT_EQ(rows[i].size(), i < 100 ? 1u : 0u);
  EXPECT_LE(server_.largest_call(), 7u);
  EXPECT_LE(server_.most_calls_at_once(), 3);
}

TEST_F(HBaseStoreTest, NeverHasMoreConnectionsThanAllowed) {
  options_.connections_per_host = 2;
  std::vector<std::thread> threads;
  store();
  for (int i = 0; i < 6; ++i) {
    threads.emplace_back([&] {
      for (size_t n = 0; n < 20; ++n) EXPECT_OK(Put(n, n + 1, "v"));
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(server_.connections(), 2);
}

TEST_F(HBaseStoreTest, ReplacesConnectionsThatTheServerClosedWhileTheyWereIdle) {
  ASSERT_OK(Put(0, 10, "v"));
  server_.CloseConnections();
  // No backoff could help: the only try is the one at once.
  options_.backoff = {.first = std::chrono::hours(1), .most = std::chrono::hours(1)};
  Rows rows;
  ASSERT_OK(Get(10, &rows));
  EXPECT_EQ(rows[9].size(), 1u);
}

TEST_F(HBaseStoreTest, LivesThroughARestartOfItsOnlyServer) {
  ASSERT_OK(Put(0, 1, "v"));
  server_.Stop();
  EXPECT_TRUE(IsRetry(Put(1, 2, "v", kShort)));
  std::thread caller([&] { EXPECT_OK(Put(2, 3, "v")); });
  server_.Start();
  caller.join();
  EXPECT_EQ(server_.rows(), 2u);
}

TEST_F(HBaseStoreTest, GoesToTheServerThatWorks) {
  FakeHBase other;
  options_.hosts.push_back(other.address());
  other.Stop();
  for (size_t i = 0; i < 20; ++i) ASSERT_OK(Put(i, i + 1, "v"));
  other.Start();
  server_.Stop();
  for (size_t i = 20; i < 40; ++i) ASSERT_OK(Put(i, i + 1, "v"));
  EXPECT_EQ(server_.rows() + other.rows(), 40u);
}

TEST_F(HBaseStoreTest, GivesUpAServerThatIsSilentAndTriesAnother) {
  FakeHBase silent;
  silent.SetScript(Always(FakeReply::kSilence));
  options_.hosts.push_back(silent.address());
  options_.call_timeout = milliseconds(50);
  for (size_t i = 0; i < 4; ++i) ASSERT_OK(Put(i, i + 1, "v"));
  EXPECT_GE(silent.calls(), 1);
  EXPECT_EQ(server_.rows(), 4u);
}

TEST_F(HBaseStoreTest, SaysThatTheTimeIsOverWhenTheServerIsSilent) {
  server_.SetScript(Always(FakeReply::kSilence));
  Rows rows;
  EXPECT_EQ(Get(3, &rows, kShort).code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_EQ(rows.size(), 0u);
}

// Whatever comes back: an error, no crash, and no wrong rows.
class BadReplyTest : public HBaseStoreTest, public ::testing::WithParamInterface<FakeReply> {};

TEST_P(BadReplyTest, IsTriedAgainUntilItPasses) {
  ASSERT_OK(Put(0, 50, "v"));
  Rows rows;
  server_.SetScript(First(3, GetParam()));
  ASSERT_OK(Get(50, &rows));
  for (size_t i = 0; i < 50; ++i) EXPECT_EQ(rows[i].size(), 1u);
  server_.SetScript(First(3, GetParam()));
  absl::Status status;
  const auto names = Scan(&status);
  ASSERT_OK(status);
  ASSERT_EQ(names.size(), 50u);
  for (size_t i = 0; i < 50; ++i) EXPECT_EQ(names[i], RowName(i));
}

TEST_P(BadReplyTest, IsARetryErrorWhenItDoesNotPass) {
  ASSERT_OK(Put(0, 50, "v"));
  server_.SetScript(Always(GetParam()));
  Rows rows;
  const absl::Status status = Get(50, &rows, kShort);
  EXPECT_TRUE(IsRetry(status)) << status;
  EXPECT_EQ(rows.size(), 0u);
  absl::Status scanned;
  EXPECT_TRUE(Scan(&scanned, kShort).empty());
  EXPECT_TRUE(IsRetry(scanned)) << scanned;
}

INSTANTIATE_TEST_SUITE_P(Replies, BadReplyTest,
                         ::testing::Values(FakeReply::kDropBefore, FakeReply::kDropAfter,
                                           FakeReply::kGarbage, FakeReply::kTruncated,
                                           FakeReply::kBusy, FakeReply::kOneRowTooMany,
                                           FakeReply::kRowsMixedUp, FakeReply::kHugeListLength));

TEST_F(HBaseStoreTest, RefusesDamagedAnswersInTheCompactProtocolToo) {
  FakeHBase server({.framed = true, .compact = true});
  options_.hosts = {server.address()};
  options_.framed = options_.compact = true;
  for (const FakeReply reply :
       {FakeReply::kGarbage, FakeReply::kTruncated, FakeReply::kHugeListLength}) {
    server.SetScript(Always(reply));
    Rows rows;
    EXPECT_TRUE(IsRetry(Get(50, &rows, kShort)));
  }
}

TEST_F(HBaseStoreTest, PutsAgainWhatWasDoneWithoutAnAnswer) {
  server_.SetScript(First(2, FakeReply::kDropAfter));
  ASSERT_OK(Put(0, 10, "v"));
  EXPECT_EQ(server_.calls(), 3);
  EXPECT_EQ(server_.rows(), 10u);
}

TEST_F(HBaseStoreTest, NamesThePutsThatAreNotDurableAndNoOther) {
  options_.rows_per_call = 4;
  options_.parallel_calls = 1;  // so that calls are chunks in their order
  server_.SetScript([](const std::string&, int call) {
    return call == 1 ? FakeReply::kRefused : FakeReply::kAnswer;
  });
  std::vector<uint32_t> remaining;
  EXPECT_TRUE(IsFatal(Put(0, 12, "v", kLong, &remaining)));
  EXPECT_EQ(remaining, (std::vector<uint32_t>{4, 5, 6, 7}));
  EXPECT_EQ(server_.rows(), 8u);
}

TEST_F(HBaseStoreTest, DoesNotPutARowAgainWhoseFirstPutFailed) {
  const CellPut cell{"c", "v"};
  const std::vector<RowPut> puts = {
      {"a", Version(1), {&cell, 1}}, {"a", Version(2), {&cell, 1}}, {"b", Version(1), {&cell, 1}}};
  server_.SetScript(First(1, FakeReply::kRefused));
  std::vector<uint32_t> remaining;
  EXPECT_TRUE(IsFatal(store().Write(kTable, puts, kLong, &remaining)));
  EXPECT_EQ(remaining, (std::vector<uint32_t>{0, 1, 2}));
  EXPECT_EQ(server_.rows(), 0u);
}

TEST_F(HBaseStoreTest, SaysWhatToDoWhenTheTableIsMissing) {
  server_.SetScript(Always(FakeReply::kTableMissing));
  Rows rows;
  const absl::Status status = Get(1, &rows);
  EXPECT_TRUE(IsFatal(status));
  EXPECT_EQ(status.message(),
            "get 1 rows of 'queue': the table does not exist. Run `orbweaver init`.");
  const absl::Status put = Put(0, 1, "v");
  EXPECT_TRUE(IsFatal(put));
  EXPECT_EQ(put.message(),
            "put 1 rows into 'queue': the table does not exist. Run `orbweaver init`.");
  EXPECT_EQ(server_.calls(), 2);
}

TEST_F(HBaseStoreTest, DoesNotRepeatWhatTheServerWillNeverDo) {
  server_.SetScript(Always(FakeReply::kRefused));
  EXPECT_TRUE(IsFatal(Put(0, 1, "v")));
  EXPECT_EQ(server_.calls(), 1);
}

TEST_F(HBaseStoreTest, TakesOnlyAFewUnexplainedErrorsForAServerThatIsStarting) {
  server_.SetScript(First(3, FakeReply::kInternalError));
  ASSERT_OK(Put(0, 1, "v"));
  server_.SetScript(Always(FakeReply::kInternalError));
  EXPECT_TRUE(IsFatal(Put(1, 2, "v")));
}

TEST_F(HBaseStoreTest, AsksForLessWhenAnAnswerIsTooLarge) {
  options_.max_answer_bytes = 32 << 20;
  const std::string large(5'000'000, 'v');
  ASSERT_OK(Put(0, 14, large));
  Rows rows;
  ASSERT_OK(Get(14, &rows));
  ASSERT_EQ(rows.size(), 14u);
  for (size_t i = 0; i < 14; ++i) EXPECT_EQ(rows[i][0].value, large);
  absl::Status status;
  EXPECT_EQ(Scan(&status).size(), 14u);
  EXPECT_OK(status);
}

TEST_F(HBaseStoreTest, AsksForFewLargeRowsAtOnceAndForManySmallOnes) {
  options_.rows_per_call = 1000;
  const auto calls_of = [&](size_t count) {
    Rows rows;
    const int before = server_.calls();
    EXPECT_OK(Get(count, &rows));
    EXPECT_EQ(rows.size(), count);
    return server_.calls() - before;
  };
  ASSERT_OK(Put(0, 400, std::string(100'000, 'v')));
  (void)calls_of(400);  // learns
  // Not all 40 MB at once, of which a server needs several times as much.
  EXPECT_GE(calls_of(400), 10);
  EXPECT_LE(calls_of(400), 20);

  ASSERT_OK(Put(0, 400, "v"));
  for (int i = 0; i < kManyGets && calls_of(400) > 1; ++i) {
  }
  EXPECT_EQ(calls_of(400), 1);
}

TEST_F(HBaseStoreTest, AsksForLessAfterAGetThatFailed) {
  ASSERT_OK(Put(0, 100, "v"));
  const auto calls_of = [&] {
    Rows rows;
    const int before = server_.calls();
    EXPECT_OK(Get(100, &rows));
    return server_.calls() - before;
  };
  for (int i = 0; i < kManyGets && calls_of() > 1; ++i) {
  }
  EXPECT_EQ(calls_of(), 1);
  // As a server does that has no memory for the answer.
  server_.SetScript([](const std::string&, int) { return FakeReply::kDropBefore; });
  Rows rows;
  EXPECT_TRUE(IsRetry(Get(100, &rows, kShort)));
  EXPECT_TRUE(IsRetry(Get(100, &rows, kShort)));
  server_.SetScript([](const std::string&, int) { return FakeReply::kAnswer; });
  EXPECT_GE(calls_of(), 4);
  for (int i = 0; i < kManyGets && calls_of() > 1; ++i) {
  }
  EXPECT_EQ(calls_of(), 1);
}

TEST_F(HBaseStoreTest, RefusesASingleRowThatIsTooLarge) {
  options_.max_answer_bytes = 32 << 20;
  ASSERT_OK(Put(0, 3, "v"));
  const std::string name = RowName(1), large(12'000'000, 'v');
  std::vector<uint32_t> remaining;
  for (const char* const column : {"c1", "c2", "c3"}) {
    const CellPut cell{column, large};
    const RowPut put{name, Version(1), {&cell, 1}};
    ASSERT_OK(store().Write(kTable, {&put, 1}, kLong, &remaining));
  }
  Rows rows;
  EXPECT_TRUE(IsFatal(Get(3, &rows)));
  EXPECT_EQ(rows.size(), 0u);
  absl::Status status;
  EXPECT_EQ(Scan(&status).size(), 1u);
  EXPECT_TRUE(IsFatal(status));
}

TEST_F(HBaseStoreTest, GoesOnWithAScanWhereItBroke) {
  constexpr size_t kRows = 3000;
  ASSERT_OK(Put(0, kRows, "v"));
  options_.scan_portion_bytes = 1000;
  store_ = nullptr;
  server_.SetScript([](const std::string&, int call) {
    return call % 3 == 1 ? FakeReply::kTruncated : FakeReply::kAnswer;
  });
  absl::Status status;
  const auto names = Scan(&status);
  ASSERT_OK(status);
  ASSERT_EQ(names.size(), kRows);
  for (size_t i = 0; i < kRows; ++i) EXPECT_EQ(names[i], RowName(i));
}

TEST_F(HBaseStoreTest, RefusesOptionsThatCannotWork) {
  const auto refused = [](auto change) {
    HBaseOptions options;
    change(options);
    return IsFatal(HBaseStore::Create(options).status());
  };
  EXPECT_TRUE(refused([](HBaseOptions& o) { o.hosts = {}; }));
  EXPECT_TRUE(refused([](HBaseOptions& o) { o.hosts = {"a", ":1"}; }));
  EXPECT_TRUE(refused([](HBaseOptions& o) { o.rows_per_call = 0; }));
  EXPECT_TRUE(refused([](HBaseOptions& o) { o.parallel_calls = 0; }));
  EXPECT_TRUE(refused([](HBaseOptions& o) { o.max_answer_bytes = 1; }));
}

}  // namespace
}  // namespace orbweaver
