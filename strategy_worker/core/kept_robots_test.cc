// Files of robots.txt: kept as they came, for people to look at.
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "common/protocol/robots_rows.h"
#include "tests/support/expect_ok.h"
#include "tests/support/strategy_core_fixture.h"
#include "tests/support/strategy_world.h"

namespace orbweaver {
namespace {

class KeptRobotsTest : public StrategyCoreTest {
 protected:
  void Tell(const HostFacts& facts) {
    world_.Append({.domain = kDomain, .event = facts});
    ASSERT_OK(Run());
  }
  // Status and text of a host's; "-" for no text, nothing for no row.
  std::optional<std::string> Kept(std::string_view host) {
    const std::string row = RobotsRow(kDomain, host);
    const RowGet get{.row = row, .columns = {&kRobotsColumn, 1}};
    Rows rows;
    EXPECT_OK(world_.store.MultiGet(kRobotsTable, {&get, 1}, kLong, &rows));
    const Cell* const cell = rows.Find(0, kRobotsColumn);
    if (cell == nullptr) return std::nullopt;
    Arena arena;
    SpiderLogEntry entry;
    EXPECT_OK(Decode(cell->value, &arena, &entry));
    const auto& facts = std::get<HostFacts>(entry.event);
    return std::to_string(facts.robots_status) + " " + std::string(facts.robots_txt.value_or("-"));
  }
};

TEST_F(KeptRobotsTest, TheNewestFileOfEachHostIsKept) {
  Tell({.host = "a.test",
        .robots = RobotsOutcome::kRules,
        .robots_status = 200,
        .robots_txt = "User-agent: *"});
  EXPECT_EQ(Kept("a.test"), "200 User-agent: *");
  EXPECT_EQ(Kept("www.a.test"), std::nullopt);
  Tell({.host = "www.a.test", .robots = RobotsOutcome::kAllowAll, .robots_status = 404});
  EXPECT_EQ(Kept("www.a.test"), "404 -");
  EXPECT_EQ(Kept("a.test"), "200 User-agent: *");
  Tell({.host = "a.test", .robots = RobotsOutcome::kDisallowAll, .robots_status = 503});
  EXPECT_EQ(Kept("a.test"), "503 -");
}

TEST_F(KeptRobotsTest, FactsThatAreToldAgainOrAreOfOtherThingsLeaveItAlone) {
  Tell({.host = "a.test",
        .robots = RobotsOutcome::kRules,
        .robots_status = 200,
        .robots_txt = "User-agent: *"});
  Tell({.host = "a.test", .robots = RobotsOutcome::kRules, .robots_status = 200});
  EXPECT_EQ(Kept("a.test"), "200 User-agent: *");
  Tell({.host = "a.test", .dns = DnsOutcome::kFailed});
  EXPECT_EQ(Kept("a.test"), "200 User-agent: *");
}

}  // namespace
}  // namespace orbweaver
