#include "cli/frontier/stage_shares.h"

#include <string>

#include <gtest/gtest.h>

namespace orbweaver {
namespace {

using std::chrono::seconds;

const WallTime kNow(std::chrono::hours(500'000));

class StageSharesTest : public testing::Test {
 protected:
  void Note(const std::string& id, const std::string& role, const std::string& metric, WallTime at,
            double busy, double input, double output) {
    WorkerReport report{.id = id,
                        .role = role,
                        .version = "",
                        .admin_address = "",
                        .started_at = {},
                        .reported_at = at,
                        .vitals = {}};
    const std::string name = "orbweaver_" + metric + "_stage_seconds{state=";
    report.vitals.Take(name + "\"busy\"}", busy);
    report.vitals.Take(name + "\"waits_for_input\"}", input);
    report.vitals.Take(name + "\"waits_for_output\"}", output);
    book_.Note(std::move(report), at);
  }
  std::vector<StageShares> Shares() {
    return SharesOf(book_, book_.Live(kNow + seconds(10)), seconds(15));
  }

  WorkerBook book_;
};

// Of 20 s of two spiders 4 + 1 are busy, 5 + 9 wait for input, 1 + 0 for output.
TEST_F(StageSharesTest, TheWorkersOfAStageAreAddedUp) {
  Note("a", "spider", "spider", kNow, 100, 50, 0);
  Note("b", "spider", "spider", kNow, 0, 0, 7);
  Note("a", "spider", "spider", kNow + seconds(10), 104, 55, 1);
  Note("b", "spider", "spider", kNow + seconds(10), 1, 9, 7);
  const auto shares = Shares();
  ASSERT_EQ(shares.size(), 3u);
  EXPECT_EQ(shares[0].name, "spiders");
  EXPECT_DOUBLE_EQ(*shares[0].busy, 0.25);
  EXPECT_DOUBLE_EQ(*shares[0].waits_for_input, 0.7);
  EXPECT_DOUBLE_EQ(*shares[0].waits_for_output, 0.05);
  EXPECT_EQ(shares[1].name, "strategy workers");
  EXPECT_EQ(shares[1].busy, std::nullopt);
}

TEST_F(StageSharesTest, OneReportSaysNothingOfAShare) {
  Note("d", "db-worker", "queue", kNow, 3, 3, 3);
  EXPECT_EQ(Shares()[2].busy, std::nullopt);
  Note("d", "db-worker", "queue", kNow + seconds(10), 3, 13, 3);
  EXPECT_EQ(Shares()[2].waits_for_input, 1);
  EXPECT_EQ(Shares()[2].busy, 0);
}

}  // namespace
}  // namespace orbweaver
