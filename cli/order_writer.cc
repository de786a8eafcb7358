#include "cli/order_writer.h"

#include <algorithm>
#include <optional>

#include "cli/frontier/kept_failures.h"
#include "cli/frontier/message_view.h"
#include "cli/frontier/robots_files.h"
#include "fmt/format.h"

#include "common/base/status.h"
#include "common/bus/topics.h"
#include "common/model/encode_buffer.h"
#include "common/url/partition.h"

namespace orbweaver {
namespace {

// Messages of a partition before `end` that `group` has not dealt with.
absl::StatusOr<int64_t> Unread(OffsetReader& offsets, std::string_view group,
                               std::string_view topic, PartitionId partition,
                               std::optional<Offset> end, Duration timeout) {
  ASSIGN_OR_RETURN(const auto committed, offsets.Committed(group, topic, {&partition, 1}, timeout));
  ASSIGN_OR_RETURN(const auto bounds, offsets.Bounds(topic, {&partition, 1}, timeout));
  const Offset from = committed[0].has_value() ? committed[0]->offset : bounds[0].start;
  return std::max<int64_t>(0, end.value_or(bounds[0].end) - from);
}

absl::StatusOr<WrittenOrder> WriteEntry(Bus& bus, const SpiderLogEntry& entry, Duration timeout) {
  ASSIGN_OR_RETURN(const int partitions, bus.PartitionCount(kSpiderLogTopic, timeout));
  if (!IsPartitionCount(partitions)) {
    return FatalError("topic '{}' has {} partitions. Run `orbweaver init`", kSpiderLogTopic,
                      partitions);
  }
  EncodeBuffer buffer;
  ASSIGN_OR_RETURN(const std::string_view value, Encode(entry, &buffer));
  const Record record{.topic = kSpiderLogTopic,
                      .partition = PartitionOf(SlotOf(entry.domain), partitions),
                      .key = entry.domain,
                      .value = value};
  WrittenOrder written{.partition = record.partition, .offset = Offset(-1)};
  absl::Status status;
  ASSIGN_OR_RETURN(const auto producer, bus.NewProducer({}, [&](const Ack& ack) {
    status.Update(ack.status);
    written.offset = ack.offset;
  }));
  RETURN_IF_ERROR(producer->Send(record, 0));
  status.Update(producer->Flush(timeout));
  RETURN_IF_ERROR(status);
  if (written.offset < Offset(0)) {
    // A retry found it there already.
    ASSIGN_OR_RETURN(const auto offsets, bus.NewOffsetReader());
    ASSIGN_OR_RETURN(const auto bounds,
                     offsets->Bounds(kSpiderLogTopic, {&written.partition, 1}, timeout));
    written.offset = bounds[0].end;
  }
  return written;
}

absl::Status MayBeGivenAgain(const absl::Status& status) {
  if (!IsRetry(status) && !IsFenced(status)) return status;
  return RetryError("{}. The order may be in the log or not: give it again, which does no harm",
                    MessageOf(status));
}

}  // namespace

absl::StatusOr<WrittenOrder> WriteOrder(Bus& bus, const Clock& clock, std::string_view domain,
                                        const DomainOrder& order, Duration timeout) {
  return WriteEntry(bus, {.domain = domain, .event = order, .time = clock.Wall()}, timeout);
}

absl::StatusOr<WrittenOrder> WriteOrder(Bus& bus, const Clock& clock, std::string_view domain,
                                        const UrlOrder& order, Duration timeout) {
  auto written = WriteEntry(bus, {.domain = domain, .event = order, .time = clock.Wall()}, timeout);
  RETURN_IF_ERROR(MayBeGivenAgain(written.status()));
  return written;
}

absl::StatusOr<GivenOrder> GiveOrder(Bus& bus, Store& store, const Clock& clock,
                                     std::string_view domain, const DomainOrder& order,
                                     Duration timeout) {
  GivenOrder given;
  if (order.forget) {
    ASSIGN_OR_RETURN(given.forgotten, EraseFailures(store, domain));
    RETURN_IF_ERROR(EraseRobotsFiles(store, domain));
  }
  const auto written = WriteOrder(bus, clock, domain, order, timeout);
  RETURN_IF_ERROR(MayBeGivenAgain(written.status()));
  given.written = *written;
  return given;
}

std::string OrderText(std::string_view domain, const DomainOrder& order) {
  std::string effect = "has no requests in the queue, and its URLs may be scheduled again";
  if (order.forget) {
    effect = "is as if it had never been seen, but for requests that a spider has in hand";
  } else if (order.blocked_until.has_value()) {
    effect = *order.blocked_until == WallTime()
                 ? "is not blocked"
                 : fmt::format("is blocked until {}", TimeText(*order.blocked_until));
  }
  return fmt::format("order written: {} {}", domain, effect);
}

absl::StatusOr<OrderLag> LagBefore(Bus& bus, const WrittenOrder& order, Duration timeout) {
  ASSIGN_OR_RETURN(const auto offsets, bus.NewOffsetReader());
  OrderLag lag;
  ASSIGN_OR_RETURN(lag.strategy_worker, Unread(*offsets, kStrategyWorkerGroup, kSpiderLogTopic,
                                               order.partition, order.offset, timeout));
  ASSIGN_OR_RETURN(lag.db_worker, Unread(*offsets, kDbWorkerGroup, kScoringLogTopic,
                                         order.partition, std::nullopt, timeout));
  return lag;
}

}  // namespace orbweaver
