#include "cli/orders/order_desk.h"

#include <memory>
#include <string>

#include "cli/order_writer.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/status.h"
#include "common/bus/embedded/embedded_bus.h"
#include "common/bus/topics.h"
#include "common/protocol/dead_letters.h"
#include "common/store/rocksdb/database.h"
#include "common/store/rocksdb/rocksdb_store.h"
#include "tests/support/expect_ok.h"
#include "tests/support/scratch_folder.h"

namespace orbweaver {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

constexpr Duration kLong = std::chrono::minutes(1);

class OrderDeskTest : public ::testing::Test {
 protected:
  OrderDeskTest() {
    database_ = *Database::Open({.folder = folder_.path() / "data"});
    store_ = std::make_unique<RocksdbStore>(*database_);
    bus_ = *EmbeddedBus::Open(*database_, SystemClock());
    TopicOptions topics;
    topics.partitions = 4;
    EXPECT_OK(bus_->EnsureTopics(*ProductTopics(topics), kLong));
    const auto open = [this]() -> absl::StatusOr<OpenCrawl> {
      return OpenCrawl{.bus = bus_.get(), .store = store_.get(), .owner = {}};
    };
    subject_ = {.look = open,
                .open = open,
                .queue =
                    [] {
                      QueueSample sample;
                      sample.partitions.resize(4);
                      sample.partitions[2].waiting[1] = 5;
                      sample.partitions[3].delayed = 7;
                      return sample;
                    },
                .has_scope = true,
                .holds_once = ", once it is read",
                .add_seeds =
                    [this](Bus&, const std::vector<std::string>& urls) -> absl::StatusOr<uint64_t> {
                  seeds_ = urls;
                  return urls.size();
                },
                .ask_owner = [this](const std::string& action,
                                    int partition) -> absl::StatusOr<std::string> {
                  asked_.push_back(action + std::to_string(partition));
                  if (partition == refused_) return RetryError("it is nobody's");
                  return "done";
                },
                .drain = {}};
  }

  absl::StatusOr<OrderEffect> Give(std::string_view name, const FormParams& params, bool preview) {
    const OrderDesk desk(options_, *suffixes_, clock_, subject_);
    ASSIGN_OR_RETURN(const Order order, desk.Read(name, params));
    return preview ? desk.Preview(order) : desk.Do(order);
  }
  int64_t Written(std::string_view topic) {
    int64_t count = 0;
    const auto reader = *bus_->NewOffsetReader();
    for (int i = 0; i < *bus_->PartitionCount(topic, kLong); ++i) {
      const PartitionId partition(i);
      count += (*reader->Bounds(topic, {&partition, 1}, kLong))[0].end.value();
    }
    return count;
  }

  const ScratchFolder folder_;
  ProductOptions options_;
  const std::unique_ptr<const PublicSuffixes> suffixes_ = *PublicSuffixes::Load({});
  ManualClock clock_;
  std::unique_ptr<Database> database_;
  std::unique_ptr<RocksdbStore> store_;
  std::unique_ptr<EmbeddedBus> bus_;
  OrderSubject subject_;
  std::vector<std::string> seeds_;
  std::vector<std::string> asked_;
  int refused_ = -1;
};

// Parameters with which each order can be read.
FormParams GoodParams(OrderAction action) {
  switch (action) {
    case OrderAction::kBlock:
      return {{"domain", "a.test"}, {"for", "1h"}};
    case OrderAction::kUnblock:
    case OrderAction::kPurge:
    case OrderAction::kForget:
      return {{"domain", "a.test"}};
    case OrderAction::kRaise:
      return {{"url", "http://a.test/"}, {"score", "0.5"}};
    case OrderAction::kReschedule:
      return {{"url", "http://a.test/"}, {"in", "2h"}};
    case OrderAction::kAddSeeds:
      return {{"urls", "http://a.test/"}};
    case OrderAction::kPause:
    case OrderAction::kRequeueFailed:
    case OrderAction::kRequeueDeadLetters:
      return {};
    case OrderAction::kResume:
      return {{"partition", "2"}};
    case OrderAction::kDrain:
      return {{"worker", "db-1"}};
  }
  return {};
}

TEST_F(OrderDeskTest, APreviewOfAnyOrderCountsAndChangesNothing) {
  subject_.drain = [](const std::string&) -> absl::StatusOr<std::string> { return "drained"; };
  for (const OrderKind& kind : OrderKinds()) {
    const auto effect = Give(kind.name, GoodParams(kind.action), /*preview=*/true);
    if (kind.action == OrderAction::kRaise || kind.action == OrderAction::kReschedule) {
      EXPECT_THAT(std::string(MessageOf(effect.status())), HasSubstr("was never heard of"));
      continue;
    }
    ASSERT_OK(effect.status()) << kind.name;
    EXPECT_FALSE(effect->touches.empty()) << kind.name;
    EXPECT_FALSE(effect->says.empty()) << kind.name;
  }
  EXPECT_EQ(Written(kSpiderLogTopic), 0);
  EXPECT_THAT(seeds_, ElementsAre());
  EXPECT_THAT(asked_, ElementsAre());
}

TEST_F(OrderDeskTest, EveryOrderIsReadByItsNameAndNoOther) {
  const OrderDesk desk(options_, *suffixes_, clock_, subject_);
  for (const OrderKind& kind : OrderKinds()) {
    EXPECT_EQ(OrderName(kind.action), kind.name);
    const auto order = ReadOrder(kind.name, GoodParams(kind.action), options_.spider.url,
                                 *suffixes_, clock_.Wall());
    ASSERT_OK(order.status()) << kind.name;
    EXPECT_EQ(order->action, kind.action);
    FormParams wrong = GoodParams(kind.action);
    wrong["cats"] = "1";
    EXPECT_TRUE(IsPoison(desk.Read(kind.name, wrong).status())) << kind.name;
  }
  EXPECT_TRUE(absl::IsNotFound(desk.Read("cats", {}).status()));
}

TEST_F(OrderDeskTest, AnOrderAboutAUrlIsCheckedBeforeAnythingIsLookedAt) {
  const OrderDesk desk(options_, *suffixes_, clock_, subject_);
  const auto read = [&](std::string_view name, FormParams params) {
    params["url"] = "http://a.test/";
    return desk.Read(name, params);
  };
  const auto order = read("reschedule", {{"in", "2h"}, {"score", "0.25"}});
  ASSERT_OK(order.status());
  EXPECT_TRUE(order->url.fetch_again);
  EXPECT_EQ(order->url.not_before, clock_.Wall() + std::chrono::hours(2));
  EXPECT_EQ(order->url.score, 0.25f);
  EXPECT_FALSE(read("raise", {})->url.fetch_again);
  EXPECT_EQ(read("raise", {})->url.score, 1);
  for (const char* const score : {"1.5", "-0.1", "much"}) {
    EXPECT_TRUE(IsPoison(read("raise", {{"score", score}}).status())) << score;
  }
  EXPECT_TRUE(IsPoison(read("raise", {{"in", "2h"}}).status())) << "a raise is for now";
  EXPECT_TRUE(IsPoison(read("reschedule", {{"in", "soon"}}).status()));
}

TEST_F(OrderDeskTest, AnOrderAboutADomainIsWrittenOnceAndSaysWhenItHolds) {
  const auto done = Give("block", {{"domain", "https://www.a.test/x"}, {"for", "1h"}}, false);
  ASSERT_OK(done.status());
  EXPECT_EQ(done->says,
            "order written: a.test is blocked until 2019-12-20T01:00:00.000Z, once it is read");
  EXPECT_THAT(done->touches, ElementsAre(Pair("waiting", 0u), Pair("delayed", 0u)));
  EXPECT_EQ(Written(kSpiderLogTopic), 1);
}

TEST_F(OrderDeskTest, SentencesOfPreviewsBeginWithTheirVerb) {
  EXPECT_EQ(Give("unblock", {{"domain", "a.test"}}, true)->says,
            "ends a back-off of a.test, which is not blocked; 0 requests of a.test may leave");
  EXPECT_EQ(Give("purge", {{"domain", "a.test"}}, true)->says,
            "drops 0 requests of a.test that wait");
  EXPECT_EQ(Give("forget", {{"domain", "a.test"}}, true)->says,
            "forgets a.test: 0 requests that wait, 0 known URLs and 0 failed ones by name");
}

TEST_F(OrderDeskTest, APauseCountsItsPartitionsOnly) {
  const auto one = Give("pause", {{"partition", "2"}}, true);
  EXPECT_THAT(one->touches,
              ElementsAre(Pair("partitions", 1u), Pair("waiting", 5u), Pair("delayed", 0u)));
  EXPECT_EQ(one->says, "stops the feed of partition 2, in which 5 requests wait");
  const auto all = Give("pause", {{"partition", "all"}}, false);
  EXPECT_THAT(all->touches,
              ElementsAre(Pair("partitions", 4u), Pair("waiting", 5u), Pair("delayed", 7u)));
  EXPECT_EQ(all->says, "all 4 partitions are paused");
  EXPECT_THAT(asked_, ElementsAre("pause0", "pause1", "pause2", "pause3"));
  EXPECT_TRUE(IsPoison(Give("pause", {{"partition", "4"}}, false).status()));
}

TEST_F(OrderDeskTest, APauseThatStopsHalfwaySaysHowFarItCame) {
  refused_ = 2;
  const auto done = Give("pause", {}, false);
  EXPECT_TRUE(IsRetry(done.status()));
  EXPECT_THAT(std::string(MessageOf(done.status())),
              HasSubstr("2 of 4 partitions are paused; partition 2: it is nobody's"));
}

TEST_F(OrderDeskTest, SeedsAreAllTakenOrNone) {
  const auto two = Give("add-seeds", {{"urls", "http://a.test/\r\n\n b.test/x \n"}}, false);
  ASSERT_OK(two.status());
  EXPECT_THAT(two->touches, ElementsAre(Pair("seeds", 2u), Pair("domains", 2u)));
  EXPECT_THAT(seeds_, ElementsAre("http://a.test/", "b.test/x"));
  seeds_.clear();
  EXPECT_TRUE(IsPoison(Give("add-seeds", {{"urls", "http://a.test/\nmailto:x"}}, false).status()));
  options_.spider.scope.exclude = {"*.png"};
  EXPECT_THAT(std::string(MessageOf(Give("add-seeds", {{"urls", "a.test/x.png"}}, true).status())),
              HasSubstr("left out"));
  EXPECT_THAT(seeds_, ElementsAre());
}

TEST_F(OrderDeskTest, LettersAreCountedAndThenPutBackOnce) {
  ASSERT_OK(WriteOrder(*bus_, clock_, "a.test", {.purge = true}, kLong).status());
  ASSERT_EQ(Written(kSpiderLogTopic), 1);
  // The order itself serves as an event that nobody could process.
  LogReader reader({.topic = std::string(kSpiderLogTopic)});
  ASSERT_OK(reader.Read(*bus_, kLong, [this](const Message& message) {
    const auto producer = *bus_->NewProducer({}, [](const Ack&) {});
    const Header headers[] = {{kDeadLetterTopicHeader, kSpiderLogTopic},
                              {kDeadLetterPartitionHeader, "0"},
                              {kDeadLetterOffsetHeader, "0"},
                              {kDeadLetterCauseHeader, "x"}};
    EXPECT_OK(
        producer->Send({kDeadLetterTopic, PartitionId(0), message.key, message.value, headers}, 0));
    EXPECT_OK(producer->Flush(kLong));
    return true;
  }));
  for (const char* const time : {"first", "second"}) {
    const auto preview = Give("requeue-dead-letters", {}, true);
    ASSERT_OK(preview.status());
    EXPECT_EQ(preview->touches[0], (std::pair<std::string_view, uint64_t>("letters", 1))) << time;
  }
  EXPECT_EQ(Give("requeue-dead-letters", {{"offset", "0"}}, false)->says,
            "1 event put back into the spider log");
  EXPECT_EQ(Written(kSpiderLogTopic), 2);
  EXPECT_EQ(Give("requeue-dead-letters", {}, true)->touches[0].second, 0u);
}

TEST_F(OrderDeskTest, AnOrderThatTheSubjectDoesNotTakeIsNotFound) {
  EXPECT_TRUE(absl::IsNotFound(Give("drain", {{"worker", "x"}}, true).status()));
  subject_.ask_owner = {};
  EXPECT_TRUE(absl::IsNotFound(Give("pause", {}, true).status()));
}

}  // namespace
}  // namespace orbweaver
