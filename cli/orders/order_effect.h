// The counts behind an order: what it would touch, and what it did.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/frontier/queue_sample.h"
#include "cli/orders/order.h"
#include "cli/product_options.h"

#include "common/base/clock.h"
#include "common/bus/bus.h"
#include "common/store/store.h"
#include "common/url/domain.h"

namespace orbweaver {

struct OrderEffect {
  // By name: waiting, delayed, known_urls, failed, partitions, seeds, letters, …
  std::vector<std::pair<std::string_view, uint64_t>> touches;
  std::string says;  // a sentence without its full stop
};

// Where counts are read. `queue`, where somebody knows the queue better than the store does.
struct OrderPlace {
  Bus& bus;
  Store& store;
  std::function<QueueSample()> queue;
};

// Looks at what the order would touch and changes nothing. Seeds are checked, against the scope too
// where `has_scope`: poison when one is no URL or left out; of an order about a URL also when its
// state leaves nothing to do. Blocks for some calls to bus and store;
// of a queue of many domains a sample is counted.
absl::StatusOr<OrderEffect> PreviewOrder(const OrderPlace& place, const Order& order,
                                         const ProductOptions& options,
                                         const PublicSuffixes& suffixes, bool has_scope,
                                         WallTime now);

}  // namespace orbweaver
