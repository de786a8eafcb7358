#include "cli/frontier/domain_outcomes.h"

#include <string>
#include <vector>

#include "fmt/format.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/status.h"
#include "common/bus/memory/memory_bus.h"
#include "common/bus/topics.h"
#include "common/model/encode_buffer.h"
#include "tests/support/expect_ok.h"

namespace orbweaver {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;

constexpr Duration kLong = std::chrono::minutes(1);
constexpr PartitionId kPartition{1};

class DomainOutcomesTest : public testing::Test {
 protected:
  DomainOutcomesTest() {
    const TopicSpec topic{.name = std::string(kSpiderLogTopic), .partitions = 2};
    EXPECT_OK(bus_.EnsureTopics({&topic, 1}, kLong));
  }
  void Append(std::string_view key, std::string_view value) {
    ASSERT_OK(producer_->Send({kSpiderLogTopic, kPartition, key, value, {}}, 0));
    ASSERT_OK(producer_->Flush(kLong));
    clock_.Advance(std::chrono::seconds(1));
  }
  void Append(const std::string& domain, const decltype(SpiderLogEntry::event)& event) {
    const auto value = Encode({.domain = domain, .event = event}, &buffer_);
    ASSERT_OK(value);
    Append(domain, *value);
  }
  void AppendPage(const std::string& domain, int n) {
    const std::string url = fmt::format("http://{}/{}", domain, n);
    Append(domain, PageFetched{.request = {.url = url, .domain = domain},
                               .status = 200,
                               .fetched_at = clock_.Wall(),
                               .total = milliseconds(10 + n),
                               .received_bytes = uint64_t{1000} + static_cast<uint64_t>(n)});
  }
  DomainOutcomes Read(const OutcomeBounds& bounds = {}) {
    auto read = ReadDomainOutcomes(bus_, "a.test", kPartition, bounds, kLong);
    EXPECT_OK(read);
    return read.value_or(DomainOutcomes());
  }
  static std::vector<std::string> UrlsOf(const DomainOutcomes& last) {
    std::vector<std::string> urls;
    for (const Outcome& outcome : last.outcomes) urls.push_back(outcome.url);
    return urls;
  }

  ManualClock clock_;
  MemoryBroker broker_{&clock_};
  MemoryBus bus_{&broker_, {}};
  const std::unique_ptr<Producer> producer_ = *bus_.NewProducer({}, [](const Ack&) {});
  EncodeBuffer buffer_;
};

TEST_F(DomainOutcomesTest, PagesAndFailuresOfTheDomainAloneTheNewestFirst) {
  AppendPage("a.test", 1);
  AppendPage("b.test", 2);
  Append("a.test", LinksFound{.source = {.url = "http://a.test/1"}});
  Append("a.test", "damaged");
  Append("a.test", FetchFailed{.request = {.url = "http://a.test/gone", .domain = "a.test"},
                               .cause = FailureCause::kHttp4xx,
                               .status = 404,
                               .failed_at = WallTime(milliseconds(7)),
                               .total = milliseconds(35)});
  const DomainOutcomes last = Read();
  ASSERT_THAT(UrlsOf(last), ElementsAre("http://a.test/gone", "http://a.test/1"));
  EXPECT_EQ(last.outcomes[0].cause, FailureCause::kHttp4xx);
  EXPECT_EQ(last.outcomes[0].status, 404u);
  EXPECT_EQ(last.outcomes[0].time, WallTime(milliseconds(7)));
  EXPECT_EQ(last.outcomes[0].latency, milliseconds(35));
  EXPECT_EQ(last.outcomes[1].cause, std::nullopt);
  EXPECT_EQ(last.outcomes[1].latency, milliseconds(11));
  EXPECT_EQ(last.outcomes[1].bytes, 1001u);
  EXPECT_EQ(last.read_back_to, WallTime()) << "the log holds no more";
}

TEST_F(DomainOutcomesTest, OnlyTheLastOfMany) {
  for (int n = 0; n < 60; ++n) AppendPage("a.test", n);
  const DomainOutcomes last = Read();
  ASSERT_EQ(last.outcomes.size(), 50u);
  EXPECT_EQ(last.outcomes.front().url, "http://a.test/59");
  EXPECT_EQ(last.outcomes.back().url, "http://a.test/10");
}

// Portions of 250 and 500 messages come first, then what the bound leaves: 350 - 250 = 100.
TEST_F(DomainOutcomesTest, TheReadEndsAtItsBoundsAndSaysWhere) {
  const WallTime begin = clock_.Wall();
  AppendPage("a.test", 1);
  for (int n = 0; n < 399; ++n) Append("b.test", "x");
  const DomainOutcomes none = Read({.messages = 350});
  EXPECT_THAT(UrlsOf(none), ElementsAre());
  EXPECT_EQ(none.read_back_to, begin + std::chrono::seconds(50));
  EXPECT_THAT(UrlsOf(Read({.messages = 400})), ElementsAre("http://a.test/1"));
  // One byte each: the first portion has 250, and the second none to spare.
  EXPECT_EQ(Read({.bytes = 200}).read_back_to, begin + std::chrono::seconds(150));
}

TEST(PaceTest, IsToldByTheLastOutcomesWhereThereAreEnoughThatAreNew) {
  const WallTime now{std::chrono::hours(500'000)};
  const auto ago = [now](int seconds) {
    return Outcome{.url = {}, .time = now - std::chrono::seconds(seconds), .cause = {}};
  };
  EXPECT_EQ(PaceOf({.outcomes = {ago(3), ago(5), ago(12)}, .read_back_to = {}}, now),
            std::chrono::seconds(4));
  EXPECT_EQ(PaceOf({.outcomes = {ago(3), ago(5)}, .read_back_to = {}}, now), std::nullopt);
  EXPECT_EQ(PaceOf({.outcomes = {ago(601), ago(605), ago(612)}, .read_back_to = {}}, now),
            std::nullopt);
  // A clock that was set back.
  EXPECT_EQ(PaceOf({.outcomes = {ago(-9), ago(-8), ago(-7)}, .read_back_to = {}}, now),
            Duration::zero());
}

TEST_F(DomainOutcomesTest, ALogWithoutMessagesHasNone) {
  EXPECT_THAT(UrlsOf(Read()), ElementsAre());
  EXPECT_EQ(Read().read_back_to, WallTime());
}

}  // namespace
}  // namespace orbweaver
