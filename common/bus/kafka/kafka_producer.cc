#include "common/bus/kafka/kafka_producer.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "common/base/log.h"
#include "common/base/status.h"
#include "common/bus/limits.h"

namespace orbweaver::kafka {
namespace {

constexpr size_t kMaxHeaders = 8;

// Why a record was lost. Another producer may fare better, unless the record or the rights are at
// fault.
absl::Status Loss(rd_kafka_resp_err_t error, std::string_view action) {
  const absl::Status why = ToStatus(error, action);
  switch (error) {
    case RD_KAFKA_RESP_ERR_CLUSTER_AUTHORIZATION_FAILED:
    case RD_KAFKA_RESP_ERR_INVALID_MSG:
    case RD_KAFKA_RESP_ERR_INVALID_MSG_SIZE:
    case RD_KAFKA_RESP_ERR_INVALID_RECORD:
    case RD_KAFKA_RESP_ERR_INVALID_REQUIRED_ACKS:
    case RD_KAFKA_RESP_ERR_INVALID_TIMESTAMP:
    case RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE:
    case RD_KAFKA_RESP_ERR_POLICY_VIOLATION:
    case RD_KAFKA_RESP_ERR_RECORD_LIST_TOO_LARGE:
    case RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED:
    case RD_KAFKA_RESP_ERR_TOPIC_EXCEPTION:
    case RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART:
    case RD_KAFKA_RESP_ERR_UNSUPPORTED_COMPRESSION_TYPE:
    case RD_KAFKA_RESP_ERR_UNSUPPORTED_FOR_MESSAGE_FORMAT:
    case RD_KAFKA_RESP_ERR__INVALID_ARG:
    case RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION:
    case RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC:
      return FatalError("{}", MessageOf(why));
    default:
      return FencedError("{}", MessageOf(why));
  }
}

absl::Status CheckPartition(std::string_view topic, PartitionId partition) {
  if (partition >= PartitionId(0)) return absl::OkStatus();
  // librdkafka would choose one itself.
  return FatalError("send to {}: there is no partition {}", topic, partition);
}

}  // namespace

absl::StatusOr<std::unique_ptr<Producer>> KafkaProducer::Create(const KafkaOptions& kafka,
                                                                const ProducerOptions& options,
                                                                AckHandler on_ack) {
  ASSIGN_OR_RETURN(
      Conf conf,
      NewConf(kafka, {
                         {"enable.idempotence", "true"},
                         {"enable.gapless.guarantee", "true"},
                         {"message.max.bytes", fmt::format("{}", kMaxMessageBytes)},
                         {"message.timeout.ms", "0"},
                         // The bound is ours, by bytes; librdkafka's must not be met before it.
                         {"queue.buffering.max.messages", "10000000"},
                         {"queue.buffering.max.kbytes", "2097151"},
                         // A batch's buffer is as large as messages times bytes copied of each may
                         // become, up to message.max.bytes. With librdkafka's defaults that is
                         // 11 MB of fresh pages for each megabyte sent, a fifth of what producing
                         // costs; longer values are sent from where they lie.
                         {"batch.num.messages", "4096"},
                         {"message.copy.max.bytes", "512"},
                         // A missing topic is reported in seconds: ours exist before workers start.
                         {"topic.metadata.propagation.max.ms", "5000"},
                     }));
  std::unique_ptr<KafkaProducer> producer(new KafkaProducer(kafka, options, std::move(on_ack)));
  rd_kafka_conf_set_dr_msg_cb(conf.get(), OnDelivery);
  rd_kafka_conf_set_opaque(conf.get(), producer.get());
  ASSIGN_OR_RETURN(producer->handle_, NewHandle(RD_KAFKA_PRODUCER, std::move(conf)));
  return producer;
}

KafkaProducer::KafkaProducer(const KafkaOptions& kafka, const ProducerOptions& options,
                             AckHandler on_ack)
    : prefix_(kafka.prefix),
      max_bytes_(options.max_bytes),
      delivery_timeout_(options.delivery_timeout.value_or(kafka.delivery_timeout)),
      on_ack_(std::move(on_ack)) {}

KafkaProducer::~KafkaProducer() {
  if (handle_ == nullptr) return;
  // Drops the records that were not flushed: their owner has not been told that they are safe.
  rd_kafka_purge(handle_.get(), RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT);
  topics_.clear();
}

absl::Status KafkaProducer::Send(const Record& record, uint64_t token) {
  RETURN_IF_ERROR(failed_);
  RETURN_IF_ERROR(CheckRecord(record));
  RETURN_IF_ERROR(CheckPartition(record.topic, record.partition));
  const size_t bytes = record.key.size() + record.value.size();
  // A record larger than the whole budget may go alone: refusing it for ever would stop its sender.
  if (outstanding_ > 0 && outstanding_bytes_ + bytes > max_bytes_) {
    return absl::ResourceExhaustedError("send: the producer's byte budget is full");
  }
  if (record.headers.size() > kMaxHeaders) {
    return FatalError("send to {}: {} headers, at most {} are allowed", record.topic,
                      record.headers.size(), kMaxHeaders);
  }
  rd_kafka_vu_t fields[6 + kMaxHeaders];
  size_t n = 0;
  const auto add = [&](rd_kafka_vtype_t type) -> rd_kafka_vu_t& {
    fields[n].vtype = type;
    return fields[n++];
  };
  ASSIGN_OR_RETURN(Topic* const topic, FindTopic(record.topic));
  add(RD_KAFKA_VTYPE_RKT).u.rkt = topic->handle.get();
  add(RD_KAFKA_VTYPE_PARTITION).u.i32 = record.partition.value();
  add(RD_KAFKA_VTYPE_MSGFLAGS).u.i = RD_KAFKA_MSG_F_COPY;
  // librdkafka only reads through these pointers.
  auto& value = add(RD_KAFKA_VTYPE_VALUE);
  value.u.mem.ptr = const_cast<char*>(record.value.data());
  value.u.mem.size = record.value.size();
  auto& key = add(RD_KAFKA_VTYPE_KEY);
  key.u.mem.ptr = const_cast<char*>(record.key.data());
  key.u.mem.size = record.key.size();
  add(RD_KAFKA_VTYPE_OPAQUE).u.ptr = reinterpret_cast<void*>(token);
  std::vector<std::string> names;  // librdkafka wants them terminated
  names.reserve(record.headers.size());
  for (size_t i = 0; i < record.headers.size(); ++i) {
    auto& header = add(RD_KAFKA_VTYPE_HEADER);
    header.u.header.name = names.emplace_back(record.headers[i].name).c_str();
    header.u.header.val = record.headers[i].value.data();
    header.u.header.size = static_cast<ssize_t>(record.headers[i].value.size());
  }
  rd_kafka_error_t* const error = rd_kafka_produceva(handle_.get(), fields, n);
  if (error != nullptr) {
    const rd_kafka_resp_err_t code = rd_kafka_error_code(error);
    rd_kafka_error_destroy(error);
    if (code == RD_KAFKA_RESP_ERR__QUEUE_FULL) {
      return absl::ResourceExhaustedError("send: librdkafka's queue is full");
    }
    return Loss(code, fmt::format("send {} bytes to {} partition {}", bytes, record.topic,
                                  record.partition));
  }
  CountSent(*topic, record.partition, 1, bytes);
  return absl::OkStatus();
}

absl::StatusOr<size_t> KafkaProducer::SendMany(std::string_view topic_name, PartitionId partition,
                                               std::span<const KeyValue> records, uint64_t token) {
  RETURN_IF_ERROR(failed_);
  RETURN_IF_ERROR(CheckPartition(topic_name, partition));
  ASSIGN_OR_RETURN(Topic* const topic, FindTopic(topic_name));
  many_.clear();
  size_t bytes = 0;
  for (const KeyValue& record : records) {
    RETURN_IF_ERROR(CheckRecord({.topic = topic_name, .key = record.key, .value = record.value}));
    const size_t size = record.key.size() + record.value.size();
    const bool alone = outstanding_ == 0 && many_.empty();
    if (!alone && outstanding_bytes_ + bytes + size > max_bytes_) break;
    bytes += size;
    // librdkafka only reads through these pointers.
    rd_kafka_message_t& message = many_.emplace_back();
    message.payload = const_cast<char*>(record.value.data());
    message.len = record.value.size();
    message.key = const_cast<char*>(record.key.data());
    message.key_len = record.key.size();
    message._private = reinterpret_cast<void*>(token);
  }
  // One look at the clocks and one search for the partition, instead of one for each record.
  rd_kafka_produce_batch(topic->handle.get(), partition.value(), RD_KAFKA_MSG_F_COPY, many_.data(),
                         static_cast<int>(many_.size()));
  size_t taken = 0, taken_bytes = 0;
  for (const rd_kafka_message_t& message : many_) {
    if (message.err == RD_KAFKA_RESP_ERR_NO_ERROR) {
      ++taken;
      taken_bytes += message.len + message.key_len;
    } else if (failed_.ok()) {
      // librdkafka passes over a record that it refuses, and takes those after it.
      Fail(Loss(message.err, fmt::format("send {} records to {} partition {}", many_.size(),
                                         topic_name, partition)));
    }
  }
  CountSent(*topic, partition, taken, taken_bytes);
  RETURN_IF_ERROR(failed_);
  return taken;
}

void KafkaProducer::CountSent(Topic& topic, PartitionId id, size_t records, size_t bytes) {
  Partition& partition = topic.partitions[id];
  if (partition.outstanding == 0) partition.progressed = true;
  partition.outstanding += records;
  outstanding_ += records;
  outstanding_bytes_ += bytes;
}

void KafkaProducer::Poll(Duration timeout) {
  int wait = Milliseconds(timeout);
  while (rd_kafka_poll(handle_.get(), wait) > 0) wait = 0;
  CheckProgress();
}

absl::Status KafkaProducer::Flush(Duration timeout) {
  const Deadline deadline(timeout);
  while (outstanding_ > 0) {
    // In portions, so that a lack of progress is seen.
    const Duration left = deadline.Left();
    rd_kafka_flush(handle_.get(), Milliseconds(std::min<Duration>(left, std::chrono::seconds(1))));
    CheckProgress();
    if (outstanding_ > 0 && left == Duration::zero()) {
      return TimeoutError("flush: {} records are not acked yet", outstanding_);
    }
  }
  return absl::OkStatus();
}

void KafkaProducer::OnDelivery(rd_kafka_t*, const rd_kafka_message_t* message, void* opaque) {
  auto* const self = static_cast<KafkaProducer*>(opaque);
  self->outstanding_bytes_ -= message->len + message->key_len;
  --self->outstanding_;
  auto& topic = *static_cast<Topic*>(rd_kafka_topic_opaque(message->rkt));
  Partition& partition = topic.partitions[PartitionId(message->partition)];
  --partition.outstanding;
  partition.progressed = true;
  Ack ack{reinterpret_cast<uint64_t>(message->_private), PartitionId(message->partition),
          Offset(std::max<int64_t>(message->offset, -1)), absl::OkStatus()};
  if (message->err != RD_KAFKA_RESP_ERR_NO_ERROR) {
    ack.offset = Offset(-1);
    if (self->failed_.ok()) {
      self->Fail(
          Loss(message->err, fmt::format("produce to {} partition {}",
                                         rd_kafka_topic_name(message->rkt), message->partition)));
    }
    ack.status = self->failed_;
  }
  self->on_ack_(ack);
}

void KafkaProducer::Fail(const absl::Status& why) {
  failed_ = why;
  Log(LogLevel::kError, "kafka", "{}", MessageOf(why));
  // Nothing may follow a record that was lost.
  rd_kafka_purge(handle_.get(), RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT |
                                    RD_KAFKA_PURGE_F_NON_BLOCKING);
}

absl::StatusOr<KafkaProducer::Topic*> KafkaProducer::FindTopic(std::string_view name) {
  for (Topic& topic : topics_) {
    if (topic.name == name) return &topic;
  }
  Topic& topic = topics_.emplace_back();
  topic.name = name;
  rd_kafka_topic_conf_t* const conf = rd_kafka_default_topic_conf_dup(handle_.get());
  rd_kafka_topic_conf_set_opaque(conf, &topic);
  topic.handle.reset(rd_kafka_topic_new(handle_.get(), (prefix_ + topic.name).c_str(), conf));
  if (topic.handle != nullptr) return &topic;
  rd_kafka_topic_conf_destroy(conf);
  topics_.pop_back();
  return FatalError("send to {}: no name of a topic", name);
}

void KafkaProducer::CheckProgress() {
  if (outstanding_ == 0 || !failed_.ok()) return;
  const SteadyTime now = SystemClock().Now();
  if (now < next_check_) return;
  next_check_ = now + std::min<Duration>(delivery_timeout_ / 4, std::chrono::seconds(1));
  for (Topic& topic : topics_) {
    for (auto& [id, partition] : topic.partitions) {
      if (partition.progressed) partition.last_progress = now;
      partition.progressed = false;
      if (partition.outstanding == 0) continue;
      const Duration still = now - partition.last_progress;
      const Duration forgotten_after = std::min(kForgottenAfter, delivery_timeout_ / 4);
      if (still >= forgotten_after && now >= next_reminder_) {
        next_reminder_ = now + forgotten_after;
        RemindOfBrokers(handle_.get());
      }
      if (still < delivery_timeout_) continue;
      failed_ = FencedError(
          "produce to {} partition {}: no ack for {} s; {} records of all partitions given up. Is "
          "its leader up, and are enough replicas in sync?",
          topic.name, id,
          std::chrono::duration_cast<std::chrono::seconds>(delivery_timeout_).count(),
          outstanding_);
    }
  }
  if (failed_.ok()) return;
  Log(LogLevel::kError, "kafka", "{}", MessageOf(failed_));
  rd_kafka_purge(handle_.get(), RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT);
  // Their acks, as failures.
  while (rd_kafka_poll(handle_.get(), 0) > 0) {
  }
}

}  // namespace orbweaver::kafka
