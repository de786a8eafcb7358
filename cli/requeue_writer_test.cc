#include "cli/requeue_writer.h"

#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/bus/memory/memory_bus.h"
#include "common/bus/topics.h"
#include "common/model/arena.h"
#include "common/model/encode_buffer.h"
#include "common/protocol/failed_url_rows.h"
#include "common/store/memory/memory_store.h"
#include "common/url/fingerprint.h"
#include "common/url/partition.h"
#include "tests/support/expect_ok.h"

namespace orbweaver {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

constexpr Duration kLong = std::chrono::minutes(1);

class RequeueWriterTest : public ::testing::Test {
 protected:
  RequeueWriterTest() { EXPECT_OK(bus_.EnsureTopics(*ProductTopics({.partitions = 4}), kLong)); }

  void Keep(const std::string& domain, const std::string& url, FailureCause cause,
            uint32_t status = 0) {
    EncodeBuffer buffer;
    const Meta meta{.key = "list", .value = "a"};
    const FetchFailed failed{
        .request = {.url = url, .domain = domain, .score = 0.25f, .meta = {&meta, 1}},
        .cause = cause,
        .status = status};
    const auto value = Encode({.domain = domain, .event = failed}, &buffer);
    ASSERT_OK(value);
    Put(domain, url, *value);
  }
  void Put(const std::string& domain, const std::string& url, std::string_view value) {
    const std::string row = FailedUrlRow(domain, FingerprintOf(url));
    const CellPut cell{kFailedUrlColumn, value};
    tables_.Put(kFailedUrlTable, {row, Version(1), {&cell, 1}});
  }
  // Writes them; domain → its URLs, as the log has them.
  std::map<std::string, std::vector<std::string>> Requeued(const WantedFailures& wanted,
                                                           uint64_t expected) {
    const auto written = RequeueFailures(store_, bus_, clock_, wanted, kLong);
    EXPECT_OK(written);
    EXPECT_EQ(written.value_or(0), expected);
    std::map<std::string, std::vector<std::string>> read;
    const auto consumer = *bus_.NewConsumer({.group = "reader"});
    std::vector<AssignedPartition> all;
    for (int i = 0; i < 4; ++i) all.push_back({.partition = PartitionId(i), .position = Offset(0)});
    EXPECT_OK(consumer->Assign(kSpiderLogTopic, all));
    MessageBatch batch;
    while (consumer->Poll({}, Duration::zero(), &batch).ok() && !batch.empty()) {
      for (const Message& message : batch.messages()) {
        ++messages_;
        Arena arena;
        SpiderLogEntry entry;
        EXPECT_OK(Decode(message.value, &arena, &entry));
        EXPECT_EQ(message.key, entry.domain);
        EXPECT_EQ(entry.time, clock_.Wall());
        EXPECT_EQ(message.partition, PartitionOf(SlotOf(entry.domain), 4));
        const auto& seeds = std::get<Seeds>(entry.event);
        EXPECT_TRUE(seeds.only_failed);
        for (const Seed& seed : seeds.seeds) {
          read[std::string(entry.domain)].emplace_back(seed.url);
          EXPECT_EQ(seed.score, 0.25f);
          EXPECT_EQ(seed.meta.size(), 1u);
        }
      }
      batch.Clear();
    }
    return read;
  }

  ManualClock clock_;
  MemoryBroker broker_{&clock_};
  MemoryBus bus_{&broker_, {}};
  MemoryTables tables_;
  MemoryStore store_{&tables_, {.virtual_time = &clock_}};
  int messages_ = 0;
};

TEST_F(RequeueWriterTest, ChoosesByDomainCauseAndState) {
  Keep("a.test", "http://a.test/1", FailureCause::kHttp4xx, 404);
  Keep("a.test", "http://a.test/2", FailureCause::kHttp5xx, 500);
  Keep("b.test", "http://b.test/", FailureCause::kPort);
  Put("a.test", "http://a.test/3", "");  // tried again since
  EXPECT_EQ(CountFailures(store_, {}, 100)->urls, 3u);
  EXPECT_EQ(CountFailures(store_, {}, 100)->domains, 2u);
  EXPECT_EQ(CountFailures(store_, {}, 2)->is_exact, false);
  EXPECT_EQ(CountFailures(store_, {.status = LinkStatus::kGone}, 100)->urls, 1u);
  EXPECT_EQ(CountFailures(store_, {.status = LinkStatus::kError}, 100)->urls, 2u)
      << "what our own options forbid is not gone";
  EXPECT_THAT(CountFailures(store_, {}, 100)->refused_ports, ElementsAre(80));
  EXPECT_EQ(CountFailures(store_, {.domain = "a.test"}, 100)->urls, 2u);
  EXPECT_THAT(Requeued({.causes = {FailureCause::kPort}}, 1),
              ElementsAre(Pair("b.test", ElementsAre("http://b.test/"))));
}

TEST_F(RequeueWriterTest, ALargeDomainTakesMessagesOfBoundedSize) {
  for (int i = 0; i < 1234; ++i) {
    Keep("a.test", "http://a.test/" + std::to_string(i), FailureCause::kReset);
  }
  EXPECT_EQ(Requeued({}, 1234)["a.test"].size(), 1234u);
  EXPECT_EQ(messages_, 3);
}

TEST_F(RequeueWriterTest, WhatIsErasedIsOneDomains) {
  for (int i = 0; i < 2345; ++i) {
    Keep("a.test", "http://a.test/" + std::to_string(i), FailureCause::kReset);
  }
  Keep("b.test", "http://b.test/", FailureCause::kReset);
  EXPECT_EQ(EraseFailures(store_, "a.test").value_or(0), 2345u);
  EXPECT_EQ(EraseFailures(store_, "a.test").value_or(7), 0u);
  EXPECT_THAT(Requeued({}, 1), ElementsAre(Pair("b.test", ElementsAre("http://b.test/"))));
}

}  // namespace
}  // namespace orbweaver
