#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/bus/kafka/client.h"
#include "common/bus/producer.h"

namespace orbweaver::kafka {

// An idempotent producer with acks=all.
//
// What reaches a partition's log is always a prefix of what was sent to it: librdkafka never gives
// a record up by itself (its own timeout is off, since it would drop an old record and send the
// younger ones behind it). When nothing was acked for `delivery_timeout` this class drops all that
// is outstanding and takes nothing more; its owner starts anew, and what the crash protocol keeps
// in the store is sent again.
class KafkaProducer : public Producer {
 public:
  static absl::StatusOr<std::unique_ptr<Producer>> Create(const KafkaOptions& kafka,
                                                          const ProducerOptions& options,
                                                          AckHandler on_ack);
  ~KafkaProducer() override;

  absl::Status Send(const Record& record, uint64_t token) override;
  void Poll(Duration timeout) override;
  absl::Status Flush(Duration timeout) override;

 private:
  struct Topic {
    std::string name;  // without the prefix
    TopicHandle handle;
  };

  KafkaProducer(std::string prefix, const ProducerOptions& options, AckHandler on_ack);

  static void OnDelivery(rd_kafka_t*, const rd_kafka_message_t* message, void* self);
  // Null when no topic can have this name.
  rd_kafka_topic_t* FindTopic(std::string_view name);
  // Gives everything up when nothing moved for too long.
  void CheckProgress();

  const std::string prefix_;
  const ProducerOptions options_;
  const AckHandler on_ack_;
  Handle handle_;

  std::vector<Topic> topics_;  // a handful
  size_t outstanding_bytes_ = 0;
  size_t outstanding_ = 0;
  SteadyTime last_progress_;
  absl::Status failed_;  // once not OK, nothing is taken any more
};

}  // namespace orbweaver::kafka
