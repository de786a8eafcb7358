// See Producer. Sends over a wire of its own (memory_wire.h).
#pragma once

#include <memory>

#include "common/bus/memory/memory_client.h"
#include "common/bus/producer.h"

namespace orbweaver {

// Place: made by MemoryBus.
class MemoryProducer : public Producer {
 public:
  MemoryProducer(MemoryClient* client, const ProducerOptions& options, AckHandler on_ack);
  ~MemoryProducer() override;

  absl::Status Send(const Record& record, uint64_t token) override;
  void Poll(Duration timeout) override;
  absl::Status Flush(Duration timeout) override;

 private:
  // Delivers acks until there are none; waits until `deadline` for the first.
  void Deliver(SteadyTime deadline);

  MemoryClient& client_;
  const ProducerOptions options_;
  const AckHandler on_ack_;
  std::shared_ptr<MemoryWire> wire_;  // guarded by the broker's lock
};

}  // namespace orbweaver
