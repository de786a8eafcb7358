// Logs in memory and a folder to record them to: for tests of lab/recording.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "common/base/clock.h"
#include "common/bus/memory/memory_broker.h"
#include "common/bus/memory/memory_bus.h"
#include "common/bus/topics.h"
#include "common/model/spider_log.h"
#include "common/url/domain.h"
#include "lab/recording/recorder.h"
#include "lab/recording/recording.h"
#include "lab/recording/recording_folder.h"
#include "tests/support/expect_ok.h"
#include "tests/support/scratch_folder.h"

namespace orbweaver::lab {

// A record with all that a recording keeps.
struct KeptRecord {
  std::string topic;
  int32_t partition = 0;
  int64_t offset = 0;
  WallTime time;
  std::string key, value;
  std::vector<std::pair<std::string, std::string>> headers;

  friend bool operator==(const KeptRecord&, const KeptRecord&) = default;
};

class RecordedLogs : public ::testing::Test {
 protected:
  static constexpr int kPartitions = 2;
  static constexpr Duration kTimeout = std::chrono::seconds(20);

  RecordedLogs() : suffixes_(*PublicSuffixes::Load({})) { MakeTopics(&bus_); }

  static void MakeTopics(Bus* bus) {
    std::vector<TopicSpec> topics;
    for (const std::string_view topic : {kSpiderLogTopic, kScoringLogTopic, kSpiderFeedTopic}) {
      topics.push_back({.name = std::string(topic), .partitions = kPartitions});
    }
    EXPECT_OK(bus->EnsureTopics(topics, kTimeout));
  }

  void Send(std::string_view topic, int32_t partition, std::string_view key, std::string_view value,
            std::span<const Header> headers = {}) {
    const auto producer = *bus_.NewProducer({}, [](const Ack& ack) { EXPECT_OK(ack.status); });
    EXPECT_OK(producer->Send({topic, PartitionId(partition), key, value, headers}, 0));
    EXPECT_OK(producer->Flush(kTimeout));
    clock_.Advance(std::chrono::milliseconds(7));
  }

  void SendEntry(int32_t partition, const SpiderLogEntry& entry) {
    EncodeBuffer buffer;
    Send(kSpiderLogTopic, partition, entry.domain, *Encode(entry, &buffer));
  }

  // A page with links, as its spider tells of it, and something that is no entry.
  void SendPages(int from, int to) {
    for (int i = from; i < to; ++i) {
      const std::string domain = "site" + std::to_string(i % 7) + ".example";
      const std::string url = "https://www." + domain + "/" + std::to_string(i);
      const int32_t partition = i % kPartitions;
      SendEntry(partition,
                {.domain = domain,
                 .event = PageFetched{.request = {.url = url, .domain = domain, .depth = 2},
                                      .status = 200,
                                      .content_hash = {1, 2},
                                      .content_type = "text/html",
                                      .title = "Tïtle"},
                 .time = clock_.Wall()});
      const Link links[] = {{.url = url, .anchor = "äb", .rel = kRelUgc},
                            {.url = url, .kind = LinkKind::kFrame}};
      SendEntry(partition,
                {.domain = domain,
                 .event = LinksFound{.source = {.url = url, .link_count = 2}, .links = links}});
    }
    const Header headers[] = {{"schema", "\xff\x01"}, {"empty", ""}};
    Send(kSpiderLogTopic, 0, std::string("\0\xfe", 2), "no entry", headers);
  }

  std::filesystem::path folder() const { return scratch_.path() / "recording"; }

  absl::StatusOr<std::unique_ptr<RecordingFolder>> OpenFolder(double sample = 1) {
    return RecordingFolder::Open(folder(), {.software = "test 1"}, sample, clock_.Wall());
  }

  // Up to the logs' ends.
  absl::Status RecordAll(RecordingFolder* to, RecorderOptions options = {},
                         std::string_view topic = kSpiderLogTopic) {
    Recorder recorder(to, *suffixes_, options);
    if (const absl::Status status = recorder.CheckLogs(bus_); !status.ok()) return status;
    for (int32_t p = 0; p < kPartitions; ++p) {
      const absl::Status status = recorder.Record(bus_, RangeOf(topic, p), [] { return true; });
      if (!status.ok()) return status;
    }
    return to->Save();
  }
  absl::Status RecordAll(RecorderOptions options = {}, double sample = 1) {
    const auto to = OpenFolder(sample);
    return to.ok() ? RecordAll(to->get(), options) : to.status();
  }

  LogRangeOf RangeOf(std::string_view topic, int32_t partition) {
    const PartitionId id(partition);
    const auto offsets = *bus_.NewOffsetReader();
    const LogBounds bounds = (*offsets->Bounds(topic, {&id, 1}, kTimeout))[0];
    return {.topic = std::string(topic), .partition = id, .first = bounds.start, .end = bounds.end};
  }

  static KeptRecord Keep(std::string_view topic, const Message& message) {
    KeptRecord kept{.topic = std::string(topic),
                    .partition = message.partition.value(),
                    .offset = message.offset.value(),
                    .time = message.time,
                    .key = std::string(message.key),
                    .value = std::string(message.value)};
    for (const Header& header : message.headers)
      kept.headers.emplace_back(header.name, header.value);
    return kept;
  }

  // Of all partitions, in order.
  static std::vector<KeptRecord> InLog(Bus* bus, std::string_view topic) {
    std::vector<KeptRecord> found;
    for (int32_t p = 0; p < kPartitions; ++p) {
      const auto consumer = *bus->NewConsumer({.group = "test"});
      const AssignedPartition from{.partition = PartitionId(p), .position = Offset(0)};
      EXPECT_OK(consumer->Assign(topic, {&from, 1}));
      MessageBatch batch;
      do {
        if (!consumer->Poll({}, Duration::zero(), &batch).ok()) break;
        for (const Message& message : batch.messages()) found.push_back(Keep(topic, message));
      } while (!batch.empty());
    }
    return found;
  }

  std::vector<KeptRecord> InRecording(std::string_view topic, bool skip_damaged = false,
                                      LeftOut* left_out = nullptr) const {
    std::vector<KeptRecord> found;
    const auto recording = Recording::Open(folder());
    EXPECT_OK(recording.status());
    for (int32_t p = 0; recording.ok() && p < kPartitions; ++p) {
      const auto reader = (*recording)->Read(topic, PartitionId(p), skip_damaged);
      Message message;
      while (true) {
        const auto is_there = reader->Next(&message);
        EXPECT_OK(is_there.status());
        if (!is_there.ok() || !*is_there) break;
        found.push_back(Keep(topic, message));
      }
      if (left_out != nullptr) {
        left_out->files += reader->left_out().files;
        left_out->records += reader->left_out().records;
      }
    }
    return found;
  }

  std::vector<std::filesystem::path> FilesInFolder() const {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder())) {
      files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    return files;
  }

  const ScratchFolder scratch_;
  ManualClock clock_;
  MemoryBroker broker_{&clock_};
  MemoryBus bus_{&broker_, {}};
  const std::unique_ptr<const PublicSuffixes> suffixes_;
};

}  // namespace orbweaver::lab
