// Long, since librdkafka calls back into all of it: rebalances, pauses, cuts and held messages
// change the same few members, and their order is what has to be understood.
#include "common/bus/kafka/kafka_consumer.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/cleanup/cleanup.h"

#include "common/base/backoff.h"
#include "common/base/log.h"
#include "common/base/status.h"
#include "common/bus/kafka/list_offsets.h"
#include "common/bus/limits.h"

namespace orbweaver::kafka {
namespace {

// The number of messages that one call fetches from librdkafka's own queue, which is bounded by
// bytes.
constexpr size_t kFetchMessages = 512;
// How long a take-over may try to learn its positions before it leaves the group and joins again.
constexpr Duration kTakeOverTimeout = std::chrono::seconds(20);
// How soon it is seen that a departing member was taken out of its group; nothing tells.
constexpr Duration kLeaveLook = std::chrono::milliseconds(20);
constexpr int kFirstVersionWithSafeCooperativeSticky = 0x02030000;  // upstream #4312

std::vector<PartitionId> Ids(const rd_kafka_topic_partition_list_t& list) {
  std::vector<PartitionId> ids;
  for (int i = 0; i < list.cnt; ++i) ids.emplace_back(list.elems[i].partition);
  return ids;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Consumer>> KafkaConsumer::Create(const KafkaOptions& kafka,
                                                                const ConsumerOptions& options) {
  if (options.group.empty()) return FatalError("create consumer: the group's name is empty");
  const std::string session_ms = fmt::format("{}", Milliseconds(options.session_timeout));
  const Duration heartbeat =
      std::min<Duration>(options.session_timeout / 4, std::chrono::seconds(3));
  ASSIGN_OR_RETURN(
      Conf conf,
      NewConf(kafka, {
                         {"group.id", kafka.prefix + options.group},
                         {"enable.auto.commit", "false"},
                         {"enable.auto.offset.store", "false"},
                         {"auto.offset.reset", "error"},
                         {"session.timeout.ms", session_ms},
                         {"heartbeat.interval.ms", fmt::format("{}", Milliseconds(heartbeat))},
                         // A consumer that does not poll is as dead as one that does not beat.
                         {"max.poll.interval.ms", session_ms},
                         {"partition.assignment.strategy",
                          rd_kafka_version() >= kFirstVersionWithSafeCooperativeSticky
                              ? "cooperative-sticky"
                              : "range"},
                         {"queued.max.messages.kbytes", "8192"},
                         {"fetch.max.bytes", "8388608"},
                         {"fetch.wait.max.ms", "100"},
                         {"fetch.error.backoff.ms", "100"},
                     }));
  if (!options.member.empty() &&
      rd_kafka_conf_set(conf.get(), "group.instance.id", options.member.c_str(), nullptr, 0) !=
          RD_KAFKA_CONF_OK) {
    return FatalError("create consumer: '{}' cannot be a member's name", options.member);
  }
  std::unique_ptr<KafkaConsumer> consumer(new KafkaConsumer(kafka.prefix, options));
  rd_kafka_conf_set_opaque(conf.get(), consumer.get());
  rd_kafka_conf_set_rebalance_cb(conf.get(), OnRebalance);
  rd_kafka_conf_set_error_cb(conf.get(), OnError);
  ASSIGN_OR_RETURN(Handle handle, NewHandle(RD_KAFKA_CONSUMER, std::move(conf)));
  consumer->handle_.reset(handle.release(), DestroyMember);
  rd_kafka_poll_set_consumer(consumer->handle_.get());
  consumer->queue_ = rd_kafka_queue_get_consumer(consumer->handle_.get());
  return consumer;
}

KafkaConsumer::~KafkaConsumer() {
  listener_ = nullptr;
  Close(Departure::kForNow);
}

absl::Status KafkaConsumer::Subscribe(std::string_view topic, RebalanceListener* listener) {
  if (closed_ || !topic_.empty()) {
    return FatalError("subscribe to {}: the consumer is closed, or reads already", topic);
  }
  topic_ = prefix_ + std::string(topic);
  subscribed_ = true;
  listener_ = listener;
  const PartitionId any(RD_KAFKA_PARTITION_UA);
  const PartitionList list = NewPartitionList(topic_, {&any, 1});
  return ToStatus(rd_kafka_subscribe(handle_.get(), list.get()),
                  fmt::format("subscribe to {}", topic_));
}

absl::Status KafkaConsumer::Assign(std::string_view topic,
                                   std::span<const AssignedPartition> from) {
  if (closed_ || listener_ != nullptr) {
    return FatalError("assign {}: the consumer is closed, or subscribed", topic);
  }
  topic_ = prefix_ + std::string(topic);
  for (const auto& [partition, owned] : owned_) {
    if (owned.paused) RETURN_IF_ERROR(Fetching(partition, true));
  }
  owned_.Clear();
  held_.clear();
  std::vector<PartitionId> partitions;
  for (const AssignedPartition& start : from) partitions.push_back(start.partition);
  const PartitionList list = NewPartitionList(topic_, partitions);
  for (size_t i = 0; i < from.size(); ++i) {
    list->elems[i].offset = from[i].position.value();
    owned_.Take(from[i].partition, from[i].position);
  }
  return ToStatus(rd_kafka_assign(handle_.get(), list.get()), fmt::format("assign {}", topic_));
}

absl::Status KafkaConsumer::Poll(const PollLimits& limits, Duration timeout, MessageBatch* batch) {
  batch->Clear();
  if (closed_) return FatalError("poll {}: the consumer is closed", topic_);
  if (topic_.empty()) return FatalError("poll: neither Subscribe nor Assign was called");
  RETURN_IF_ERROR(fenced_);
  const Deadline deadline(timeout);
  // When this Poll ends; until then the time of the last one tells how long the group did not hear
  // of us.
  was_silent_ = Silent();
  in_poll_ = true;
  const absl::Cleanup polled = [this] {
    in_poll_ = false;
    last_poll_ = SystemClock().Now();
  };
  rebalanced_ = false;
  do {
    // While there are held messages, rebalances and errors are served and the group sees us alive:
    // one in for at least one out, so that what is held does not grow.
    const PollLimits one{.max_bytes = 0, .max_messages = 1};
    const bool ready = HasDeliverable();
    if (errors_.empty()) Fetch(ready ? one : limits, ready ? Duration::zero() : deadline.Left());
    // The listener has heard of its partitions only now, so their messages are the next Poll's; and
    // those of partitions that were given up are gone.
    if (rebalanced_) return absl::OkStatus();
    Deliver(limits, batch);  // what was there before an error comes first
    if (!errors_.empty() && batch->empty()) {
      const absl::Status error = std::move(errors_.front());
      errors_.pop_front();
      return error;
    }
  } while (batch->empty() && deadline.Left() > Duration::zero());
  CheckBrokers(!batch->empty());
  return absl::OkStatus();
}

void KafkaConsumer::CheckBrokers(bool was_reading) {
  const SteadyTime now = SystemClock().Now();
  if (!was_reading && now < next_reminder_) return;
  next_reminder_ = now + std::min(kForgottenAfter, options_.session_timeout / 4);
  if (!was_reading) RemindOfBrokers(handle_.get());
}

bool KafkaConsumer::HasDeliverable() const {
  return std::any_of(held_.begin(), held_.end(), [this](const RawMessage& message) {
    const HeldPartitions::Held* const owned = owned_.Find(PartitionId(message->partition));
    return owned == nullptr || !owned->paused;
  });
}

void KafkaConsumer::Fetch(const PollLimits& limits, Duration timeout) {
  rd_kafka_message_t* fetched[kFetchMessages];
  size_t bytes = 0;
  size_t count = 0;
  // librdkafka waits until the whole array is full: wait for one, then take what is there already.
  size_t wanted = 1;
  while (true) {
    HeldPartitions::Held* owned =
        nullptr;  // of the message before: they come in runs of one partition
    PartitionId owned_id(RD_KAFKA_PARTITION_UA);
    const ssize_t n = rd_kafka_consume_batch_queue(queue_, Milliseconds(timeout), fetched, wanted);
    for (ssize_t i = 0; i < n; ++i) {
      RawMessage message(fetched[i]);
      if (message->err != RD_KAFKA_RESP_ERR_NO_ERROR) {
        HandleError(*message);
        owned_id = PartitionId(RD_KAFKA_PARTITION_UA);
        continue;
      }
      if (const PartitionId id(message->partition); id != owned_id) {
        owned = owned_.Find(id);
        owned_id = id;
      }
      // Revoked meanwhile; or its owner has not said yet where to go on; or known already, after a
      // resume by which librdkafka went back.
      if (owned == nullptr || owned->stands_still || message->offset < owned->position.value())
        continue;
      owned->position = Offset(message->offset + 1);
      bytes += message->len + message->key_len;
      ++count;
      held_.push_back(std::move(message));
    }
    if (n < static_cast<ssize_t>(wanted) || bytes >= limits.max_bytes ||
        count >= limits.max_messages || !errors_.empty()) {
      return;
    }
    timeout = Duration::zero();
    wanted = std::min(kFetchMessages, limits.max_messages - count);
  }
}

void KafkaConsumer::Deliver(const PollLimits& limits, MessageBatch* batch) {
  if (held_.empty() || !batch->empty()) return;
  auto memory = std::make_unique<KafkaBatch>(handle_);
  size_t bytes = 0;
  const bool any_paused = std::any_of(owned_.begin(), owned_.end(),
                                      [](const auto& entry) { return entry.second.paused; });
  std::deque<RawMessage> kept;
  while (!held_.empty() && memory->size() < limits.max_messages) {
    RawMessage& next = held_.front();
    const HeldPartitions::Held* const owned =
        any_paused ? owned_.Find(PartitionId(next->partition)) : nullptr;
    const bool paused = owned != nullptr && owned->paused;
    const size_t size = next->len + next->key_len;
    if (!paused && memory->size() > 0 && bytes + size > limits.max_bytes) break;
    if (paused) {
      kept.push_back(std::move(next));
    } else {
      bytes += size;
      memory->Add(std::move(next));
    }
    held_.pop_front();
  }
  // Messages of paused partitions go back before the rest, so that each partition keeps its order.
  for (; !kept.empty(); kept.pop_back()) held_.push_front(std::move(kept.back()));
  if (memory->size() > 0) KafkaBatch::Finish(std::move(memory), batch);
}

absl::Status KafkaConsumer::SetPaused(PartitionId partition, bool paused) {
  // Resuming what is not paused, librdkafka may go back to an earlier position.
  ASSIGN_OR_RETURN(const bool changed, owned_.SetPaused(topic_, partition, paused));
  return changed ? Fetching(partition, !paused) : absl::OkStatus();
}

absl::Status KafkaConsumer::Commit(std::span<const OffsetCommit> commits, Duration timeout) {
  if (commits.empty()) return absl::OkStatus();
  // A broker takes the commit of somebody who is no member when the group is empty: it may be
  // again, after its next owner has finished and left.
  if (listener_ != nullptr && (Silent() || rd_kafka_assignment_lost(handle_.get()))) {
    return FencedError("commit {} for group {}: this member was silent for too long", topic_,
                       options_.group);
  }
  std::vector<PartitionId> partitions;
  for (const OffsetCommit& commit : commits) {
    // The broker compares generations only: a member of the present one could commit for another's
    // partition.
    if (!owned_.Has(commit.partition)) {
      return FencedError("commit {} partition {}: it is not this member's", topic_,
                         commit.partition);
    }
    RETURN_IF_ERROR(CheckCommit(commit));
    partitions.push_back(commit.partition);
  }
  const PartitionList list = NewPartitionList(topic_, partitions);
  for (size_t i = 0; i < commits.size(); ++i) {
    rd_kafka_topic_partition_t& entry = list->elems[i];
    entry.offset = commits[i].offset.value();
    if (commits[i].metadata.empty()) continue;
    // The list frees it with free().
    entry.metadata = ::strndup(commits[i].metadata.data(), commits[i].metadata.size());
    // With its zero byte: clients on librdkafka, in Python for one, are given it without its
    // length.
    entry.metadata_size = commits[i].metadata.size() + 1;
  }
  const std::string action = fmt::format("commit {} for group {}", topic_, options_.group);
  const Queue answers(rd_kafka_queue_new(handle_.get()));
  RETURN_IF_ERROR(ToStatus(
      rd_kafka_commit_queue(handle_.get(), list.get(), answers.get(), nullptr, nullptr), action));
  const Event event(rd_kafka_queue_poll(answers.get(), Milliseconds(timeout)));
  if (event == nullptr) return TimeoutError("{}: no answer; it may have happened", action);
  RETURN_IF_ERROR(ToStatus(rd_kafka_event_error(event.get()), action));
  const auto* results = rd_kafka_event_topic_partition_list(event.get());
  for (int i = 0; results != nullptr && i < results->cnt; ++i) {
    RETURN_IF_ERROR(ToStatus(results->elems[i].err, action));
  }
  // A commit past a cut is the owner's word to go on from there. A broker is not asked where the
  // log is now: where it does not have the offset, the cut is reported again.
  const std::vector<PartitionId> resumed = owned_.Resume(commits, [](PartitionId) {
    return LogBounds{Offset(0), Offset(std::numeric_limits<int64_t>::max())};
  });
  return resumed.empty() ? absl::OkStatus() : StartAgain(resumed);
}

absl::Status KafkaConsumer::StartAgain(std::span<const PartitionId> which) {
  const auto is_one_of = [which](PartitionId partition) {
    return std::find(which.begin(), which.end(), partition) != which.end();
  };
  std::erase_if(
      held_, [&](const RawMessage& message) { return is_one_of(PartitionId(message->partition)); });
  // librdkafka refuses to seek in a partition that it has stopped for an offset out of range:
  // assign it anew. Without the cooperative protocol that means to assign all anew, the others
  // where they are.
  std::vector<PartitionId> partitions;
  for (const auto& [owned, state] : owned_) {
    if (is_one_of(owned) || !Cooperative()) partitions.push_back(owned);
  }
  const PartitionList list = NewPartitionList(topic_, partitions);
  const std::string action = fmt::format("start {} partitions of {} again", which.size(), topic_);
  // Nothing is paused or resumed here: librdkafka starts the partitions by and by, and loses a
  // resume that comes in that moment. A pause outlives it. No logical offset either: the answer to
  // its query, when it comes after the next start, would move the partition there.
  for (int i = 0; i < list->cnt; ++i) {
    list->elems[i].offset = owned_.Find(PartitionId(list->elems[i].partition))->position.value();
  }
  if (Cooperative()) {
    for (const auto call : {rd_kafka_incremental_unassign, rd_kafka_incremental_assign}) {
      rd_kafka_error_t* const error = call(handle_.get(), list.get());
      if (error == nullptr) continue;
      const rd_kafka_resp_err_t code = rd_kafka_error_code(error);
      rd_kafka_error_destroy(error);
      return ToStatus(code, action);
    }
    return absl::OkStatus();
  }
  return ToStatus(rd_kafka_assign(handle_.get(), list.get()), action);
}

absl::Status KafkaConsumer::Fetching(PartitionId partition, bool fetch) {
  const PartitionList list = NewPartitionList(topic_, {&partition, 1});
  const rd_kafka_resp_err_t error = fetch ? rd_kafka_resume_partitions(handle_.get(), list.get())
                                          : rd_kafka_pause_partitions(handle_.get(), list.get());
  RETURN_IF_ERROR(ToStatus(error, fmt::format("pause {}", topic_)));
  return ToStatus(list->elems[0].err, fmt::format("pause {} partition {}", topic_, partition));
}

void KafkaConsumer::Close(Departure departure) {
  if (closed_) return;
  closed_ = true;
  if (handle_ == nullptr) return;
  held_.clear();
  if (!subscribed_ && !owned_.empty()) rd_kafka_assign(handle_.get(), nullptr);
  const Deadline deadline(options_.close_timeout);
  if (subscribed_ && departure == Departure::kForGood) GiveUpPlace(deadline);
  LeaveGroup(deadline);
  // There was no time for a revocation: from now on they are others'.
  const std::vector<PartitionId> lost = owned_.ids();
  owned_.Clear();
  if (listener_ != nullptr && !lost.empty()) listener_->OnLost(lost);
  rd_kafka_queue_destroy(queue_);
  handle_.reset();
}

void KafkaConsumer::GiveUpPlace(const Deadline& deadline) {
  const auto serve_until = [&](bool is_member) {
    while (IsMember() != is_member && deadline.Left() > Duration::zero() &&
           rd_kafka_fatal_error(handle_.get(), nullptr, 0) == RD_KAFKA_RESP_ERR_NO_ERROR) {
      rd_kafka_message_t* fetched = nullptr;
      const Duration look = std::min<Duration>(deadline.Left(), kLeaveLook);
      if (rd_kafka_consume_batch_queue(queue_, Milliseconds(look), &fetched, 1) == 1) {
        rd_kafka_message_destroy(fetched);
      }
    }
  };
  // One that is about to join has no id yet to leave with, and the group may count it already.
  serve_until(true);
  // A client that is closed says nothing to the group when it is a static member (KIP-345); one
  // that unsubscribes does, once its partitions are revoked. It has no member's id from then on.
  rd_kafka_unsubscribe(handle_.get());
  serve_until(false);
}

bool KafkaConsumer::IsMember() const {
  char* const id = rd_kafka_memberid(handle_.get());
  const bool is_member = id != nullptr && *id != '\0';
  rd_kafka_mem_free(handle_.get(), id);
  return is_member;
}

void KafkaConsumer::LeaveGroup(const Deadline& deadline) {
  const Queue rest(rd_kafka_queue_new(handle_.get()));
  if (rd_kafka_error_t* const error = rd_kafka_consumer_close_queue(handle_.get(), rest.get())) {
    Log(LogLevel::kWarning, "kafka", "leave group {}: {}", options_.group,
        rd_kafka_error_string(error));
    rd_kafka_error_destroy(error);
    return;
  }
  while (rd_kafka_consumer_closed(handle_.get()) == 0) {
    if (deadline.Left() == Duration::zero()) {
      Log(LogLevel::kWarning, "kafka",
          "leave group {}: no answer for {} s; its partitions go to others after the session "
          "timeout",
          options_.group,
          std::chrono::duration_cast<std::chrono::seconds>(options_.close_timeout).count());
      return;
    }
    rd_kafka_message_t* fetched = nullptr;
    if (rd_kafka_consume_batch_queue(rest.get(), Milliseconds(deadline.Left()), &fetched, 1) == 1) {
      rd_kafka_message_destroy(fetched);
    }
  }
}

bool KafkaConsumer::Silent() const {
  return in_poll_ ? was_silent_ : SystemClock().Now() - last_poll_ >= options_.session_timeout;
}

bool KafkaConsumer::Cooperative() const {
  const char* const protocol = rd_kafka_rebalance_protocol(handle_.get());
  return protocol != nullptr && std::string_view(protocol) == "COOPERATIVE";
}

void KafkaConsumer::OnRebalance(rd_kafka_t*, rd_kafka_resp_err_t error,
                                rd_kafka_topic_partition_list_t* partitions, void* opaque) {
  auto* const self = static_cast<KafkaConsumer*>(opaque);
  self->rebalanced_ = true;
  if (self->in_poll_) rd_kafka_queue_yield(self->queue_);  // ends the wait for messages
  switch (error) {
    case RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS:
      self->TakeOver(partitions);
      break;
    case RD_KAFKA_RESP_ERR__REVOKE_PARTITIONS:
      self->Revoke(partitions);
      break;
    default:
      self->errors_.push_back(ToStatus(error, fmt::format("rebalance {}", self->topic_)));
      rd_kafka_assign(self->handle_.get(), nullptr);
  }
}

void KafkaConsumer::OnError(rd_kafka_t*, int error, const char* words, void* opaque) {
  auto* const self = static_cast<KafkaConsumer*>(opaque);
  if (self->fenced_.ok()) self->AddError(static_cast<rd_kafka_resp_err_t>(error), words);
}

absl::StatusOr<std::vector<AssignedPartition>> KafkaConsumer::Positions(
    rd_kafka_topic_partition_list_t* partitions) {
  const Deadline deadline(std::min<Duration>(kTakeOverTimeout, options_.session_timeout / 2));
  Backoff backoff({.first = std::chrono::milliseconds(25), .most = std::chrono::milliseconds(500)},
                  static_cast<uint64_t>(SystemClock().Now().time_since_epoch().count()));
  const std::vector<PartitionId> ids = Ids(*partitions);
  while (true) {
    absl::Status status =
        ToStatus(rd_kafka_committed(handle_.get(), partitions, Milliseconds(deadline.Left())),
                 fmt::format("read the offsets of group {}", options_.group));
    for (int i = 0; status.ok() && i < partitions->cnt; ++i) {
      status = ToStatus(partitions->elems[i].err, "read a committed offset");
    }
    if (status.ok()) {
      auto starts = ListOffsets(handle_.get(), topic_, ids, OffsetKind::kStart, deadline.Left());
      if (starts.ok()) {
        std::vector<AssignedPartition> assigned;
        for (int i = 0; i < partitions->cnt; ++i) {
          rd_kafka_topic_partition_t& entry = partitions->elems[i];
          const auto index = static_cast<size_t>(i);
          AssignedPartition& one = assigned.emplace_back();
          one.partition = ids[index];
          one.has_commit = entry.offset >= 0;
          one.position = one.has_commit ? Offset(entry.offset) : (*starts)[index];
          if (one.has_commit) one.metadata = MetadataOf(entry);
          entry.offset = one.position.value();
          owned_.Take(one.partition, one.position);
          if (one.position < (*starts)[index]) {
            ReportCut(one.partition, one.position.value(), (*starts)[index].value());
            entry.offset = owned_.Find(one.partition)->position.value();
          }
        }
        return assigned;
      }
      status = starts.status();
    }
    if (!IsRetry(status) || deadline.Left() == Duration::zero()) return status;
    // Nothing tells when a coordinator is back; the wait is short and bounded by the deadline.
    rd_kafka_queue_t* const nothing = rd_kafka_queue_new(handle_.get());
    const Event none(rd_kafka_queue_poll(
        nothing, Milliseconds(std::min<Duration>(backoff.Next(), deadline.Left()))));
    rd_kafka_queue_destroy(nothing);
  }
}

void KafkaConsumer::Change(IncrementalCall* call,
                           const rd_kafka_topic_partition_list_t& partitions) {
  rd_kafka_error_t* const error = call(handle_.get(), &partitions);
  if (error == nullptr) return;
  errors_.push_back(
      FencedError("change the assignment of {}: {}", topic_, rd_kafka_error_string(error)));
  rd_kafka_error_destroy(error);
}

void KafkaConsumer::Accept(const rd_kafka_topic_partition_list_t& partitions) {
  if (Cooperative()) {
    Change(rd_kafka_incremental_assign, partitions);
  } else {
    rd_kafka_assign(handle_.get(), &partitions);
  }
}

void KafkaConsumer::TakeOver(rd_kafka_topic_partition_list_t* partitions) {
  // One that is leaving has nobody to tell.
  if (closed_) return Accept(*partitions);
  auto assigned = Positions(partitions);
  Accept(*partitions);
  if (!assigned.ok()) {
    // A member that leaves and joins again on the same handle may never be given anything: it
    // stayed in its group, without partitions, for ever.
    Fence(FencedError("take over {}: {}. Another consumer has to join in its place", topic_,
                      MessageOf(assigned.status())));
    return;
  }
  if (listener_ != nullptr) listener_->OnAssigned(*assigned);
}

void KafkaConsumer::Revoke(rd_kafka_topic_partition_list_t* partitions) {
  std::vector<PartitionId> ids, paused;
  for (const PartitionId id : Ids(*partitions)) {
    const HeldPartitions::Held* const owned = owned_.Find(id);
    if (owned == nullptr) continue;
    ids.push_back(id);
    if (owned->paused) paused.push_back(id);
  }
  if (listener_ != nullptr && !ids.empty()) {
    // librdkafka knows of a loss once the broker says so. A member that was silent for the whole
    // rebalance has been removed without a word.
    if (Silent() || rd_kafka_assignment_lost(handle_.get())) {
      owned_.Drop(ids);  // a commit from the callback is refused
      listener_->OnLost(ids);
    } else {
      listener_->OnRevoked(ids);
    }
  }
  // For librdkafka a pause outlives the ownership.
  for (const PartitionId id : paused) {
    const absl::Status resumed = Fetching(id, true);
    if (!resumed.ok()) errors_.push_back(resumed);
  }
  owned_.Drop(ids);
  std::erase_if(held_, [this](const RawMessage& message) {
    return !owned_.Has(PartitionId(message->partition));
  });
  if (Cooperative()) {
    Change(rd_kafka_incremental_unassign, *partitions);
  } else {
    rd_kafka_assign(handle_.get(), nullptr);
  }
}

void KafkaConsumer::HandleError(const rd_kafka_message_t& message) {
  switch (message.err) {
    case RD_KAFKA_RESP_ERR__PARTITION_EOF:
      return;
    case RD_KAFKA_RESP_ERR__MAX_POLL_EXCEEDED:
      // The loss of the partitions follows as a rebalance.
      Log(LogLevel::kWarning, "kafka", "{}: {}", topic_, rd_kafka_message_errstr(&message));
      return;
    case RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET:
    case RD_KAFKA_RESP_ERR_OFFSET_OUT_OF_RANGE:
      ReportCut(PartitionId(message.partition), message.offset, std::nullopt);
      return;
    default:
      AddError(message.err, rd_kafka_message_errstr(&message));
  }
}

void KafkaConsumer::AddError(rd_kafka_resp_err_t error, const char* words) {
  char text[512];
  if (error == RD_KAFKA_RESP_ERR__FATAL) {
    error = rd_kafka_fatal_error(handle_.get(), text, sizeof text);
    words = text;
  }
  // A single connection that broke is repaired in the background, and has been said; that no broker
  // is left is news.
  if (error == RD_KAFKA_RESP_ERR__TRANSPORT || error == RD_KAFKA_RESP_ERR__RESOLVE ||
      error == RD_KAFKA_RESP_ERR__SSL || error == RD_KAFKA_RESP_ERR__AUTHENTICATION) {
    return;
  }
  const std::string why =
      error == RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN ? LastFailure(handle_.get()) : "";
  const absl::Status status = ToStatus(error, fmt::format("read {}: {}{}", topic_, words, why));
  // Any other loss of membership follows as a rebalance.
  const bool removed = IsFenced(status) && error != RD_KAFKA_RESP_ERR_FENCED_INSTANCE_ID;
  if (removed || (IsRetry(status) && error != RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN)) {
    Log(LogLevel::kWarning, "kafka", "{}", MessageOf(status));
    return;
  }
  if (!IsFenced(status)) {
    errors_.push_back(status);
    return;
  }
  // A later member has this one's name. librdkafka says so once and is dead from then on.
  Fence(status);
}

void KafkaConsumer::Fence(const absl::Status& status) {
  fenced_ = status;
  errors_.assign(1, status);
  const std::vector<PartitionId> lost = owned_.ids();
  owned_.Clear();
  held_.clear();
  if (listener_ != nullptr && !lost.empty()) listener_->OnLost(lost);
}

void KafkaConsumer::ReportCut(PartitionId partition, int64_t position,
                              std::optional<int64_t> start) {
  HeldPartitions::Held* const owned = owned_.Find(partition);
  if (owned == nullptr || owned->stands_still) return;
  if (position < owned->position.value()) return;  // of before it was started again
  owned->stands_still = true;
  if (!start.has_value()) {
    auto starts = ListOffsets(handle_.get(), topic_, {&partition, 1}, OffsetKind::kStart,
                              std::chrono::seconds(5));
    if (starts.ok()) start = (*starts)[0].value();
  }
  // Where it waits for the owner's word: at its old position it would be reported again.
  if (start.has_value()) owned->position = Offset(*start);
  errors_.push_back(absl::OutOfRangeError(fmt::format(
      "read {} partition {}: the log starts at {}, but group {} is at {}: messages were deleted "
      "before they were "
      "read. Raise the topic's retention; to go on without them, commit an offset that the log has",
      topic_, partition, start.has_value() ? fmt::format("{}", *start) : "an unknown offset",
      options_.group, position)));
}

}  // namespace orbweaver::kafka
