// A db worker on a bus and a store, with a strategy worker and a spider played by the test.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "common/base/check.h"
#include "common/base/status.h"
#include "common/bus/memory/memory_bus.h"
#include "common/bus/topics.h"
#include "common/model/scoring_log.h"
#include "common/model/spider_feed.h"
#include "common/protocol/epoch_filter.h"
#include "common/protocol/topic_record.h"
#include "common/url/fingerprint.h"
#include "common/url/partition.h"
#include "db_worker/db_worker_core.h"

namespace orbweaver {

// One partition unless said otherwise; virtual time on the memory bus. The store is the caller's.
class DbWorkerHarness {
 public:
  static constexpr Duration kLong = std::chrono::minutes(10);

  struct Sent {
    std::string url;
    std::string domain;
    WallTime time;
    int band;
    std::chrono::milliseconds delay;
  };

  explicit DbWorkerHarness(Store& store, int partitions = 1)
      : partitions_(partitions), store_(store) {
    CHECK(bus_.EnsureTopics(*ProductTopics({.partitions = partitions}), kLong).ok());
    CHECK_OK(SaveTopicRecord(store, {.topic_epoch = 1, .partitions = partitions}, kLong));
    producer_ = *bus_.NewProducer({}, [](const Ack& ack) { CHECK_OK(ack.status); });
    setup_.name = "worker";
    setup_.options.politeness.delay = std::chrono::seconds(1);
    // The marker alone is more, so nothing is sent before the first CommitFeed.
    setup_.options.feed.low_lag = 1;
    setup_.options.checkpoint_interval = std::chrono::milliseconds(0);
  }

  FeedOptions& feed() { return setup_.options.feed; }
  PolitenessOptions& politeness() { return setup_.options.politeness; }
  DbWorkerOptions& options() { return setup_.options; }
  GroupMembership& membership() { return setup_.membership; }
  ManualClock& clock() { return clock_; }
  MemoryBroker& broker() { return broker_; }
  MemoryBus& bus() { return bus_; }
  DbWorkerMetrics& metrics() { return metrics_; }
  DbWorkerCore& core() { return *core_; }
  const DbWorkerSetup& setup() const { return setup_; }

  static ScheduledRequest RequestTo(std::string_view url, float score = 0.5) {
    return {.url = url, .fingerprint = FingerprintOf(url), .score = score};
  }

  // As one event's message.
  void Schedule(const std::string& domain, std::vector<ScheduledRequest> requests,
                std::optional<DomainUpdate> update = {}) {
    Append(domain, {.epoch = Offset(0),
                    .entry = ScheduleRequests{.source_topic_epoch = 1,
                                              .source_offset = Offset(next_source_++),
                                              .domain = domain,
                                              .domain_update = update,
                                              .requests = requests}});
  }
  // `count` URLs of the domain, in messages of a hundred.
  void ScheduleMany(const std::string& domain, int count, float score = 0.5,
                    WallTime not_before = {}) {
    std::vector<std::string> urls;
    for (int i = 0; i < count; ++i) {
      urls.push_back("http://" + domain + "/" + std::to_string(next_url_++));
    }
    for (size_t first = 0; first < urls.size(); first += 100) {
      std::vector<ScheduledRequest> requests;
      for (size_t i = first; i < std::min(urls.size(), first + 100); ++i) {
        requests.push_back(RequestTo(urls[i], score));
        requests.back().not_before = not_before;
      }
      Schedule(domain, std::move(requests));
    }
  }
  void Append(const std::string& key, const ScoringLogEntry& entry) {
    const auto value = Encode(entry, &buffer_);
    CHECK_OK(value.status());
    AppendBytes(key, *value);
  }
  void AppendBytes(const std::string& key, std::string_view value) {
    const PartitionId partition = PartitionOf(SlotOf(key), partitions_);
    CHECK_OK(producer_->Send({kScoringLogTopic, partition, key, value, {}}, 0));
    CHECK_OK(producer_->Flush(kLong));
  }

  void AppendToFeed(const std::string& key, std::string_view value) {
    CHECK_OK(producer_->Send({kSpiderFeedTopic, PartitionId(0), key, value, {}}, 0));
    CHECK_OK(producer_->Flush(kLong));
  }

  // Ends the worker without a word, as kill -9 does, and starts another.
  void Restart() { Restart(bus_); }
  // On a bus of the caller's, which outlives the worker.
  void Restart(Bus& bus) {
    core_.reset();
    clock_.Advance(std::chrono::minutes(1));  // its group takes it for dead
    auto made = DbWorkerCore::Create(bus, store_, clock_, metrics_, setup_);
    CHECK_OK(made.status());
    core_ = *std::move(made);
  }
  void Kill() { core_.reset(); }
  // Steps until all partitions are owned and the scoring log is drained.
  void Settle() {
    if (core_ == nullptr) Restart();
    for (int idle = 0; idle < 3 + partitions_;) {
      const uint64_t before = metrics_.messages.value();
      CHECK_OK(core_->Step(Duration::zero()));
      idle = metrics_.messages.value() == before ? idle + 1 : 0;
    }
  }
  // One look at the feed's lag, after what is due by then.
  void StepOnce() {
    clock_.Advance(setup_.options.feed.interval);
    CHECK_OK(core_->Step(Duration::zero()));
  }

  // The spiders have done all that is in the feed.
  void CommitFeed() {
    for (int p = 0; p < partitions_; ++p) CommitFeed(PartitionId(p), End(PartitionId(p)));
  }
  void CommitFeed(PartitionId partition, Offset offset) {
    Commit(kSpiderGroup, kSpiderFeedTopic, partition, offset);
  }
  // As a reader of that group does.
  void Commit(std::string_view group, std::string_view topic, PartitionId partition,
              Offset offset) {
    const auto consumer = *bus_.NewConsumer({.group = std::string(group)});
    const AssignedPartition from{.partition = partition, .position = offset};
    CHECK_OK(consumer->Assign(topic, {&from, 1}));
    const OffsetCommit commit{.partition = partition, .offset = offset};
    CHECK_OK(consumer->Commit({&commit, 1}, kLong));
  }
  Offset End(PartitionId partition = PartitionId(0)) {
    return (*(*bus_.NewOffsetReader())->Bounds(kSpiderFeedTopic, {&partition, 1}, kLong))[0].end;
  }

  // The requests that came into the feed since the last call and count.
  std::vector<Sent> NewInFeed() {
    std::vector<Sent> sent;
    for (int p = 0; p < partitions_; ++p) ReadPartition(PartitionId(p), &sent);
    return sent;
  }

 private:
  void ReadPartition(PartitionId partition, std::vector<Sent>* sent) {
    const Offset end = End(partition);
    Offset& at = read_to_[partition];
    if (at >= end) return;
    const auto consumer = *bus_.NewConsumer({.group = "test"});
    const AssignedPartition from{.partition = partition, .position = at};
    CHECK_OK(consumer->Assign(kSpiderFeedTopic, {&from, 1}));
    MessageBatch batch;
    while (at < end) {
      CHECK_OK(consumer->Poll({}, kLong, &batch));
      for (const Message& message : batch.messages()) {
        at = message.offset + 1;
        Arena arena;
        SpiderFeedEntry entry;
        CHECK_OK(Decode(message.value, &arena, &entry));
        if (std::holds_alternative<Marker>(entry.entry)) {
          filters_[partition].Pass(message.offset);
        } else if (filters_[partition].Accepts(entry.epoch)) {
          const auto& request = std::get<Request>(entry.entry);
          sent->push_back({std::string(request.url), std::string(request.domain), message.time,
                           static_cast<int>(request.band), request.delay});
        }
      }
    }
  }

  const int partitions_;
  Store& store_;
  ManualClock clock_;
  MemoryBroker broker_{&clock_};
  MemoryBus bus_{&broker_, {}};
  std::unique_ptr<Producer> producer_;
  EncodeBuffer buffer_;
  int64_t next_source_ = 0;
  int next_url_ = 0;
  DbWorkerSetup setup_;
  MetricRegistry registry_;
  DbWorkerMetrics metrics_{registry_};
  std::unique_ptr<DbWorkerCore> core_;
  std::map<PartitionId, Offset> read_to_;
  std::map<PartitionId, EpochFilter> filters_;
};

}  // namespace orbweaver
