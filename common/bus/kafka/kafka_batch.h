// librdkafka's messages as a batch of views.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <librdkafka/rdkafka.h>

#include "common/bus/kafka/client.h"
#include "common/bus/message.h"

namespace orbweaver::kafka {

using RawMessage = std::unique_ptr<rd_kafka_message_t, Free<rd_kafka_message_destroy>>;

// Place: the consumer adds messages, Finish makes the batch, which then owns this. Messages need
// their client, so a batch that outlives the consumer keeps it.
class KafkaBatch : public MessageBatch::Memory {
 public:
  explicit KafkaBatch(std::shared_ptr<rd_kafka_t> client) : client_(std::move(client)) {}

  void Add(RawMessage message);
  size_t size() const { return messages_.size(); }

  // Sets `batch` to what was added.
  static void Finish(std::unique_ptr<KafkaBatch> memory, MessageBatch* batch);

 private:
  struct HeaderPlace {  // in header_bytes_
    size_t begin, value_begin, end;
  };

  const std::shared_ptr<rd_kafka_t> client_;
  std::vector<RawMessage> messages_;
  // Headers are copied out and librdkafka's are freed at once: it keeps each in three pieces of its
  // own, which fall out of the caches when a whole batch of them waits to be freed (measured: a
  // fifth of a message's CPU).
  std::string header_bytes_;
  std::vector<HeaderPlace> header_places_;
  std::vector<size_t> header_ends_;  // of each message, into header_places_
  std::vector<Header> headers_;
};

}  // namespace orbweaver::kafka
