#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"

#include "common/bus/kafka/client.h"
#include "common/bus/producer.h"

namespace orbweaver::kafka {

// An idempotent producer with acks=all.
//
// A partition's log always receives a prefix of the records sent to it: librdkafka never gives a
// record up by itself (its own timeout is off, since it would drop an old record and send the
// younger ones behind it). When nothing of a partition was acked for `delivery_timeout`, however
// well the others do, this class drops all that is outstanding and takes nothing more; its owner
// starts anew, and what the crash protocol keeps in the store is sent again.
class KafkaProducer : public Producer {
 public:
  static absl::StatusOr<std::unique_ptr<Producer>> Create(const KafkaOptions& kafka,
                                                          const ProducerOptions& options,
                                                          AckHandler on_ack);
  ~KafkaProducer() override;

  absl::Status Send(const Record& record, uint64_t token) override;
  absl::StatusOr<size_t> SendMany(std::string_view topic, PartitionId partition,
                                  std::span<const KeyValue> records, uint64_t token) override;
  void Poll(Duration timeout) override;
  absl::Status Flush(Duration timeout) override;

 private:
  struct Partition {
    size_t outstanding = 0;
    // Since the last check there was an ack, or there came to be something outstanding. The time is
    // taken at the check: the clock costs more than all else that an ack does here.
    bool progressed = false;
    SteadyTime last_progress;
  };
  struct Topic {
    std::string name;  // without the prefix
    TopicHandle handle;
    absl::flat_hash_map<PartitionId, Partition> partitions;  // those that were sent to
  };

  KafkaProducer(const KafkaOptions& kafka, const ProducerOptions& options, AckHandler on_ack);

  static void OnDelivery(rd_kafka_t*, const rd_kafka_message_t* message, void* self);
  // Fatal when no topic can have this name.
  absl::StatusOr<Topic*> FindTopic(std::string_view name);
  void CountSent(Topic& topic, PartitionId partition, size_t records, size_t bytes);
  // Gives up what is outstanding, and takes nothing any more. `why` is every later answer.
  void Fail(const absl::Status& why);
  // Gives everything up when some partition did not move for too long; before that, sees that there
  // is a broker.
  void CheckProgress();

  const std::string prefix_;
  const size_t max_bytes_;
  const Duration delivery_timeout_;
  const AckHandler on_ack_;
  Handle handle_;

  std::vector<rd_kafka_message_t> many_;  // of SendMany
  std::deque<Topic> topics_;              // a handful; librdkafka's topics point to them
  size_t outstanding_bytes_ = 0;
  size_t outstanding_ = 0;
  SteadyTime next_check_;
  SteadyTime next_reminder_;
  absl::Status failed_;  // once not OK, nothing is taken any more
};

}  // namespace orbweaver::kafka
