#include "common/store/hbase/hbase_tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/ids.h"
#include "common/base/status.h"
#include "common/store/hbase/fake_hbase.h"
#include "tests/support/expect_ok.h"

namespace orbweaver {
namespace {

using ::testing::ElementsAre;

constexpr Duration kLong = std::chrono::minutes(1);

HBaseOptions OptionsFor(const FakeHBase& server) {
  HBaseOptions options{.hosts = {server.address()}};
  options.backoff = {.first = std::chrono::milliseconds(1), .most = std::chrono::milliseconds(5)};
  return options;
}

TEST(HBaseTablesTest, CutsRegionsEvenlyOverTheSlots) {
  EXPECT_TRUE(SplitKeys(1).empty());
  EXPECT_THAT(SplitKeys(4), ElementsAre(std::string("\x04\0", 2), std::string("\x08\0", 2),
                                        std::string("\x0c\0", 2)));
  const auto all = SplitKeys(kSlots);
  ASSERT_EQ(all.size(), static_cast<size_t>(kSlots - 1));
  EXPECT_TRUE(std::is_sorted(all.begin(), all.end()));
  EXPECT_EQ(std::adjacent_find(all.begin(), all.end()), all.end());
  EXPECT_EQ(all.front(), std::string("\0\x01", 2));
  EXPECT_EQ(all.back(), "\x0f\xff");
}

TEST(HBaseTablesTest, FindsNothingDifferentInWhatItMade) {
  FakeHBase server;
  const auto tables = HBaseTables::Create(OptionsFor(server)).value();
  for (const Table table : kTables) {
    EXPECT_FALSE(tables->Exists(table, kLong).value());
    ASSERT_OK(tables->Make(table, kLong));
    EXPECT_TRUE(tables->Exists(table, kLong).value());
    EXPECT_THAT(tables->Differences(table, kLong).value(), ElementsAre());
  }
}

TEST(HBaseTablesTest, SaysWhatAnExistingTableHasOtherwise) {
  FakeHBase server;
  HBaseOptions options = OptionsFor(server);
  options.tables = {.compression = "NONE", .block_bytes = 65536};
  ASSERT_OK(HBaseTables::Create(options).value()->Make(Table::kPages, kLong));
  options.tables = {.compression = "ZSTD", .block_bytes = 16384};
  EXPECT_THAT(HBaseTables::Create(options).value()->Differences(Table::kPages, kLong).value(),
              ElementsAre("block size is 65536, not 16384", "compression is NONE, not ZSTD"));
}

TEST(HBaseTablesTest, MakesATableOnceThoughTheAnswerGotLost) {
  FakeHBase server;
  int creations = 0;
  server.SetScript([&](const std::string& method, int) {
    if (method != "createTable") return FakeReply::kAnswer;
    return ++creations == 1 ? FakeReply::kDropAfter : FakeReply::kRefused;
  });
  EXPECT_OK(HBaseTables::Create(OptionsFor(server)).value()->Make(Table::kQueue, kLong));
  EXPECT_EQ(creations, 1);
}

TEST(HBaseTablesTest, RefusesACompressionThatHBaseDoesNotHave) {
  FakeHBase server;
  HBaseOptions options = OptionsFor(server);
  options.tables.compression = "gzip";
  EXPECT_TRUE(IsFatal(HBaseTables::Create(options).value()->Make(Table::kQueue, kLong)));
}

}  // namespace
}  // namespace orbweaver
