#include "cli/check/check_arguments.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>

#include "cli/check/file_limit.h"
#include "cli/check/input_copy.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/expect_ok.h"

namespace orbweaver {
namespace {

using Arguments = std::vector<std::string>;

std::string WrongWith(Arguments args) {
  CheckArguments into;
  return TakeCheckArguments(&args, &into).value_or("");
}

TEST(CheckArgumentsTest, OptionsAreTakenOutAndTheRestIsLeft) {
  Arguments args = {"urls.txt", "--per-host",     "4,0.5", "--per-domain=0,0", "--per-address",
                    "9",        "--at-once",      "7",     "--timeout",        "5s",
                    "--robots", "--out",          "o",     "--retries",        "0",
                    "--x",      "--max-failures", "3"};
  CheckArguments into;
  EXPECT_EQ(TakeCheckArguments(&args, &into), std::nullopt);
  EXPECT_EQ(args, (Arguments{"--set=spider.fetch.total_timeout=5s", "urls.txt", "--x"}));
  const PressureLimits& limits = into.settings.limits;
  EXPECT_EQ(limits.host.at_once, 4u);
  EXPECT_EQ(limits.host.per_second, 0.5);
  EXPECT_EQ(limits.domain.at_once, 0u);
  EXPECT_EQ(limits.domain.per_second, 0);
  EXPECT_EQ(limits.address.at_once, 9u);
  EXPECT_EQ(limits.address.per_second, 8) << "the rate is its own";
  EXPECT_EQ(limits.at_once, 7u);
  EXPECT_TRUE(into.at_once_given);
  EXPECT_EQ(into.settings.retries, 0u);
  EXPECT_EQ(into.max_failures, 3u);
}

TEST(CheckArgumentsTest, ValuesThatMakeNoSenseAreRefused) {
  for (const Arguments& args : {Arguments{"--per-host", ""},
                                {"--per-host", "1,"},
                                {"--per-host", "-1"},
                                {"--per-host", "1,-2"},
                                {"--per-host", "1,nan"},
                                {"--per-host", "1,2,3"},
                                {"--per-host", "1,0.000001"},
                                {"--at-once", "0"},
                                {"--column", "0"},
                                {"--retry-delay", "5"},
                                {"--max-redirects", "x"},
                                {"--max-failures", "-1"}}) {
    EXPECT_THAT(WrongWith(args), testing::StartsWith(args[0] + " " + args[1] + ": expected"));
  }
}

TEST(CheckArgumentsTest, OnlyOptionsThatChangeResultsAreTheirMeaning) {
  const auto meaning = [](Arguments args) {
    CheckArguments into;
    EXPECT_EQ(TakeCheckArguments(&args, &into), std::nullopt);
    return into.Meaning();
  };
  EXPECT_EQ(meaning({}), meaning({"--at-once", "3", "--per-host", "2", "--retries", "5"}));
  EXPECT_NE(meaning({}), meaning({"--failures-only"}));
  EXPECT_NE(meaning({}), meaning({"--robots"}));
  EXPECT_NE(meaning({}), meaning({"--column", "2"}));
  EXPECT_NE(meaning({}), meaning({"--max-redirects", "2"}));
}

TEST(FileLimitTest, IsRaisedAsFarAsItMay) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit low{.rlim_cur = 64, .rlim_max = before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &low), 0);
  EXPECT_EQ(RaiseFileLimit(32), 64u);
  EXPECT_EQ(RaiseFileLimit(100), 100u);
  EXPECT_EQ(RaiseFileLimit(UINT64_MAX), before.rlim_max);
  setrlimit(RLIMIT_NOFILE, &before);
}

TEST(InputCopyTest, AllThatComesIsKept) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const std::string text(3'000'000, 'x');
  std::thread writer([&] {
    EXPECT_EQ(write(ends[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
    close(ends[1]);
  });
  const StopRequest stop;
  const auto copy = CopyToFile(ends[0], stop);
  writer.join();
  ASSERT_OK(copy);
  EXPECT_EQ(lseek(*copy, 0, SEEK_END), static_cast<off_t>(text.size()));
  close(*copy);
  close(ends[0]);
}

TEST(InputCopyTest, AStopEndsIt) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  StopRequest stop;
  stop.Request();
  EXPECT_FALSE(CopyToFile(ends[0], stop).ok());
  close(ends[0]);
  close(ends[1]);
}

}  // namespace
}  // namespace orbweaver
