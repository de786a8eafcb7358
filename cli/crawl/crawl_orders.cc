#include "cli/crawl/crawl_orders.h"

#include <utility>

#include "cli/orders/order.h"

#include "common/base/status.h"

namespace orbweaver {

CrawlOrders::CrawlOrders(const OrderDesk& desk, AdminSite& site) : desk_(desk) {
  constexpr std::pair<std::string_view, const char*> kOrders[] = {
      {"block", "no request of `domain` leaves the queue until `until_ms`"},
      {"unblock", "ends blocks and back-off of `domain`"},
      {"purge", "drops the requests of `domain` that wait"},
      {"forget", "forgets all that is known of `domain`"},
      {"add-seeds", "adds the seeds `urls`, a line each"}};
  for (const auto& [name, doc] : kOrders) {
    actions_.push_back(
        site.AddAction(std::string(name), doc,
                       [this, name](const FormParams& params) { return Do(name, params); }));
  }
}

absl::StatusOr<std::string> CrawlOrders::Do(std::string_view action, FormParams params) const {
  params.erase("by");
  ASSIGN_OR_RETURN(const Order order, desk_.Read(action, params));
  ASSIGN_OR_RETURN(const OrderEffect effect, desk_.Do(order));
  return effect.says;
}

}  // namespace orbweaver
