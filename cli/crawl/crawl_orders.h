// The actions of a running crawl, for commands in another terminal:
//
//   POST /actions/block domain=NAME until_ms=TIME    also unblock, purge, forget, without a time
//   POST /actions/raise url=URL [score=S]; reschedule url=URL [in=TIME] [score=S]
//   POST /actions/add-seeds urls=LINES
//
// A parameter `by` says who gives it, for the journal. All go through the spider log, as in a
// cluster. The actions pause and resume are the queue's (db_worker/admin/queue_admin.h).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/orders/order_desk.h"

#include "common/runtime/admin_site.h"
#include "common/runtime/form.h"

namespace orbweaver {

// Place: in CrawlAdmin. Its actions run on the admin server's thread of calls, one at a time,
// beside the workers.
class CrawlOrders {
 public:
  // Both must outlive it.
  CrawlOrders(const OrderDesk& desk, AdminSite& site);

 private:
  absl::StatusOr<std::string> Do(std::string_view action, FormParams params) const;

  const OrderDesk& desk_;
  std::vector<AdminSite::Registration> actions_;
};

}  // namespace orbweaver
