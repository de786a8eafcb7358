#include "strategy_worker/worker.h"

#include <utility>

#include "common/base/status.h"
#include "common/bus/topics.h"
#include "common/protocol/owned_log.h"
#include "common/protocol/topic_record.h"
#include "strategy_worker/core/background_write.h"
#include "strategy_worker/core/strategy_core.h"
#include "strategy_worker/states/packed_state_store.h"

namespace orbweaver {
namespace {

constexpr Duration kStartTimeout = std::chrono::seconds(20);

class StrategyWorker : public Stepped {
 public:
  StrategyWorker(std::unique_ptr<BackgroundWrite> background, std::unique_ptr<StrategyCore> core,
                 std::function<void()> between_batches, Duration wait)
      : background_(std::move(background)),
        core_(std::move(core)),
        between_batches_(std::move(between_batches)),
        wait_(wait) {}

  absl::Status Step() override {
    if (core_->IsBetweenBatches()) between_batches_();
    return core_->Step(wait_).status();
  }
  absl::Status Close() override { return core_->Stop(); }

 private:
  const std::unique_ptr<BackgroundWrite> background_;  // one a core: it holds a core's result
  const std::unique_ptr<StrategyCore> core_;
  const std::function<void()> between_batches_;
  const Duration wait_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<StrategyCore>> StartStrategyCore(const StrategyWorkerParts& parts,
                                                                const Clock& clock,
                                                                BackgroundWrite& background) {
  ASSIGN_OR_RETURN(const TopicRecord topics, CheckTopics(parts.store, parts.bus, kStartTimeout));
  const StrategyWorkerOptions options =
      WithinSession(parts.options, parts.membership.session_timeout);
  ASSIGN_OR_RETURN(auto spider_log,
                   NewSpiderLogSession(parts.bus, clock, parts.membership, options));
  ASSIGN_OR_RETURN(auto scoring_log,
                   OwnedLog::Create(parts.bus, clock,
                                    {.topic = std::string(kScoringLogTopic), .owner = parts.id}));
  auto core = std::make_unique<StrategyCore>(StrategyCoreParts{
      .spider_log = std::move(spider_log),
      .scoring_log = std::move(scoring_log),
      .states =
          std::make_unique<PackedStateStore>(parts.store, clock, parts.states, parts.state_metrics),
      .store = parts.store,
      .strategy = parts.strategy,
      .background = background,
      .clock = clock,
      .suffixes = parts.suffixes,
      .metrics = parts.metrics,
      .topics = topics,
      .urls = parts.urls,
      .scope = parts.scope,
      .options = options});
  RETURN_IF_ERROR(core->Start());
  return core;
}

absl::StatusOr<std::unique_ptr<Stepped>> NewStrategyWorker(const StrategyWorkerParts& parts,
                                                           std::function<void()> between_batches) {
  auto background = NewThreadWrite();
  ASSIGN_OR_RETURN(auto core, StartStrategyCore(parts, SystemClock(), *background));
  return std::make_unique<StrategyWorker>(std::move(background), std::move(core),
                                          std::move(between_batches), parts.wait);
}

}  // namespace orbweaver
