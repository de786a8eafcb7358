// An order about one URL before it is given: what is known of the URL, and the entry that does what
// is wanted.
//
// Place: `orbweaver raise` and `reschedule`, OrderDesk.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "cli/frontier/url_facts.h"
#include "cli/order_writer.h"
#include "cli/orders/order.h"
#include "cli/product_options.h"

#include "common/base/clock.h"
#include "common/bus/bus.h"
#include "common/store/store.h"
#include "common/url/domain.h"

namespace orbweaver {

struct UrlPlan {
  std::string domain;
  std::string url;  // canonical
  WantedUrl wanted;
  KeptMeta meta;
  std::string referrer;
  uint64_t before = 0;  // requests of the domain that leave the queue earlier, as it stands
  std::string says;     // "raises …", a sentence without its full stop
  std::string done;     // the same when the order is written
};

// Looks at the URL. Poison: it is none, the scope's patterns leave it out where `has_scope`, or its
// state leaves nothing to do, with the reason and what would help. Blocks for some calls to the
// store.
absl::StatusOr<UrlPlan> PlanUrlOrder(Bus& bus, Store& store, const WantedUrl& wanted,
                                     const ProductOptions& options, const PublicSuffixes& suffixes,
                                     bool has_scope, WallTime now);

// Appends the plan's entry to the spider log and waits until it is durable. Given again, it does no
// harm. Errors as those of GiveOrder.
absl::StatusOr<WrittenOrder> WritePlan(Bus& bus, const Clock& clock, const UrlPlan& plan,
                                       Duration timeout);

}  // namespace orbweaver
