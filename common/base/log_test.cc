#include "common/base/log.h"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

namespace orbweaver {
namespace {

class LogTest : public ::testing::Test {
 protected:
  ~LogTest() override { ConfigureLog({}); }

  template <typename Body>
  std::string Captured(Body body) {
    ::testing::internal::CaptureStderr();
    body();
    return ::testing::internal::GetCapturedStderr();
  }
};

TEST_F(LogTest, TextNamesLevelAndModule) {
  ConfigureLog({});
  const std::string out = Captured([] { Log(LogLevel::kInfo, "spider", "{} pages", 3); });
  EXPECT_NE(out.find("info    spider: 3 pages\n"), std::string::npos) << out;
}

TEST_F(LogTest, JsonEscapesWhatAServerSent) {
  ConfigureLog({.json = true});
  const std::string out =
      Captured([] { Log(LogLevel::kError, "spider", "{}", "a \"quote\"\nand \x01"); });
  EXPECT_NE(out.find(R"("level":"error","module":"spider","message":"a \"quote\"\nand \u0001"})"),
            std::string::npos)
      << out;
}

TEST_F(LogTest, ALineBreakInATextLogDoesNotForgeALine) {
  ConfigureLog({});
  const std::string out = Captured([] { Log(LogLevel::kInfo, "spider", "{}", "a\nb"); });
  EXPECT_EQ(std::count(out.begin(), out.end(), '\n'), 1) << out;
}

TEST_F(LogTest, AModuleCanHaveALevelOfItsOwn) {
  LogOptions options;
  options.level = LogLevel::kWarning;
  options.module_levels["bus"] = LogLevel::kDebug;
  ConfigureLog(options);
  const std::string out = Captured([] {
    Log(LogLevel::kDebug, "bus", "shown");
    Log(LogLevel::kInfo, "store", "hidden");
  });
  EXPECT_NE(out.find("shown"), std::string::npos);
  EXPECT_EQ(out.find("hidden"), std::string::npos);
}

TEST_F(LogTest, RepeatsPastTheLimitAreNotPrinted) {
  LogOptions options;
  options.repeats_per_ten_seconds = 3;
  ConfigureLog(options);
  const std::string out = Captured([] {
    for (int i = 0; i < 100; ++i) Log(LogLevel::kInfo, "bus", "broker {} is down", i);
    Log(LogLevel::kInfo, "bus", "another line");
  });
  EXPECT_NE(out.find("broker 2 is down"), std::string::npos);
  EXPECT_EQ(out.find("broker 3 is down"), std::string::npos);
  EXPECT_NE(out.find("another line"), std::string::npos);
}

TEST_F(LogTest, AnUnknownLevelIsRefusedByName) {
  LogLevel level;
  EXPECT_TRUE(ParseLogLevel("warning", &level).ok());
  EXPECT_FALSE(ParseLogLevel("loud", &level).ok());
}

}  // namespace
}  // namespace orbweaver
