#include "cli/seed_writer.h"

#include <map>
#include <set>
#include <string>
#include <vector>

#include "fmt/format.h"
#include <gtest/gtest.h>

#include "common/base/status.h"
#include "common/bus/memory/memory_bus.h"
#include "common/bus/topics.h"
#include "common/model/arena.h"
#include "common/model/limits.h"
#include "common/model/spider_log.h"
#include "common/url/domain.h"
#include "common/url/partition.h"
#include "tests/support/expect_ok.h"

namespace orbweaver {
namespace {

constexpr Duration kLong = std::chrono::minutes(1);
constexpr int kPartitions = 4;

class SeedWriterTest : public ::testing::Test {
 protected:
  SeedWriterTest() {
    const TopicSpec spec{.name = std::string(kSpiderLogTopic), .partitions = kPartitions};
    EXPECT_OK(bus_.EnsureTopics({&spec, 1}, kLong));
  }

  std::unique_ptr<SeedWriter> NewWriter(Bus& bus) {
    auto writer = SeedWriter::Create(bus, clock_, resolver_, kLong);
    EXPECT_OK(writer);
    return *std::move(writer);
  }

  // By domain, the URLs of each of its messages; each in the partition that its key goes to.
  std::map<std::string, std::vector<std::vector<std::string>>> ReadAll() {
    std::map<std::string, std::vector<std::vector<std::string>>> seeds;
    for (int32_t i = 0; i < kPartitions; ++i) {
      auto consumer = *bus_.NewConsumer({.group = "reader"});
      const AssignedPartition from{.partition = PartitionId(i)};
      EXPECT_OK(consumer->Assign(kSpiderLogTopic, {&from, 1}));
      MessageBatch batch;
      do {
        EXPECT_OK(consumer->Poll({}, Duration::zero(), &batch));
        for (const Message& message : batch.messages()) {
          Arena arena;
          SpiderLogEntry entry;
          EXPECT_OK(Decode(message.value, &arena, &entry));
          EXPECT_EQ(message.key, entry.domain);
          EXPECT_EQ(entry.time, clock_.Wall());
          EXPECT_EQ(PartitionOf(SlotOf(entry.domain), kPartitions), message.partition);
          EXPECT_LE(message.value.size(), kDefaultMaxMessageBytes);
          auto& urls = seeds[std::string(entry.domain)].emplace_back();
          for (const Seed& seed : std::get<Seeds>(entry.event).seeds) urls.emplace_back(seed.url);
        }
      } while (!batch.empty());
    }
    return seeds;
  }

  ManualClock clock_;
  MemoryBroker broker_{&clock_};
  MemoryBus bus_{&broker_, {}};
  const std::unique_ptr<const PublicSuffixes> suffixes_ = *PublicSuffixes::Load({});
  UrlResolver resolver_{{}, *suffixes_};
};

TEST_F(SeedWriterTest, SeedsStandCanonicalInTheMessageOfTheirRegisteredDomain) {
  auto writer = NewWriter(bus_);
  for (const char* const url : {"HTTP://A.example.com:80/x#y", "https://b.example.com", "other.org",
                                "other.org:81/a", "localhost:8000", "http://third.net/a b"}) {
    EXPECT_EQ(writer->Add(url), UrlError::kNone) << url;
  }
  ASSERT_OK(writer->Finish());
  EXPECT_EQ(writer->durable(), 6u);
  EXPECT_EQ(ReadAll(), (std::map<std::string, std::vector<std::vector<std::string>>>{
                           {"example.com", {{"http://a.example.com/x", "https://b.example.com/"}}},
                           {"localhost", {{"http://localhost:8000/"}}},
                           {"other.org", {{"http://other.org/", "http://other.org:81/a"}}},
                           {"third.net", {{"http://third.net/a%20b"}}}}));
}

TEST_F(SeedWriterTest, WhatIsNoUrlIsLeftOutAndNamed) {
  auto writer = NewWriter(bus_);
  EXPECT_EQ(writer->Add("ftp://example.com/"), UrlError::kScheme);
  EXPECT_EQ(writer->Add("mailto:a@example.com"), UrlError::kScheme);
  EXPECT_EQ(writer->Add("tel:+123"), UrlError::kScheme);
  for (const char* const text : {"", "/about", "?", "a b", "mailto:me@example.com"}) {
    EXPECT_NE(writer->Add(text), UrlError::kNone) << text;
  }
  EXPECT_NE(writer->Add(std::string("http://a\0b/", 11)), UrlError::kNone);
  ASSERT_OK(writer->Finish());
  EXPECT_TRUE(ReadAll().empty());
}

TEST_F(SeedWriterTest, ADomainWithMoreThanAMessageTakesGetsSeveral) {
  auto writer = NewWriter(bus_);
  std::set<std::string> expected;
  for (size_t i = 0; i < 2 * kMaxSeeds + 1; ++i) {
    const std::string url = fmt::format("http://example.com/{}/{}", i, std::string(1500, 'x'));
    expected.insert(url);
    EXPECT_EQ(writer->Add(url), UrlError::kNone);
  }
  ASSERT_OK(writer->Finish());
  std::set<std::string> found;
  const auto messages = ReadAll();
  for (const auto& urls : messages.at("example.com")) found.insert(urls.begin(), urls.end());
  EXPECT_EQ(found, expected);
}

TEST_F(SeedWriterTest, MemoryStaysBoundedByWritingBeforeTheEnd) {
  auto writer = NewWriter(bus_);
  for (int i = 0; i < 20'000; ++i) {
    EXPECT_EQ(writer->Add(fmt::format("http://d{}.example/{}", i, std::string(1000, 'x'))),
              UrlError::kNone);
  }
  EXPECT_FALSE(ReadAll().empty());
  ASSERT_OK(writer->Finish());
  EXPECT_EQ(ReadAll().size(), 20'000u);
}

TEST_F(SeedWriterTest, SeedsThatAreLostAreNotReportedAsAdded) {
  MemoryBus lossy(&broker_, {.faults = {.lost_record = 1}});
  auto writer = NewWriter(lossy);
  EXPECT_EQ(writer->Add("http://example.com/"), UrlError::kNone);
  EXPECT_FALSE(writer->Finish().ok());
  EXPECT_EQ(writer->durable(), 0u);
  EXPECT_FALSE(writer->status().ok());
}

TEST_F(SeedWriterTest, ABrokerThatIsAwayEndsInAnErrorAndNotInAWaitForEver) {
  auto writer = NewWriter(bus_);
  broker_.SetAvailable(false);
  EXPECT_EQ(writer->Add("http://example.com/"), UrlError::kNone);
  EXPECT_TRUE(IsRetry(writer->Finish()));
}

TEST_F(SeedWriterTest, WithoutTopicsItSaysWhatToRun) {
  ManualClock clock;
  MemoryBroker empty(&clock);
  MemoryBus bus(&empty, {});
  const auto writer = SeedWriter::Create(bus, clock, resolver_, kLong);
  ASSERT_FALSE(writer.ok());
  EXPECT_NE(MessageOf(writer.status()).find("orbweaver init"), std::string::npos);
}

}  // namespace
}  // namespace orbweaver
