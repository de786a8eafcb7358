// Db workers alone: what strategy workers schedule is drawn at random, and spiders only commit. All
// that is scheduled must leave the queue exactly once, never too early, and never more of a domain
// than is allowed.
#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fmt/format.h"

#include "common/base/random.h"
#include "common/base/status.h"
#include "common/bus/topics.h"
#include "common/model/encode_buffer.h"
#include "common/model/scoring_log.h"
#include "common/protocol/epoch_filter.h"
#include "common/url/fingerprint.h"
#include "common/url/partition.h"
#include "tests/sim/whole/feed_audit.h"
#include "tests/sim/whole/scene.h"

namespace orbweaver::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr uint64_t kDomains = 7;
constexpr int kMessages = 60;
constexpr Duration kLong = minutes(10);

std::string DomainName(uint64_t i) { return "site" + std::to_string(i) + ".com"; }
// The kinds of domains: one gets far more than fits into a chunk, one asks for a delay, one is
// blocked now and then.
const std::string kMany = DomainName(0);
const std::string kSlow = DomainName(1);
const std::string kBlocked = DomainName(2);
constexpr milliseconds kSlowDelay = seconds(7);

class QueueScene : public Scene {
 public:
  QueueScene(SimRun& run, uint64_t seed) : run_(run), random_(seed) {
    producer_ = *bus().NewProducer({}, [](const Ack& ack) { CHECK_OK(ack.status); });
    for (int p = 0; p < run_.shape.partitions; ++p) NewStrategyWorker(PartitionId(p));
  }

  void Act(bool calm) override {
    if (left_ > 0 && (calm || random_.Chance(0.4))) {
      --left_;
      Schedule();
    }
    if (calm || random_.Chance(0.3)) CommitFeed(calm);
  }
  bool HasMore() const override { return left_ > 0; }
  SimWeb& web() override { return run_.server; }  // nobody asks it

  std::string Breach() override {
    const int64_t outstanding = MostOutstanding(run_);
    if (outstanding <= run_.shape.db_worker.feed.target_lag) return {};
    return fmt::format("a feed has {} requests that no spider has done", outstanding);
  }

  std::string Audit() override {
    const std::vector<Sent> feed = ReadFeed(run_);
    std::map<std::string, int> times;
    for (const Sent& sent : feed) {
      ++times[sent.url];
      const auto known = expected_.find(sent.url);
      if (known == expected_.end()) return "never scheduled: " + sent.url;
      if (sent.time < known->second.not_before) return "left too early: " + sent.url;
    }
    for (const auto& [url, wanted] : expected_) {
      if (times[url] < wanted.least) return "lost: " + url;
      if (times[url] > wanted.most) return fmt::format("{} left {} times", url, times[url]);
    }
    return FeedCapBreach(feed, run_.shape.db_worker.feed,
                         [this](const std::string& domain) -> Duration {
                           return domain == kSlow ? kSlowDelay : run_.shape.politeness.delay;
                         });
  }

 private:
  struct Message {
    std::string domain;
    uint64_t source_offset = 0;
    std::vector<ScheduledRequest> requests;
    std::optional<DomainUpdate> update;
  };
  struct Expected {
    int least = 0;
    int most = 0;
    WallTime not_before;
  };
  struct Writer {
    Offset epoch;
    uint64_t next_source = 0;
  };

  Bus& bus() { return run_.world.bus; }
  WallTime Now() { return run_.world.clock.Wall(); }

  // ---- The strategy workers' side.

  void Append(PartitionId partition, std::string_view key, const ScoringLogEntry& entry) {
    const auto value = Encode(entry, &buffer_);
    CHECK_OK(value.status());
    CHECK_OK(producer_->Send({kScoringLogTopic, partition, key, *value, {}}, 0));
    CHECK_OK(producer_->Flush(kLong));
  }
  void NewStrategyWorker(PartitionId partition) {
    writers_[partition].epoch = run_.world.EndOf(kScoringLogTopic, partition);
    Append(partition, {}, {.entry = Marker{.owner = "strategy"}});
  }
  void Send(const Message& message, Offset epoch) {
    Append(run_.world.PartitionOfDomain(message.domain), message.domain,
           {.epoch = epoch,
            .entry = ScheduleRequests{
                .source_topic_epoch = 1,
                .source_offset = Offset(static_cast<int64_t>(message.source_offset)),
                .domain = message.domain,
                .domain_update = message.update,
                .requests = message.requests}});
  }

  ScheduledRequest NewRequest(const std::string& domain) {
    urls_.push_back(
        std::make_unique<std::string>("http://" + domain + "/" + std::to_string(urls_.size())));
    ScheduledRequest request{.url = *urls_.back()};
    request.fingerprint = FingerprintOf(request.url);
    request.score = static_cast<float>(random_.Unit());
    if (random_.Chance(0.2)) {
      constexpr uint64_t kReaches_s[] = {5, 300, 20'000};
      const auto later_ms = random_.Below(kReaches_s[random_.Below(3)] * 1000);
      request.not_before = Now() + milliseconds(later_ms);
    }
    return request;
  }

  // One event of the spider log.
  void Schedule() {
    Message message{.domain = DomainName(random_.Below(kDomains))};
    const PartitionId partition = run_.world.PartitionOfDomain(message.domain);
    Writer& writer = writers_[partition];
    message.source_offset = writer.next_source++;
    const bool many = message.domain == kMany && random_.Chance(0.2);
    for (uint64_t n = many ? 150 : 1 + random_.Below(6); n > 0; --n) {
      message.requests.push_back(NewRequest(message.domain));
      const ScheduledRequest& request = message.requests.back();
      expected_[std::string(request.url)] = {
          .least = 1, .most = 1, .not_before = request.not_before};
    }
    if (message.domain == kSlow) message.update.emplace().crawl_delay = kSlowDelay;
    if (message.domain == kBlocked && random_.Chance(0.2)) {
      message.update.emplace().blocked_until = Now() + seconds(random_.Below(60));
    }
    if (random_.Chance(0.15)) Reschedule(&message);
    Send(message, writer.epoch);
    if (random_.Chance(0.1)) ReplaceStrategyWorker(partition, message);
  }

  // Its successor sends its outbox once more, under a new epoch.
  void ReplaceStrategyWorker(PartitionId partition, const Message& outbox) {
    Writer& writer = writers_[partition];
    const Offset replaced = writer.epoch;
    NewStrategyWorker(partition);
    Send(outbox, writer.epoch);
    if (!random_.Chance(0.5)) return;
    // It does not know that it was replaced; what it decides has not happened.
    Message stray{.domain = outbox.domain, .source_offset = writer.next_source};
    stray.requests.push_back(NewRequest(outbox.domain));
    expected_[std::string(stray.requests.back().url)] = {};
    Send(stray, replaced);
  }

  // Raises or deletes a URL that was scheduled before.
  void Reschedule(Message* message) {
    for (const auto& url : urls_) {
      if (url->find("//" + message->domain + "/") == std::string::npos) continue;
      Expected& known = expected_[*url];
      if (known.most == 0 || !random_.Chance(0.2)) continue;
      ScheduledRequest request{.url = *url, .fingerprint = FingerprintOf(*url), .score = 1};
      known.not_before = WallTime();
      request.action = random_.Chance(0.5) ? ScheduleAction::kRaise : ScheduleAction::kDelete;
      if (request.action == ScheduleAction::kDelete) known.least = 0;
      message->requests.push_back(request);
      return;
    }
  }

  // ---- The spiders' side.

  void CommitFeed(bool all) {
    const auto consumer = *bus().NewConsumer({.group = std::string(kSpiderGroup)});
    std::vector<AssignedPartition> from;
    std::vector<OffsetCommit> commits;
    for (int p = 0; p < run_.shape.partitions; ++p) {
      const PartitionId partition(p);
      Offset& committed = committed_[partition];
      const auto open =
          static_cast<uint64_t>(run_.world.EndOf(kSpiderFeedTopic, partition) - committed);
      const Offset start = committed;
      committed = committed + static_cast<int64_t>(all ? open : random_.Below(open + 1));
      PassMarkers(partition, start, committed);
      from.push_back({.partition = partition, .position = committed});
      commits.push_back(
          {.partition = partition, .offset = committed, .metadata = epochs_[partition].Metadata()});
    }
    CHECK_OK(consumer->Assign(kSpiderFeedTopic, from));
    CHECK_OK(consumer->Commit(commits, kLong));
  }

  void PassMarkers(PartitionId partition, Offset from, Offset to) {
    absl::MutexLock lock(&run_.world.broker.mutex);
    const PartitionLog& log = **run_.world.broker.log().Find(kSpiderFeedTopic, partition);
    for (Offset offset = from; offset < to; ++offset) {
      if (log.At(offset)->key.empty()) epochs_[partition].Pass(offset);
    }
  }

  SimRun& run_;
  Random random_;
  int left_ = kMessages;
  std::unique_ptr<Producer> producer_;
  EncodeBuffer buffer_;
  std::map<PartitionId, Writer> writers_;
  std::map<PartitionId, Offset> committed_;
  std::map<PartitionId, EpochFilter> epochs_;  // of what is committed
  std::vector<std::unique_ptr<std::string>> urls_;
  std::map<std::string, Expected, std::less<>> expected_;
};

}  // namespace

std::unique_ptr<Scene> NewQueueScene(SimRun& run, uint64_t seed) {
  return std::make_unique<QueueScene>(run, seed);
}

}  // namespace orbweaver::sim
