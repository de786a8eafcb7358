// The actions of a running crawl, for commands in another terminal:
//
//   POST /actions/block domain=NAME until_ms=TIME    also unblock, purge, forget, without a time
//   POST /actions/add-seeds urls=LINES
//
// All go through the spider log, as in a cluster. The actions pause and resume are the queue's
// (db_worker/admin/queue_admin.h).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/crawl/crawl_folder.h"
#include "cli/crawl/local_crawl.h"
#include "cli/product_options.h"

#include "common/runtime/admin_site.h"
#include "common/runtime/form.h"

namespace orbweaver {

// Place: in CrawlAdmin. Its actions run on the admin server's thread of calls, one at a time,
// beside the workers: bus and store are safe for that.
class CrawlOrders {
 public:
  // All must outlive it.
  CrawlOrders(const ProductOptions& options, const CrawlFolder& folder, LocalCrawl& crawl);

 private:
  absl::StatusOr<std::string> Order(std::string_view action, const FormParams& params);
  // A URL a line, each of which must be one and in scope: the sender has looked. They are durable
  // afterwards, in the log and in the folder's list.
  absl::StatusOr<std::string> AddSeeds(const FormParams& params);

  const ProductOptions& options_;
  const CrawlFolder folder_;
  LocalCrawl& crawl_;
  std::vector<AdminSite::Registration> actions_;
};

}  // namespace orbweaver
