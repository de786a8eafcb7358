// Orders of operators on their way into the spider log: `orbweaver block`, `unblock`, `purge`,
// `forget`, `raise`, `reschedule`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

#include "common/base/clock.h"
#include "common/base/ids.h"
#include "common/bus/bus.h"
#include "common/model/spider_log.h"
#include "common/store/store.h"

namespace orbweaver {

struct WrittenOrder {
  PartitionId partition;
  Offset offset;
};

// Appends `order` about the registered domain `domain` and waits until it is durable. An error that
// is retry leaves it open whether the log has it; an order may be given again. Fatal: the spider
// log does not exist. Blocks for some multiple of `timeout` at most.
absl::StatusOr<WrittenOrder> WriteOrder(Bus& bus, const Clock& clock, std::string_view domain,
                                        const DomainOrder& order, Duration timeout);
// The same about a URL of the domain; an error that is retry says that it may be given again.
absl::StatusOr<WrittenOrder> WriteOrder(Bus& bus, const Clock& clock, std::string_view domain,
                                        const UrlOrder& order, Duration timeout);

// WriteOrder, and for a domain that is to be forgotten also what the store keeps of its failed
// URLs.
struct GivenOrder {
  WrittenOrder written;
  uint64_t forgotten = 0;  // failed URLs
};
absl::StatusOr<GivenOrder> GiveOrder(Bus& bus, Store& store, const Clock& clock,
                                     std::string_view domain, const DomainOrder& order,
                                     Duration timeout);

// "order written: a.test is blocked until 2026-01-31T12:00:00.000Z".
std::string OrderText(std::string_view domain, const DomainOrder& order);

// How much the workers have to do before they come to an order: messages of its partition.
struct OrderLag {
  int64_t strategy_worker = 0;
  int64_t db_worker = 0;
};
absl::StatusOr<OrderLag> LagBefore(Bus& bus, const WrittenOrder& order, Duration timeout);

}  // namespace orbweaver
