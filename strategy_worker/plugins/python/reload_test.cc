// Strategies in Python whose file changes while they run.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/status.h"
#include "strategy_worker/host/loader.h"
#include "tests/support/own_strategy_fixture.h"

namespace orbweaver {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// It has finished when the module beside it says so.
class ReloadedStrategyTest : public OwnStrategyTest {
 protected:
  static constexpr char kText[] =
      "import beside\n"
      "class Own(Strategy):\n"
      "  n = Integer(1, 0, 5, 'a number')\n"
      "  def finished(self):\n"
      "    import beside as once_more\n"
      "    assert beside is once_more and self.n == 3\n"
      "    return beside.over\n";

  ReloadedStrategyTest() : file_(Write(kText)) {
    SetOver("0");
    // Or there are no compiled files, which a reload must not believe.
    unsetenv("PYTHONDONTWRITEBYTECODE");
    auto strategy = LoadStrategy(Python(file_, {{"n", "3"}}), 1);
    EXPECT_TRUE(strategy.ok()) << strategy.status();
    strategy_ = *std::move(strategy);
  }

  void Rewrite(const std::string& text) {
    std::ofstream(file_) << "from orbweaver.strategy import *\n" << text;
  }
  void SetOver(const std::string& over) {
    std::ofstream(std::filesystem::path(file_).parent_path() / "beside.py") << "over = " << over;
  }
  // Why the file is refused; the strategy before goes on.
  std::string Refusal(const std::string& text) {
    Rewrite(text);
    SetOver("1");
    const absl::Status reloaded = strategy_->Reload();
    EXPECT_FALSE(IsFinished()) << text;
    SetOver("0");
    return reloaded.ok() ? "it was reloaded" : std::string(MessageOf(reloaded));
  }
  bool IsFinished() {
    const absl::StatusOr<bool> finished = strategy_->Finished();
    EXPECT_TRUE(finished.ok()) << finished.status();
    return finished.value_or(false);
  }

  const std::string file_;
  std::unique_ptr<LoadedStrategy> strategy_;
};

// Within one second and without another size: compiled files would not tell.
TEST_F(ReloadedStrategyTest, AReloadTakesItsFileAndThoseBesideItAsTheyAreNow) {
  EXPECT_FALSE(IsFinished());
  SetOver("1");
  EXPECT_FALSE(IsFinished());
  EXPECT_TRUE(strategy_->Reload().ok());
  EXPECT_TRUE(IsFinished());
  SetOver("0");
  EXPECT_TRUE(strategy_->Reload().ok());
  EXPECT_FALSE(IsFinished());
  Rewrite(std::string(kText) + "class Other(Strategy):\n  name = 'other'\n");
  EXPECT_THAT(std::string(MessageOf(strategy_->Reload())), HasSubstr("Set the parameter `class`"));
}

TEST_F(ReloadedStrategyTest, AFileThatIsRefusedLeavesTheStrategyAsItWas) {
  const std::string text = kText;
  EXPECT_THAT(Refusal("def f(:"),
              AllOf(StartsWith("reload strategy 'own': SyntaxError: "),
                    HasSubstr("(own1.py:2: def f(:)"), HasSubstr("The one before goes on")));
  EXPECT_THAT(Refusal(text + "  def on_links(self): pass\n"),
              HasSubstr("the method on_links is to take (self, links)"));
  EXPECT_THAT(Refusal(text + "{}['x']\n"), HasSubstr("KeyError: 'x' (own1.py:9 in <module>)"));
  EXPECT_THAT(Refusal(text + "  def start(self, seed): 1 / 0\n"),
              HasSubstr("ZeroDivisionError: division by zero (own1.py:9 in start)"));
  EXPECT_THAT(Refusal(text + "  version = 2\n"),
              HasSubstr("`version` cannot change while it runs, from 1 to 2. Restart the worker"));
  EXPECT_THAT(Refusal(text + "  name = 'other'\n"),
              HasSubstr("its name cannot change while it runs, from own to other"));
  EXPECT_THAT(Refusal(text + "  needs_body = True\n"), HasSubstr("`needs_body` cannot change"));
  EXPECT_THAT(Refusal(text + "  more = Integer(1, 0, 5, '')\n"),
              HasSubstr("its parameters cannot change"));
  std::filesystem::remove(file_);
  EXPECT_THAT(std::string(MessageOf(strategy_->Reload())), HasSubstr("no such file: "));
  EXPECT_FALSE(IsFinished());
  SetOver("1");
  Rewrite(text);
  EXPECT_TRUE(strategy_->Reload().ok());
  EXPECT_TRUE(IsFinished());
}

TEST_F(ReloadedStrategyTest, TheOneBeforeIsClosedOnceTheNextHasStarted) {
  Rewrite(
      "import builtins\n"
      "class Own(Strategy):\n"
      "  n = Integer(1, 0, 5, 'a number')\n"
      "  def start(self, seed): builtins.told = getattr(builtins, 'told', '') + 'start '\n"
      "  def close(self):\n"
      "    builtins.told += 'close '\n"
      "    raise ValueError('it is not the next one that fails')\n"
      "  def finished(self): return builtins.told == 'start start close '\n");
  EXPECT_TRUE(strategy_->Reload().ok());
  EXPECT_TRUE(strategy_->Reload().ok());
  EXPECT_TRUE(IsFinished());
}

TEST_F(ReloadedStrategyTest, ManyReloadsLeaveNoMoreBlocksOfMemory) {
  Rewrite(std::string(kText) +
          "  def adopt(self, name, version, data):\n"
          "    import gc\n"
          "    gc.collect()\n"
          "    return str(sys.getallocatedblocks() + len(gc.get_objects())).encode()\n");
  const auto blocks_after = [this](int reloads) {
    for (int i = 0; i < reloads; ++i) EXPECT_TRUE(strategy_->Reload().ok());
    return std::stoi(strategy_->Adopt("", 0, "").value_or("0"));
  };
  // Python's caches still grow a little; the modules of a reload are hundreds.
  constexpr int kReloads = 40, kMostMore = 10 * 2 * kReloads;
  const int warm = blocks_after(kReloads), after = blocks_after(2 * kReloads);
  EXPECT_GT(warm, 0);
  EXPECT_LE(after - warm, kMostMore);
}

}  // namespace
}  // namespace orbweaver
