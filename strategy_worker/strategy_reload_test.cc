#include "strategy_worker/strategy_reload.h"

#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/log.h"
#include "strategy_worker/host/loader.h"
#include "tests/support/expect_ok.h"
#include "tests/support/scratch_folder.h"

namespace orbweaver {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class StrategyReloadTest : public ::testing::Test {
 protected:
  // The log of a call.
  std::string Run(StrategyReload& reload) {
    testing::internal::CaptureStderr();
    reload.RunIfWanted();
    FlushLog();
    return testing::internal::GetCapturedStderr();
  }
  std::string Count(const std::string& result) const {
    const std::string name = "orbweaver_strategy_reloads_total{result=\"" + result + "\"} ";
    const std::string text = metrics_.Text();
    const size_t at = text.find(name);
    return at == std::string::npos ? "" : text.substr(at + name.size(), 1);
  }

  MetricRegistry metrics_;
  std::atomic<bool> wanted_ = false;
};

TEST_F(StrategyReloadTest, ItHappensOnceForAllThatAskedAndIsCounted) {
  const ScratchFolder folder;
  const std::string file = folder.path() / "own.py";
  const auto write = [&file](const char* text) {
    std::ofstream(file) << "from orbweaver.strategy import Strategy\n" << text;
  };
  write("class Own(Strategy):\n  def finished(self): return False\n");
  const auto strategy = LoadStrategy({.name = "python", .params = {{"module", file}}}, 1);
  ASSERT_OK(strategy);
  StrategyReload reload(**strategy, wanted_, metrics_);
  write("class Own(Strategy):\n  def finished(self): return True\n");
  EXPECT_THAT(Run(reload), IsEmpty());
  EXPECT_FALSE((*strategy)->Finished().value());
  wanted_ = true;
  EXPECT_THAT(Run(reload), HasSubstr("strategy 'own' is reloaded"));
  EXPECT_THAT(Run(reload), IsEmpty());
  EXPECT_TRUE((*strategy)->Finished().value());
  write("class Own(Strategy:\n");
  wanted_ = true;
  EXPECT_THAT(Run(reload), AllOf(HasSubstr("reload strategy 'own': SyntaxError"),
                                 HasSubstr("The one before goes on")));
  EXPECT_TRUE((*strategy)->Finished().value());
  EXPECT_EQ(Count("done"), "1");
  EXPECT_EQ(Count("refused"), "1");
}

TEST_F(StrategyReloadTest, ALibrarySaysThatItCannotBeReloaded) {
  const auto strategy = LoadStrategy({.name = "breadth_first"}, 1);
  ASSERT_OK(strategy);
  StrategyReload reload(**strategy, wanted_, metrics_);
  wanted_ = true;
  EXPECT_THAT(Run(reload), AllOf(HasSubstr("reload strategy 'breadth_first'"),
                                 HasSubstr("cannot be reloaded. Restart the worker")));
  EXPECT_EQ(Count("refused"), "1");
}

}  // namespace
}  // namespace orbweaver
