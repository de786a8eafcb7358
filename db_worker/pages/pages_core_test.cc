#include "db_worker/pages/pages_core.h"

#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/check.h"
#include "common/base/status.h"
#include "common/bus/memory/memory_bus.h"
#include "common/bus/topics.h"
#include "common/protocol/topic_record.h"
#include "common/store/memory/memory_store.h"
#include "common/url/fingerprint.h"
#include "db_worker/pages/page_reader.h"
#include "tests/support/expect_ok.h"

namespace orbweaver {
namespace {

using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

constexpr Duration kLong = std::chrono::minutes(10);
constexpr Fingerprint kOneContent{1, 1}, kOtherContent{2, 2};

class PagesCoreTest : public ::testing::Test {
 protected:
  PagesCoreTest() {
    CHECK_OK(bus_.EnsureTopics(*ProductTopics({.partitions = 1}), kLong).status());
    CHECK_OK(SaveTopicRecord(store_, {.topic_epoch = 1, .partitions = 1}, kLong));
    producer_ = *bus_.NewProducer({}, [](const Ack& ack) { CHECK_OK(ack.status); });
  }

  static PageFetched Page(std::string_view url, const Fingerprint& content,
                          std::string_view title = "A title") {
    return {.request = {.url = url, .fingerprint = FingerprintOf(url), .domain = "one.com"},
            .status = 200,
            .content_hash = content,
            .title = title};
  }
  void Log(const PageFetched& page) {
    const auto value = Encode(SpiderLogEntry{.domain = "one.com", .event = page}, &buffer_);
    CHECK_OK(value.status());
    LogBytes(*value);
  }
  void LogBytes(std::string_view value) {
    CHECK_OK(producer_->Send({kSpiderLogTopic, PartitionId(0), "one.com", value, {}}, 0));
    CHECK_OK(producer_->Flush(kLong));
  }
  // Ends the worker without a word, and starts another.
  void Restart() {
    core_.reset();
    clock_.Advance(std::chrono::minutes(1));
    auto made = PagesCore::Create(bus_, store_, clock_, metrics_,
                                  {.options = options_, .membership = membership_});
    CHECK_OK(made.status());
    core_ = *std::move(made);
  }
  void Settle() {
    if (core_ == nullptr) Restart();
    for (int idle = 0; idle < 4;) {
      const uint64_t before = metrics_.messages.value();
      CHECK_OK(core_->Step(Duration::zero()));
      idle = metrics_.messages.value() == before ? idle + 1 : 0;
    }
  }

  std::unique_ptr<FoundPage> Find(std::string_view url) {
    auto found = FindPage(store_, "one.com", FingerprintOf(url), true, kLong);
    EXPECT_OK(found);
    return *std::move(found);
  }
  std::vector<std::string> WithContent(const Fingerprint& content) {
    std::vector<std::string> urls;
    EXPECT_OK(ForEachWithContent(store_, content, kLong, [&urls](const StoredPage& page) {
      urls.emplace_back(page.page.request.url);
      return true;
    }));
    return urls;
  }

  ManualClock clock_;
  MemoryBroker broker_{&clock_};
  MemoryBus bus_{&broker_, {}};
  MemoryTables tables_;
  MemoryStore store_{&tables_, {}};
  std::unique_ptr<Producer> producer_;
  EncodeBuffer buffer_;
  MetricRegistry registry_;
  PagesMetrics metrics_{registry_};
  PagesOptions options_;
  GroupMembership membership_;
  std::unique_ptr<PagesCore> core_;
};

TEST_F(PagesCoreTest, APageIsFoundByItsUrlAndByItsContent) {
  Log(Page("http://one.com/a", kOneContent));
  Log(Page("http://one.com/b", kOneContent));
  Log(Page("http://one.com/c", kOtherContent));
  Settle();
  EXPECT_EQ(Find("http://one.com/a")->page.page.title, "A title");
  EXPECT_EQ(Find("http://one.com/never"), nullptr);
  EXPECT_THAT(WithContent(kOneContent),
              UnorderedElementsAre("http://one.com/a", "http://one.com/b"));
}

// It is the only member of its group: when that took it for dead, its commit would be refused.
TEST_F(PagesCoreTest, AStoreThatIsAwayForTenMinutesCostsNoPartition) {
  Settle();
  Log(Page("http://one.com/a", kOneContent));
  tables_.SetAvailable(false);
  for (int i = 0; i < 300; ++i) {
    const absl::Status status = core_->Step(Duration::zero());
    ASSERT_TRUE(status.ok() || IsRetry(status)) << status;
    clock_.Advance(std::chrono::seconds(2));
  }
  tables_.SetAvailable(true);
  Log(Page("http://one.com/b", kOneContent));
  Settle();
  EXPECT_THAT(WithContent(kOneContent),
              UnorderedElementsAre("http://one.com/a", "http://one.com/b"));
  EXPECT_EQ(metrics_.replayed.value(), 0u);
}

TEST_F(PagesCoreTest, ABatchInHandOutlivesTheLossOfItsPartition) {
  Settle();
  Log(Page("http://one.com/a", kOneContent));
  tables_.SetAvailable(false);
  EXPECT_TRUE(IsRetry(core_->Step(Duration::zero())));
  clock_.Advance(std::chrono::minutes(1));  // its group takes it for dead
  for (int i = 0; i < 3; ++i) {
    const absl::Status status = core_->Step(Duration::zero());
    ASSERT_TRUE(status.ok() || IsRetry(status)) << status;
  }
  tables_.SetAvailable(true);
  Settle();
  EXPECT_THAT(WithContent(kOneContent), UnorderedElementsAre("http://one.com/a"));
  EXPECT_EQ(metrics_.replayed.value(), 1u);
}

TEST_F(PagesCoreTest, AChangedPageIsNoLongerFoundByItsFormerContent) {
  Log(Page("http://one.com/a", kOneContent));
  Settle();
  Log(Page("http://one.com/a", kOtherContent, "Another"));
  Settle();
  EXPECT_EQ(Find("http://one.com/a")->page.page.title, "Another");
  EXPECT_THAT(WithContent(kOneContent), IsEmpty());
  EXPECT_THAT(WithContent(kOtherContent), UnorderedElementsAre("http://one.com/a"));
  EXPECT_EQ(metrics_.changed.value(), 1u);
  // And back.
  Log(Page("http://one.com/a", kOneContent));
  Settle();
  EXPECT_THAT(WithContent(kOneContent), UnorderedElementsAre("http://one.com/a"));
}

TEST_F(PagesCoreTest, ANotModifiedAnswerKeepsWhatIsKnownOfTheContent) {
  options_.bodies = true;
  PageFetched page = Page("http://one.com/a", kOneContent);
  page.body = "the body";
  Log(page);
  Settle();
  PageFetched unchanged = Page("http://one.com/a", {}, "");
  unchanged.status = 304;
  unchanged.not_modified = true;
  unchanged.fetched_at = clock_.Wall();
  Log(unchanged);
  Settle();
  const auto found = Find("http://one.com/a");
  EXPECT_EQ(found->page.page.title, "A title");
  EXPECT_EQ(found->page.page.fetched_at, clock_.Wall());
  EXPECT_TRUE(found->page.page.not_modified);
  EXPECT_EQ(found->body, "the body");
  EXPECT_THAT(WithContent(kOneContent), UnorderedElementsAre("http://one.com/a"));
}

TEST_F(PagesCoreTest, ABodyIsShownOnlyWithTheContentThatItBelongsTo) {
  PageFetched page = Page("http://one.com/a", kOneContent);
  page.body = "the body";
  Log(page);
  Settle();
  EXPECT_FALSE(Find("http://one.com/a")->body.has_value());  // bodies are not kept
  options_.bodies = true;
  Restart();
  Log(page);
  Settle();
  EXPECT_EQ(Find("http://one.com/a")->body, "the body");
  Log(Page("http://one.com/a", kOtherContent));  // the spider logged no body
  Settle();
  EXPECT_FALSE(Find("http://one.com/a")->body.has_value());
}

TEST_F(PagesCoreTest, OnlyChosenHeadersAreKept) {
  options_.headers = {"server"};
  const HttpHeader headers[] = {{.name = "server", .value = "x"},
                                {.name = "date", .value = "today"}};
  PageFetched page = Page("http://one.com/a", kOneContent);
  page.headers = headers;
  Log(page);
  Settle();
  const auto found = Find("http://one.com/a");
  ASSERT_EQ(found->page.page.headers.size(), 1u);
  EXPECT_EQ(found->page.page.headers[0].name, "server");
}

TEST_F(PagesCoreTest, AReplayChangesNothing) {
  Log(Page("http://one.com/a", kOneContent, "First"));
  Log(Page("http://one.com/a", kOtherContent, "Second"));
  Settle();
  // The commit was lost.
  core_.reset();
  clock_.Advance(std::chrono::minutes(1));
  const auto consumer = *bus_.NewConsumer({.group = std::string(kPagesGroup)});
  const AssignedPartition from{.partition = PartitionId(0), .position = Offset(0)};
  CHECK_OK(consumer->Assign(kSpiderLogTopic, {&from, 1}));
  const OffsetCommit commit{.partition = PartitionId(0), .offset = Offset(0), .metadata = {}};
  CHECK_OK(consumer->Commit({&commit, 1}, kLong));
  Restart();
  Settle();
  EXPECT_EQ(metrics_.replayed.value(), 2u);
  EXPECT_EQ(Find("http://one.com/a")->page.page.title, "Second");
  EXPECT_THAT(WithContent(kOneContent), IsEmpty());
}

TEST_F(PagesCoreTest, AStoreThatIsAwayIsWaitedForAndNothingIsCommittedBefore) {
  Settle();
  Log(Page("http://one.com/a", kOneContent));
  tables_.SetAvailable(false);
  EXPECT_TRUE(IsRetry(core_->Step(Duration::zero())));
  tables_.SetAvailable(true);
  Restart();  // it died meanwhile
  Settle();
  EXPECT_NE(Find("http://one.com/a"), nullptr);
}

TEST_F(PagesCoreTest, WhatCannotBeReadIsPassedOver) {
  LogBytes("no message");
  Log(Page("http://one.com/a", kOneContent));
  Settle();
  EXPECT_EQ(metrics_.poison.value(), 1u);
  EXPECT_NE(Find("http://one.com/a"), nullptr);
}

TEST_F(PagesCoreTest, ACutLogStopsItUnlessItIsConfiguredToGoOnAndThenIsCounted) {
  Log(Page("http://one.com/first", kOtherContent));
  Settle();
  for (int i = 0; i < 10; ++i) Log(Page("http://one.com/" + std::to_string(i), kOneContent));
  ASSERT_OK(broker_.CutLog(kSpiderLogTopic, PartitionId(0), Offset(8)));
  Restart();
  absl::Status status;
  for (int i = 0; i < 4 && status.ok(); ++i) status = core_->Step(Duration::zero());
  EXPECT_TRUE(IsFatal(status)) << status;
  membership_.on_cut = OnCutLog::kContinue;
  Restart();
  Settle();
  EXPECT_EQ(metrics_.lost.value(), 7u);
  EXPECT_EQ(WithContent(kOneContent).size(), 3u);
}

}  // namespace
}  // namespace orbweaver
