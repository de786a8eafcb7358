#include "common/bus/embedded/embedded_producer.h"

#include <utility>

#include "common/base/status.h"
#include "common/bus/limits.h"

namespace orbweaver {

EmbeddedProducer::EmbeddedProducer(MessageLog& log, std::shared_ptr<SendLane> lane,
                                   const Clock& clock, const ProducerOptions& options,
                                   AckHandler on_ack)
    : log_(log),
      lane_(std::move(lane)),
      clock_(clock),
      options_(options),
      on_ack_(std::move(on_ack)) {}

absl::Status EmbeddedProducer::Send(const Record& record, uint64_t token) {
  RETURN_IF_ERROR(CheckRecord(record));
  const size_t bytes = record.key.size() + record.value.size();
  if (topic_ == nullptr || topic_->spec.name != record.topic) {
    topic_ = log_.FindTopic(record.topic);
    if (topic_ == nullptr) return FatalError("send to topic '{}': it does not exist", record.topic);
  }
  LogPartition* const partition = topic_->Find(record.partition);
  if (partition == nullptr) {
    return FatalError("send to topic '{}' partition {}: it has {} partitions", record.topic,
                      record.partition, topic_->spec.partitions);
  }
  return lane_->Send(partition, record, clock_.Wall(), token, bytes, options_.max_bytes);
}

void EmbeddedProducer::Poll(Duration timeout) {
  for (const SentBatch& batch : lane_->TakeAcked(timeout)) {
    Ack ack{.partition = batch.partition->id, .status = batch.status};
    for (size_t i = 0; i < batch.tokens.size(); ++i) {
      ack.token = batch.tokens[i];
      ack.offset = batch.first + static_cast<int64_t>(i);
      on_ack_(ack);
    }
  }
}

absl::Status EmbeddedProducer::Flush(Duration timeout) {
  const SteadyTime deadline = SystemClock().Now() + timeout;
  while (lane_->HasOutstanding()) {
    const Duration left = deadline - SystemClock().Now();
    Poll(std::max(left, Duration::zero()));
    if (left <= Duration::zero() && lane_->HasOutstanding()) {
      return TimeoutError("flush: records without an ack after the timeout");
    }
  }
  return absl::OkStatus();
}

}  // namespace orbweaver
