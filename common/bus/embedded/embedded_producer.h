// Appends to the folder's log through its group commit.
#pragma once

#include <memory>

#include "common/base/clock.h"
#include "common/bus/embedded/committer.h"
#include "common/bus/embedded/message_log.h"
#include "common/bus/producer.h"

namespace orbweaver {

// Not thread-safe, as the interface says. Nothing is ever retried: a record that could not be
// written is lost, and all that were sent after it. Fatal when the disk is full or broken; given up
// when compactions were too far behind for all of `delivery_timeout`.
class EmbeddedProducer : public Producer {
 public:
  EmbeddedProducer(MessageLog& log, std::shared_ptr<SendLane> lane, const Clock& clock,
                   const ProducerOptions& options, AckHandler on_ack);

  absl::Status Send(const Record& record, uint64_t token) override;
  void Poll(Duration timeout) override;
  absl::Status Flush(Duration timeout) override;

 private:
  MessageLog& log_;
  const std::shared_ptr<SendLane> lane_;
  const Clock& clock_;
  const ProducerOptions options_;
  const AckHandler on_ack_;
  const LogTopic* topic_ = nullptr;  // of the last record: most go to one topic
};

}  // namespace orbweaver
