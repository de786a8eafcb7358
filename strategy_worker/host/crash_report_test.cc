#include "strategy_worker/host/crash_report.h"

#include <csignal>
#include <memory>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "strategy_worker/host/loader.h"
#include "strategy_worker/host/testdata/one_link.h"

namespace orbweaver {
namespace {

using testing::ExitedWithCode;
using testing::KilledBySignal;

constexpr char kEvent[] = "in OnLinks for 1 link to example.com from https://example.org/page";

// A death test's child makes the strategy itself: handlers are of the process.
void Die(const std::string& flaw) {
  OneLink links;
  const auto strategy = LoadStrategy(
      {.name = "misbehaving", .directory = ORBWEAVER_TESTDATA, .params = {{"flaw", flaw}}}, 1);
  // As workers do it: not on the main thread, whose stack is larger.
  std::thread([&] { links.GiveTo(**strategy).IgnoreError(); }).join();
}

std::string Crash(const std::string& signal) {
  return "strategy 'misbehaving' crashed .SIG" + signal + ". " + kEvent + ". Nothing is lost";
}

class CrashReportTest : public testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

// A sanitizer's own handler has the last word, and ends otherwise.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define ORBWEAVER_KILLED_BY(signal) [](int status) { return status != 0; }
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define ORBWEAVER_KILLED_BY(signal) [](int status) { return status != 0; }
#endif
#endif
#ifndef ORBWEAVER_KILLED_BY
#define ORBWEAVER_KILLED_BY(signal) KilledBySignal(signal)
#endif

TEST_F(CrashReportTest, AStrategyThatCrashesIsNamedWithItsEvent) {
  EXPECT_EXIT(Die("crash"), ORBWEAVER_KILLED_BY(SIGSEGV), Crash("SEGV"));
}

TEST_F(CrashReportTest, AnAbortIsACrash) {
  EXPECT_EXIT(Die("abort"), ORBWEAVER_KILLED_BY(SIGABRT), Crash("ABRT"));
}

TEST_F(CrashReportTest, AStrategyThatCallsItselfForEverHasNoStackLeft) {
  EXPECT_EXIT(Die("recurse"), ORBWEAVER_KILLED_BY(SIGSEGV), Crash("SEGV"));
}

TEST_F(CrashReportTest, AnExceptionInAThreadOfTheStrategyNamesTheEventThatWasUnderWay) {
  EXPECT_EXIT(Die("throw in a thread"), ORBWEAVER_KILLED_BY(SIGABRT),
              std::string("crashed .SIGABRT. in thread '.*', while strategy 'misbehaving' was ") +
                  kEvent + "; if it has threads of its own");
}

#if !__has_feature(thread_sanitizer)  // it calls no handler for a fault within a handler
TEST_F(CrashReportTest, AStrategyThatHasDestroyedItsEventIsNamedAllTheSame) {
  EXPECT_EXIT(Die("write over the event"), ORBWEAVER_KILLED_BY(SIGSEGV),
              "strategy 'misbehaving' crashed .SIGSEGV. in OnLinks for 1 link to  .what it was "
              "given cannot be read");
}
#endif

TEST_F(CrashReportTest, AStrategyThatExitsIsNamedAndIsNoSuccess) {
  EXPECT_EXIT(Die("exit"), ExitedWithCode(1),
              std::string("strategy 'misbehaving' ended the process by exit.. ") + kEvent);
}

TEST_F(CrashReportTest, ACrashOfTheProgramItselfIsNoStrategys) {
  EXPECT_EXIT((ReportCrashes(), std::raise(SIGSEGV)), ORBWEAVER_KILLED_BY(SIGSEGV),
              "crashed .SIGSEGV. in thread '.*', while no strategy was called");
}

}  // namespace
}  // namespace orbweaver
