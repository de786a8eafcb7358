// The admin server of a crawl on one machine.
#pragma once

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/crawl/local_crawl.h"
#include "cli/product_options.h"

#include "common/config/schema.h"
#include "common/runtime/admin_server.h"
#include "common/runtime/admin_site.h"

namespace orbweaver {

// Serves /healthz, /readyz, /status, /metrics and /config, and the queue's actions, of the crawl.
// Place: `orbweaver crawl` with admin.port. Ends before the crawl does.
class CrawlAdmin {
 public:
  // All must outlive it. Fatal: the address cannot be bound.
  static absl::StatusOr<std::unique_ptr<CrawlAdmin>> Start(const ProductOptions& options,
                                                           const config::Schema& schema,
                                                           LocalCrawl& crawl);
  ~CrawlAdmin();

  int port() const { return server_.port(); }

 private:
  CrawlAdmin(const ProductOptions& options, LocalCrawl& crawl);

  std::vector<AdminSite::Registration> pages_;
  AdminServer server_;
};

}  // namespace orbweaver
