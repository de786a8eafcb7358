#include "cli/check/check_tally.h"

#include "cli/check/check_summary.h"
#include "fmt/format.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace orbweaver {
namespace {

using testing::HasSubstr;
using testing::Not;

CheckRecord Alive(std::string_view host, uint32_t milliseconds) {
  return {
      .verdict = CheckVerdict::kAlive, .status = 200, .milliseconds = milliseconds, .host = host};
}
CheckRecord Dead(std::string_view host, uint32_t status, std::string_view cause) {
  return {.verdict = CheckVerdict::kDead, .status = status, .cause = cause, .host = host};
}

std::string Lines(const std::vector<CheckTally::HostLine>& lines) {
  std::string text;
  for (const auto& [host, value] : lines) text += fmt::format("{} {};", host, value);
  return text;
}

TEST(CheckTallyTest, HostsAreCountedByTheirAnswers) {
  CheckTally tally(30, 100);
  tally.Add(Alive("slow.test", 3000));
  tally.Add(Alive("slow.test", 1000));
  tally.Add(Alive("quick.test", 10));
  tally.Add(Dead("mixed.test", 404, "http_4xx"));
  tally.Add(Dead("mixed.test", 0, "refused"));
  tally.Add(Dead("dead.test", 0, "dns"));
  tally.Add(Dead("dead.test", 0, "dns"));
  tally.Add({.verdict = CheckVerdict::kSkipped, .cause = "bad_url"});
  EXPECT_EQ(Lines(tally.Slowest(2)), "slow.test 2000;quick.test 10;");
  EXPECT_EQ(Lines(tally.Dead(9)), "dead.test 2;");
  EXPECT_EQ(tally.dead_hosts(), 1u);
  EXPECT_EQ(tally.failures(), 4u);
  EXPECT_EQ(tally.total(), 8u);
  const std::vector<std::pair<std::string, uint64_t>> failures = {
      {"dns", 2}, {"404", 1}, {"bad_url", 1}, {"refused", 1}};
  EXPECT_EQ(tally.Failures(), failures);
}

TEST(CheckTallyTest, OfEachCertificateTheFirstEndCounts) {
  CheckTally tally(30, 100);
  for (const int64_t days : {29, -2, 5, 30, 400}) {
    CheckRecord record = Alive("a.test", 1);
    record.certificate_days = days;
    const std::string host = days < 10 ? "a.test" : fmt::format("h{}.test", days);
    record.certificate_host = host;
    tally.Add(record);
  }
  const std::vector<std::pair<std::string, int64_t>> ending = {{"a.test", -2}, {"h29.test", 29}};
  EXPECT_EQ(tally.EndingSoon(9), ending);
}

TEST(CheckTallyTest, HostsBeyondTheBoundAreNotCountedAndThatIsSaid) {
  CheckTally tally(30, 3);
  for (int i = 0; i < 10; ++i) {
    const std::string host = fmt::format("h{}.test", i);
    tally.Add(Alive(host, 1));
  }
  EXPECT_EQ(tally.Slowest(100).size(), 3u);
  EXPECT_FALSE(tally.all_hosts_counted());
  EXPECT_EQ(tally.count(CheckVerdict::kAlive), 10u);
  EXPECT_THAT(SummaryText({}, tally), HasSubstr("counted up to a bound"));
}

TEST(CheckSummaryTest, OnlyLinesThatSaySomethingAreThere) {
  CheckTally tally(30, 100);
  CheckEnd end{.why = "every URL is checked", .elapsed = std::chrono::seconds(10)};
  tally.Add(Alive("a.test", 7));
  end.checked_now = 1;
  const std::string text = SummaryText(end, tally);
  EXPECT_THAT(text, HasSubstr("Ended: every URL is checked.\n1 URL checked in 10 s (0.1/s)\n"));
  for (const char* other : {"left", "earlier", "Not alive", "Redirected", "never answered",
                            "Certificates", "To go on", "Results"}) {
    EXPECT_THAT(text, Not(HasSubstr(other)));
  }
  end.left = 3;
  end.go_on = "orbweaver check x";
  end.counts.duplicates = 2;
  EXPECT_THAT(SummaryText(end, tally), HasSubstr("To go on: orbweaver check x\n"));
  EXPECT_THAT(SummaryText(end, tally), HasSubstr("2 lines with a URL"));
}

TEST(CheckSummaryTest, WhatAnOptionKeptFromBeingAskedIsToldWithTheOption) {
  CheckTally tally(30, 100);
  tally.Add({.verdict = CheckVerdict::kSkipped, .cause = "port", .host = "a.test"});
  tally.Add({.verdict = CheckVerdict::kSkipped, .cause = "private_address", .host = "b.test"});
  const std::string text = SummaryText({}, tally);
  EXPECT_THAT(text, HasSubstr("--set network.ports="));
  EXPECT_THAT(text, HasSubstr("--set network.allow_hosts="));
}

TEST(CheckSummaryTest, TheProgressLineSaysHowLongItTakes) {
  const CheckTally tally(30, 100);
  const std::string line = ProgressLine({.state = "checking",
                                         .elapsed = std::chrono::seconds(12),
                                         .per_second = 50,
                                         .urls = 10'000,
                                         .left = 9'000,
                                         .asking = 40,
                                         .waiting = 7},
                                        tally);
  EXPECT_EQ(line,
            "checking for 12 s: 1,000 of 10,000 (10.0 %), 50.0/s, about 3 min 0 s left; 0 alive, 0 "
            "dead, 0 unclear; 40 being asked, 7 waiting for their turn");
}

}  // namespace
}  // namespace orbweaver
