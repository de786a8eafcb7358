#include "cli/crawl/dead_letter_tally.h"

#include <utility>

#include "common/base/status.h"
#include "common/bus/topics.h"
#include "common/protocol/dead_letters.h"

namespace orbweaver {
namespace {

// Reading joins no group and commits nothing, but a consumer must name one.
constexpr char kFollower[] = "orbweaver-crawl";
constexpr PartitionId kOnlyPartition{0};

}  // namespace

absl::StatusOr<std::unique_ptr<DeadLetterTally>> DeadLetterTally::Create(Bus& bus,
                                                                         Duration timeout) {
  ASSIGN_OR_RETURN(const auto offsets, bus.NewOffsetReader());
  ASSIGN_OR_RETURN(const auto bounds,
                   offsets->Bounds(kDeadLetterTopic, {&kOnlyPartition, 1}, timeout));
  ASSIGN_OR_RETURN(auto consumer, bus.NewConsumer({.group = kFollower}));
  const AssignedPartition from{.partition = kOnlyPartition, .position = bounds[0].end};
  RETURN_IF_ERROR(consumer->Assign(kDeadLetterTopic, {&from, 1}));
  return std::unique_ptr<DeadLetterTally>(new DeadLetterTally(std::move(consumer)));
}

absl::Status DeadLetterTally::Follow() {
  MessageBatch batch;
  do {
    RETURN_IF_ERROR(consumer_->Poll({}, Duration::zero(), &batch));
    for (const Message& message : batch.messages()) {
      if (!HeaderOf(message, kDeadLetterPutBackHeader).empty()) continue;
      ++count_;
      if (causes_.size() < kExamples) {
        causes_.emplace_back(HeaderOf(message, kDeadLetterCauseHeader));
      }
    }
  } while (!batch.empty());
  return absl::OkStatus();
}

}  // namespace orbweaver
