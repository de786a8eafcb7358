// The embedded bus: a durable log in the store's RocksDB folder, for crawls on one machine, in one
// process of many threads.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "common/bus/bus.h"
#include "common/bus/embedded/committer.h"
#include "common/bus/embedded/embedded_consumer.h"
#include "common/bus/embedded/group.h"
#include "common/bus/embedded/message_log.h"
#include "common/store/rocksdb/database.h"

namespace orbweaver {

struct EmbeddedBusOptions {
  // How often what is older, or more, than its topic keeps is deleted.
  Duration retention_interval = std::chrono::minutes(1);
};

// Thread-safe. Runs from Open to destruction, which makes durable what producers have sent.
class EmbeddedBus : public Bus {
 public:
  // Dates messages and judges silence and age by `clock`; both references must outlive the bus.
  static absl::StatusOr<std::unique_ptr<EmbeddedBus>> Open(Database& database, const Clock& clock,
                                                           const EmbeddedBusOptions& options = {});

  absl::StatusOr<std::unique_ptr<Producer>> NewProducer(const ProducerOptions& options,
                                                        AckHandler on_ack) override;
  absl::StatusOr<std::unique_ptr<Consumer>> NewConsumer(const ConsumerOptions& options) override;
  absl::StatusOr<std::unique_ptr<OffsetReader>> NewOffsetReader() override;
  absl::StatusOr<std::vector<std::string>> EnsureTopics(std::span<const TopicSpec> topics,
                                                        Duration timeout) override;
  absl::StatusOr<int> PartitionCount(std::string_view topic, Duration timeout) override;

  // Deletes at once what retention no longer keeps, instead of at the next interval.
  absl::Status ApplyRetention() { return log_->ApplyRetention(); }

  // From now on no Poll waits for longer than a moment: whoever polls is to see that it must end.
  void HurryPolls() { log_->HurryPolls(); }

  // Deletes the messages of partitions below their starts. Often is cheap: messages that are
  // deleted before RocksDB flushes them are never written to a table file.
  absl::Status DeleteBefore(std::span<const LogStart> starts) { return log_->DeleteBefore(starts); }

 private:
  EmbeddedBus(Database& database, const Clock& clock, std::unique_ptr<MessageLog> log,
              const EmbeddedBusOptions& options);

  Database& database_;
  const Clock& clock_;
  const std::unique_ptr<MessageLog> log_;
  Groups groups_;
  Committer committer_;  // last: its thread uses the log
};

}  // namespace orbweaver
