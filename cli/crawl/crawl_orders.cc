#include "cli/crawl/crawl_orders.h"

#include <string>
#include <utility>

#include "cli/orders/order.h"

#include "common/base/status.h"

namespace orbweaver {
namespace {

// Whether commands have a running crawl do it here. Pause and resume are actions of its queue.
bool IsAsked(OrderAction action) {
  switch (action) {
    case OrderAction::kBlock:
    case OrderAction::kUnblock:
    case OrderAction::kPurge:
    case OrderAction::kForget:
    case OrderAction::kRaise:
    case OrderAction::kReschedule:
    case OrderAction::kAddSeeds:
      return true;
    case OrderAction::kPause:
    case OrderAction::kResume:
    case OrderAction::kRequeueFailed:
    case OrderAction::kRequeueDeadLetters:
    case OrderAction::kDrain:
      return false;
  }
  return false;
}

}  // namespace

CrawlOrders::CrawlOrders(const OrderDesk& desk, AdminSite& site) : desk_(desk) {
  for (const OrderKind& kind : OrderKinds()) {
    if (!IsAsked(kind.action)) continue;
    actions_.push_back(site.AddAction(
        std::string(kind.name), std::string(kind.says),
        [this, name = kind.name](const FormParams& params) { return Do(name, params); }));
  }
}

absl::StatusOr<std::string> CrawlOrders::Do(std::string_view action, FormParams params) const {
  params.erase("by");
  ASSIGN_OR_RETURN(const Order order, desk_.Read(action, params));
  ASSIGN_OR_RETURN(const OrderEffect effect, desk_.Do(order));
  return effect.says;
}

}  // namespace orbweaver
