#include "common/bus/memory/memory_producer.h"

#include <optional>

#include "common/base/status.h"
#include "common/bus/limits.h"

namespace orbweaver {
MemoryProducer::MemoryProducer(MemoryClient* client, const ProducerOptions& options,
                               AckHandler on_ack)
    : client_(*client), options_(options), on_ack_(std::move(on_ack)) {
  absl::MutexLock lock(&client_.broker.mutex);
  wire_ = client_.broker.NewWire();
}

MemoryProducer::~MemoryProducer() {
  absl::MutexLock lock(&client_.broker.mutex);
  wire_->Abandon(&client_.random());
}

absl::Status MemoryProducer::Send(const Record& record, uint64_t token) {
  RETURN_IF_ERROR(client_.CheckAlive("send"));
  RETURN_IF_ERROR(CheckRecord(record));
  client_.Reach("before send");
  {
    absl::MutexLock lock(&client_.broker.mutex);
    const SteadyTime now = client_.broker.Tick();
    if (wire_->failed()) {
      return FencedError("send to topic '{}': an earlier record was given up. Make a new producer",
                         record.topic);
    }
    ASSIGN_OR_RETURN(PartitionLog* const log,
                     client_.broker.log().Find(record.topic, record.partition));
    const size_t bytes = record.key.size() + record.value.size();
    if (wire_->outstanding() > 0 && wire_->bytes() + bytes > options_.max_bytes) {
      return absl::ResourceExhaustedError("send: the producer's byte budget is full");
    }
    const BusFaults& faults = client_.faults();
    const SteadyTime append_at = now + client_.Draw(faults.max_append_delay);
    const bool is_lost = client_.random().Chance(faults.lost_record);
    wire_->Push(log,
                {.token = token,
                 .partition = record.partition,
                 .record = std::make_shared<StoredRecord>(record, client_.broker.Wall(),
                                                          RecordBytes::kCopied),
                 .append_at = append_at,
                 .ack_at = append_at + client_.Draw(faults.max_ack_delay),
                 .give_up_at = now + options_.delivery_timeout.value_or(kDefaultDeliveryTimeout),
                 .is_lost = is_lost,
                 .reaches_log = !is_lost || client_.random().Chance(0.5)});
    wire_->Advance(now, client_.broker.available());
    client_.broker.Changed();
  }
  client_.Reach("after send");
  return absl::OkStatus();
}

void MemoryProducer::Deliver(SteadyTime deadline) {
  auto has_ack = [&]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(client_.broker.mutex) {
    return wire_->HasAck() || wire_->outstanding() == 0;
  };
  while (!client_.dead()) {
    std::optional<Ack> ack;
    {
      absl::MutexLock lock(&client_.broker.mutex);
      client_.broker.Await(deadline, has_ack);
      if (!wire_->HasAck()) return;
      ack = wire_->TakeAck();
    }
    on_ack_(*ack);  // without the lock: it may Send
    deadline = {};
  }
}

void MemoryProducer::Poll(Duration timeout) {
  SteadyTime now;
  {
    absl::MutexLock lock(&client_.broker.mutex);
    now = client_.broker.Tick();
  }
  Deliver(now + timeout);
}

absl::Status MemoryProducer::Flush(Duration timeout) {
  RETURN_IF_ERROR(client_.CheckAlive("flush"));
  SteadyTime deadline;
  {
    absl::MutexLock lock(&client_.broker.mutex);
    deadline = client_.broker.Tick() + timeout;
  }
  for (;;) {
    Deliver(deadline);
    absl::MutexLock lock(&client_.broker.mutex);
    const SteadyTime now = client_.broker.Tick();
    if (wire_->outstanding() == 0) return absl::OkStatus();
    if (now >= deadline && !wire_->HasAck()) {
      return TimeoutError("flush: {} records without an ack", wire_->outstanding());
    }
    if (client_.dead()) return client_.CheckAlive("flush");
  }
}

}  // namespace orbweaver
