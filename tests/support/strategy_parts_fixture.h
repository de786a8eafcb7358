// The parts of a core, each made as StrategyCore makes it, for tests of one of them.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "common/base/status.h"
#include "common/bus/topics.h"
#include "strategy_worker/core/batch.h"
#include "strategy_worker/core/event_reader.h"
#include "strategy_worker/core/ownership.h"
#include "strategy_worker/states/packed_state_store.h"
#include "tests/support/strategy_world.h"

namespace orbweaver {

class CorePartsTest : public ::testing::Test {
 protected:
  static constexpr PartitionId kPartition{0};
  static constexpr Duration kTimeout = std::chrono::seconds(10);

  CorePartsTest() : CorePartsTest(StateOptions()) {}
  explicit CorePartsTest(const StateOptions& state_options)
      : log_(NewLog()),
        states_(world_.store, world_.clock, state_options, world_.state_metrics),
        ownership_(*log_, world_.store, world_.topics, metrics_) {}

  std::unique_ptr<OwnedLog> NewLog() {
    auto log = OwnedLog::Create(
        world_.bus, world_.clock,
        {.topic = std::string(kScoringLogTopic), .owner = "worker", .producer = {}});
    CHECK_OK(log.status());
    return *std::move(log);
  }
  // Takes the one partition over, which is read from its beginning.
  OwnedPartition& Own() {
    ownership_.Assign({.partition = kPartition, .position = Offset(0)});
    CHECK_OK(ownership_.TakeOver(kTimeout, kTimeout));
    CHECK(ownership_.ReserveVersions());
    return *ownership_.Find(kPartition);
  }

  // A message of the spider log, at the offset after the last one; lives as long as the test.
  const Message& NewMessage(std::string_view key, std::string_view value) {
    texts_.emplace_back(key);
    texts_.emplace_back(value);
    messages_.push_back({.partition = kPartition,
                         .offset = Offset(static_cast<int64_t>(messages_.size())),
                         .time = world_.clock.Wall(),
                         .key = texts_[texts_.size() - 2],
                         .value = texts_.back()});
    return messages_.back();
  }
  const Message& NewMessage(const SpiderLogEntry& entry) {
    EncodeBuffer buffer;
    const auto encoded = Encode(entry, &buffer);
    CHECK_OK(encoded.status());
    return NewMessage(entry.domain, *encoded);
  }
  const Message& NewLinks(std::string_view domain, const std::vector<std::string>& urls) {
    std::vector<Link> links;
    for (const std::string& url : urls) links.push_back({.url = url});
    return NewMessage({.domain = domain,
                       .event = LinksFound{.source = {.url = "https://x.test/"}, .links = links}});
  }
  // Reads it into `batch_`, as StrategyCore does.
  SourceEvent& AddToBatch(const Message& message) {
    SourceEvent& event = batch_.AddEvent();
    reader_.Read(message, &event);
    batch_.Link(message.partition);
    return event;
  }

  DomainRecord& Load(std::string_view domain) {
    const StateRequest request{domain, kPartition, {}};
    CHECK_OK(states_.Load({&request, 1}, kTimeout).status());
    return states_.Find(domain)->record();
  }
  // Puts what was changed, as another owner with this version would have.
  void Put(Version version) {
    std::vector<RowPut> first, second;
    states_.Flush(kPartition, version, &first, &second);
    for (std::vector<RowPut>* const puts : {&first, &second}) {
      std::vector<uint32_t> remaining;
      CHECK_OK(world_.store.Write(Table::kDomains, *puts, kTimeout, &remaining));
    }
    states_.Flushed();
    states_.Drop(kPartition);
  }

  StrategyWorld world_;
  CoreMetrics metrics_{world_.metrics};
  std::unique_ptr<OwnedLog> log_;
  PackedStateStore states_;
  Ownership ownership_;
  EventReader reader_{{}, *world_.suffixes, 1, ScopeKind::kEverything, metrics_};
  Batch batch_;

 private:
  std::deque<std::string> texts_;
  std::deque<Message> messages_;
};

}  // namespace orbweaver
