#include "common/base/log.h"

#include <algorithm>
#include <string>
#include <thread>

#include <gtest/gtest.h>

namespace orbweaver {
namespace {
// Says when it is formatted.
struct Telltale {
  bool* formatted;
};
}  // namespace
}  // namespace orbweaver

template <>
struct fmt::formatter<orbweaver::Telltale> {
  constexpr auto parse(fmt::format_parse_context& context) { return context.begin(); }
  template <typename Context>
  auto format(const orbweaver::Telltale& telltale, Context& context) const {
    *telltale.formatted = true;
    return context.out();
  }
};

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

TEST_F(LogTest, AServersTextNeitherForgesALineNorSpeaksToTheTerminal) {
  ConfigureLog({});
  const std::string out = Captured([] { Log(LogLevel::kInfo, "spider", "{}", "a\nb\r\x1b[2J"); });
  EXPECT_NE(out.find("spider: a\\nb\\x0d\\x1b[2J\n"), std::string::npos) << out;
  EXPECT_EQ(std::count(out.begin(), out.end(), '\n'), 1) << out;
}

TEST_F(LogTest, JsonStaysValidWhenTheTextIsNotUtf8) {
  ConfigureLog({.json = true});
  const std::string out = Captured([] { Log(LogLevel::kError, "spider", "{}", "\xff"); });
  EXPECT_NE(out.find("\"message\":\"\xef\xbf\xbd\"}"), std::string::npos) << out;
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

TEST_F(LogTest, TheEndOfTheProcessAccountsForWhatWasNotShown) {
  ConfigureLog({.json = true, .repeats_per_ten_seconds = 3});
  const std::string out = Captured([] {
    for (int i = 0; i < 100; ++i) Log(LogLevel::kInfo, "bus", "broker {} is down", i);
    FlushLog();
    FlushLog();
  });
  EXPECT_NE(
      out.find(R"("message":"97 more lines like 'broker {} is down' not shown","not_shown":97})"),
      std::string::npos)
      << out;
  EXPECT_EQ(std::count(out.begin(), out.end(), '\n'), 4) << out;
}

TEST_F(LogTest, ADisabledLineDoesNotFormatItsArguments) {
  ConfigureLog({});
  bool formatted = false;
  const std::string out =
      Captured([&formatted] { Log(LogLevel::kDebug, "bus", "{}", Telltale{&formatted}); });
  EXPECT_FALSE(formatted);
  EXPECT_EQ(out, "");
}

TEST_F(LogTest, ThreadsMayLogWhileTheOptionsChange) {
  const std::string out = Captured([] {
    std::thread speaker([] {
      for (int i = 0; i < 1000; ++i) Log(LogLevel::kInfo, "bus", "line {}", i);
    });
    for (int i = 0; i < 100; ++i) {
      ConfigureLog({.json = i % 2 == 0, .module_levels = {{"bus", LogLevel::kInfo}}});
    }
    speaker.join();
  });
  EXPECT_NE(out.find("line 0"), std::string::npos);
}

TEST_F(LogTest, AnUnknownLevelIsRefusedByName) {
  LogLevel level;
  EXPECT_TRUE(ParseLogLevel("warning", &level).ok());
  EXPECT_FALSE(ParseLogLevel("loud", &level).ok());
}

}  // namespace
}  // namespace orbweaver
