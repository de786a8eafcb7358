#include "cli/console/session_table.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace orbweaver {
namespace {

constexpr SteadyTime kStart{};
constexpr Duration kMinute = std::chrono::minutes(1);

TEST(SessionTableTest, ASessionIsFoundByItsSecretAlone) {
  SessionTable table;
  const std::string one =
      table.Begin({.csrf = {}, .may_act = true, .by = "admin", .user = 7}, kStart);
  const std::string two =
      table.Begin({.csrf = {}, .may_act = false, .by = "reader", .user = {}}, kStart);
  ASSERT_NE(table.Find(one, kStart), nullptr);
  EXPECT_EQ(table.Find(one, kStart)->by, "admin");
  EXPECT_EQ(table.Find(two, kStart)->by, "reader");
  EXPECT_NE(table.Find(one, kStart)->csrf, table.Find(two, kStart)->csrf);
  for (const std::string& wrong :
       {std::string(), std::string("x"), one + two, one.substr(1), table.Find(one, kStart)->csrf}) {
    EXPECT_EQ(table.Find(wrong, kStart), nullptr) << wrong;
  }
}

TEST(SessionTableTest, ASessionEndsByLogoutByRestAndByAge) {
  SessionTable table;
  const std::string left = table.Begin({}, kStart);
  table.End("x");
  EXPECT_NE(table.Find(left, kStart), nullptr);
  table.End(left);
  EXPECT_EQ(table.Find(left, kStart), nullptr);

  const std::string idle = table.Begin({}, kStart);
  EXPECT_NE(table.Find(idle, kStart + SessionTable::kIdle - kMinute), nullptr);
  EXPECT_EQ(table.Find(idle, kStart + 2 * SessionTable::kIdle), nullptr);

  const std::string busy = table.Begin({}, kStart);
  SteadyTime now = kStart;
  for (; now < kStart + SessionTable::kLifetime; now += kMinute) {
    ASSERT_NE(table.Find(busy, now), nullptr);
  }
  EXPECT_EQ(table.Find(busy, now), nullptr);
}

TEST(SessionTableTest, OfTooManyTheOldestEnds) {
  SessionTable table;
  std::vector<std::string> secrets;
  for (size_t i = 0; i <= SessionTable::kMostSessions; ++i)
    secrets.push_back(table.Begin({}, kStart));
  EXPECT_EQ(table.size(), SessionTable::kMostSessions);
  EXPECT_EQ(table.Find(secrets[0], kStart), nullptr);
  EXPECT_NE(table.Find(secrets[1], kStart), nullptr);
}

TEST(SessionTableTest, ACodeIsGoodOnceAndForTenMinutes) {
  SessionTable table;
  const std::string code = table.NewCode(kStart);
  EXPECT_FALSE(table.TakeCode("", kStart));
  EXPECT_FALSE(table.TakeCode(code.substr(1), kStart));
  EXPECT_TRUE(table.TakeCode(code, kStart + 9 * kMinute));
  EXPECT_FALSE(table.TakeCode(code, kStart + 9 * kMinute));
  const std::string old = table.NewCode(kStart);
  EXPECT_FALSE(table.TakeCode(old, kStart + 10 * kMinute));
}

TEST(SessionTableTest, OfTooManyCodesTheOldestIsGoodNoMore) {
  SessionTable table;
  const std::string first = table.NewCode(kStart);
  std::string last;
  for (size_t i = 0; i < SessionTable::kMostCodes; ++i) last = table.NewCode(kStart);
  EXPECT_FALSE(table.TakeCode(first, kStart));
  EXPECT_TRUE(table.TakeCode(last, kStart));
}

}  // namespace
}  // namespace orbweaver
