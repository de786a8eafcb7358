#include "tests/support/strategy_world.h"

#include <utility>

#include "common/base/check.h"
#include "common/base/status.h"
#include "common/bus/topics.h"
#include "common/model/schema.h"
#include "common/protocol/scoring_log_filter.h"
#include "common/url/fingerprint.h"
#include "common/url/partition.h"
#include "strategy_worker/host/output_check.h"
#include "strategy_worker/states/packed_state_store.h"

namespace orbweaver {
namespace {

constexpr Duration kLong = std::chrono::minutes(1);

// Reading the list takes longer than most that is done in a world.
std::shared_ptr<const PublicSuffixes> LoadedSuffixes() {
  static const std::shared_ptr<const PublicSuffixes> suffixes = [] {
    auto loaded = PublicSuffixes::Load({});
    CHECK_OK(loaded.status());
    return *std::move(loaded);
  }();
  return suffixes;
}

ReadRequest Copy(const ScheduleRequests& schedule, const ScheduledRequest& request) {
  ReadRequest read{.domain = std::string(schedule.domain),
                   .source_offset = schedule.source_offset,
                   .url = std::string(request.url),
                   .depth = request.depth,
                   .score = request.score,
                   .attempt = request.attempt,
                   .not_before_ms = request.not_before.time_since_epoch().count(),
                   .action = request.action,
                   .etag = std::string(request.etag),
                   .last_modified = std::string(request.last_modified),
                   .meta = {},
                   .referrer = std::string(request.referrer)};
  for (const Meta& meta : request.meta) read.meta.emplace(meta.key, meta.value);
  return read;
}

}  // namespace

absl::Status ScriptedStrategy::OnEvent(const orbweaver_event& event,
                                       std::span<const orbweaver_link> links,
                                       std::span<const orbweaver_state> states,
                                       std::span<orbweaver_decision> decisions,
                                       orbweaver_output* output) {
  if (!on_event) return absl::OkStatus();
  RETURN_IF_ERROR(on_event({event, links, states, decisions, output}));
  const char* const flaw = OutputFlaw(decisions, *output);
  if (flaw == nullptr) return absl::OkStatus();
  return PoisonError("strategy '{}': it decided {}", name_, flaw);
}

StrategyWorld::StrategyWorld(int partitions) : suffixes(LoadedSuffixes()) {
  const TopicSpec specs[] = {{.name = std::string(kSpiderLogTopic), .partitions = partitions},
                             {.name = std::string(kScoringLogTopic), .partitions = partitions},
                             {.name = std::string(kSpiderFeedTopic), .partitions = partitions},
                             {.name = std::string(kDeadLetterTopic), .partitions = 1}};
  CHECK_OK(bus.EnsureTopics(specs, kLong).status());
  topics = {.topic_epoch = 1, .partitions = partitions};
  CHECK_OK(SaveTopicRecord(store, topics, kLong));
  auto producer =
      bus.NewProducer({.max_bytes = size_t{1} << 30}, [](const Ack& ack) { CHECK_OK(ack.status); });
  CHECK_OK(producer.status());
  producer_ = *std::move(producer);
}

PartitionId StrategyWorld::PartitionOfDomain(std::string_view domain) const {
  return PartitionOf(SlotOf(domain), topics.partitions);
}

Offset StrategyWorld::Append(const SpiderLogEntry& entry, std::optional<std::string_view> key) {
  EncodeBuffer buffer;
  const auto encoded = Encode(entry, &buffer);
  CHECK_OK(encoded.status());
  return AppendRaw(PartitionOfDomain(entry.domain), key.value_or(entry.domain), *encoded);
}

Offset StrategyWorld::AppendRaw(PartitionId partition, std::string_view key, std::string_view value,
                                std::string_view schema) {
  const Offset offset = EndOf(kSpiderLogTopic, partition);
  const Header header{kSchemaHeader, schema};
  CHECK_OK(producer_->Send({.topic = kSpiderLogTopic,
                            .partition = partition,
                            .key = key,
                            .value = value,
                            .headers = {&header, 1}},
                           0));
  CHECK_OK(producer_->Flush(kLong));
  return offset;
}

Offset StrategyWorld::EndOf(std::string_view topic, PartitionId partition) {
  absl::MutexLock lock(&broker.mutex);
  const auto log = broker.log().Find(topic, partition);
  CHECK_OK(log.status());
  return (*log)->bounds().end;
}

std::vector<ReadSchedule> StrategyWorld::ReadScoringLog(const ReaderRules& rules) {
  std::vector<ReadSchedule> read;
  Arena arena;
  for (int p = 0; p < topics.partitions; ++p) {
    ScoringLogFilter filter;
    absl::MutexLock lock(&broker.mutex);
    const PartitionLog& log = **broker.log().Find(kScoringLogTopic, PartitionId(p));
    for (Offset offset(0); offset < log.bounds().end; ++offset) {
      arena.Reset();
      ScoringLogEntry entry;
      CHECK_OK(Decode(log.At(offset)->value, &arena, &entry));
      ScoringLogEntry seen = entry;
      if (!rules.epochs) seen.epoch = offset;
      if (auto* const schedule = std::get_if<ScheduleRequests>(&seen.entry);
          schedule != nullptr && !rules.watermarks) {
        schedule->source_offset = offset;
      }
      if (filter.Take(offset, seen) != ScoringLogFilter::Verdict::kCounts) continue;
      const auto& schedule = std::get<ScheduleRequests>(entry.entry);
      CHECK(log.At(offset)->key == schedule.domain);
      ReadSchedule& copy = read.emplace_back(ReadSchedule{.partition = PartitionId(p),
                                                          .domain = std::string(schedule.domain),
                                                          .source_offset = schedule.source_offset,
                                                          .part = schedule.part,
                                                          .update = schedule.domain_update,
                                                          .requests = {}});
      for (const ScheduledRequest& request : schedule.requests) {
        copy.requests.push_back(Copy(schedule, request));
      }
    }
  }
  return read;
}

std::vector<ReadRequest> StrategyWorld::ReadRequests(const ReaderRules& rules) {
  std::vector<ReadRequest> requests;
  for (ReadSchedule& schedule : ReadScoringLog(rules)) {
    for (ReadRequest& request : schedule.requests) requests.push_back(std::move(request));
  }
  return requests;
}

std::vector<std::string> StrategyWorld::DeadLetterCauses() {
  std::vector<std::string> causes;
  absl::MutexLock lock(&broker.mutex);
  const PartitionLog& log = **broker.log().Find(kDeadLetterTopic, PartitionId(0));
  for (Offset offset(0); offset < log.bounds().end; ++offset) {
    for (const Header& header : log.At(offset)->headers) {
      if (header.name == kDeadLetterCauseHeader) causes.emplace_back(header.value);
    }
  }
  return causes;
}

std::unique_ptr<StrategyCore> StrategyWorld::NewCore(Strategy& strategy, Worker worker) {
  Bus& used_bus = worker.bus != nullptr ? *worker.bus : bus;
  Store& used_store = worker.store != nullptr ? *worker.store : store;
  const StrategyWorkerOptions options = WithinSession(worker.options, worker.session_timeout);
  const GroupMembership membership{.member = worker.member,
                                   .session_timeout = worker.session_timeout,
                                   .on_cut = worker.on_cut_log};
  if (worker.background == nullptr) {
    worker.background = writes_.emplace_back(std::make_unique<DirectWrite>()).get();
  }
  auto log = OwnedLog::Create(
      used_bus, clock,
      {.topic = std::string(kScoringLogTopic), .owner = worker.member, .producer = {}});
  CHECK_OK(log.status());
  auto core = std::make_unique<StrategyCore>(
      StrategyCoreParts{.spider_log = *NewSpiderLogSession(used_bus, clock, membership, options),
                        .scoring_log = *std::move(log),
                        .states = std::make_unique<PackedStateStore>(
                            used_store, clock, worker.state_options, state_metrics),
                        .store = used_store,
                        .strategy = strategy,
                        .background = *worker.background,
                        .clock = clock,
                        .suffixes = *suffixes,
                        .metrics = metrics,
                        .topics = topics,
                        .urls = {},
                        .scope = worker.scope,
                        .options = options});
  CHECK_OK(core->Start());
  return core;
}

absl::Status StrategyWorld::RunUntilIdle(StrategyCore& core) {
  for (int idle = 0; idle < 3;) {
    const auto worked = core.Step(Duration::zero());
    RETURN_IF_ERROR(worked.status());
    idle = *worked ? 0 : idle + 1;
  }
  return absl::OkStatus();
}

std::unique_ptr<StateStore> StrategyWorld::StatesOf(std::string_view domain, std::string_view url) {
  auto states = std::make_unique<PackedStateStore>(store, clock, StateOptions(), state_metrics);
  const Fingerprint fingerprint = FingerprintOf(url);
  const StateRequest request{domain, PartitionOfDomain(domain), {&fingerprint, 1}};
  CHECK_OK(states->Load({&request, 1}, kLong).status());
  return states;
}

std::optional<DomainRecord> StrategyWorld::RecordOf(std::string_view domain) {
  const auto states = StatesOf(domain, "");
  DomainRecord record = states->Find(domain)->record();
  if (record.applied == Watermark()) return std::nullopt;
  return record;
}

std::optional<LinkState> StrategyWorld::StateOf(std::string_view domain, std::string_view url) {
  const auto states = StatesOf(domain, url);
  const Fingerprint fingerprint = FingerprintOf(url);
  LinkState state;
  bool known = false;
  states->Find(domain)->Find({&fingerprint, 1}, {&state, 1}, {&known, 1});
  if (!known) return std::nullopt;
  return state;
}

}  // namespace orbweaver
