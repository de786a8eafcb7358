#include "lab/recording/importer.h"

#include "common/base/status.h"
#include "common/bus/embedded/embedded_bus.h"
#include "common/store/rocksdb/database.h"
#include "tests/support/recorded_logs.h"

namespace orbweaver::lab {
namespace {

class ImporterTest : public RecordedLogs {
 protected:
  ImporterTest() { MakeTopics(&to_); }

  absl::Status Import(int asked = 1 << 30) {
    const auto recording = *Recording::Open(folder());
    Importer importer(*recording, to_, {});
    return importer.Import(std::string(kSpiderLogTopic), [&asked] { return asked-- > 0; });
  }

  // The parts of records that an import keeps.
  static std::vector<KeptRecord> WithoutTimes(std::vector<KeptRecord> records) {
    for (KeptRecord& record : records) record.time = WallTime();
    return records;
  }

  MemoryBroker other_{&clock_};
  MemoryBus to_{&other_, {}};
};

TEST_F(ImporterTest, TheTopicThenHasTheRecordsThatWereRecorded) {
  SendPages(0, 20);
  ASSERT_OK(RecordAll({.file_bytes = 2000}));
  ASSERT_OK(Import());
  EXPECT_EQ(WithoutTimes(InLog(&to_, kSpiderLogTopic)),
            WithoutTimes(InLog(&bus_, kSpiderLogTopic)));
  // Again it finds them there.
  ASSERT_OK(Import());
  EXPECT_EQ(InLog(&to_, kSpiderLogTopic).size(), 41u);
}

TEST_F(ImporterTest, ALogThatDatesByItsClockGetsTheTimesOfWriting) {
  SendPages(0, 20);
  ASSERT_OK(RecordAll());
  RecordClock clock;
  const auto database = Database::Open({.folder = scratch_.path() / "logs"});
  ASSERT_OK(database);
  const auto bus = EmbeddedBus::Open(**database, clock);
  ASSERT_OK(bus);
  MakeTopics(bus->get());
  const auto recording = *Recording::Open(folder());
  ASSERT_OK(Importer(*recording, **bus, {.clock = &clock}).Import(std::string(kSpiderLogTopic), [] {
    return true;
  }));
  EXPECT_EQ(InLog(bus->get(), kSpiderLogTopic), InLog(&bus_, kSpiderLogTopic));
  EXPECT_GT(clock.Wall(), SystemClock().Wall() - std::chrono::hours(1))
      << "it is the system's again";
}

TEST_F(ImporterTest, WhatWasStoppedGoesOnBehindWhatIsThere) {
  SendPages(0, 1500);
  ASSERT_OK(RecordAll());
  ASSERT_OK(Import(1));
  const size_t part = InLog(&to_, kSpiderLogTopic).size();
  EXPECT_GT(part, 0u);
  EXPECT_LT(part, 3001u);
  ASSERT_OK(Import());
  EXPECT_EQ(WithoutTimes(InLog(&to_, kSpiderLogTopic)),
            WithoutTimes(InLog(&bus_, kSpiderLogTopic)));
}

TEST_F(ImporterTest, ATopicWithOtherRecordsIsRefused) {
  SendPages(0, 20);
  ASSERT_OK(RecordAll());
  const auto producer = *to_.NewProducer({}, [](const Ack&) {});
  ASSERT_OK(producer->Send({kSpiderLogTopic, PartitionId(1), "k", "another", {}}, 0));
  ASSERT_OK(producer->Flush(kTimeout));
  const absl::Status status = Import();
  EXPECT_TRUE(IsFatal(status));
  EXPECT_NE(MessageOf(status).find("another record"), std::string_view::npos) << status;
}

TEST_F(ImporterTest, ATopicWithOtherPartitionsIsRefused) {
  SendPages(0, 20);
  ASSERT_OK(RecordAll());
  MemoryBroker broker(&clock_);
  MemoryBus bus(&broker, {});
  const TopicSpec topic{.name = std::string(kSpiderLogTopic), .partitions = 4};
  ASSERT_OK(bus.EnsureTopics({&topic, 1}, kTimeout));
  const auto recording = *Recording::Open(folder());
  const absl::Status status =
      Importer(*recording, bus, {}).Import(std::string(kSpiderLogTopic), [] { return true; });
  EXPECT_NE(MessageOf(status).find("2 were recorded"), std::string_view::npos) << status;
}

}  // namespace
}  // namespace orbweaver::lab
