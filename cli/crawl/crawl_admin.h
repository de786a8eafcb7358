// The HTTP server of a crawl on one machine.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/console/console_api.h"
#include "cli/console/console_site.h"
#include "cli/console/crawl_sampler.h"
#include "cli/crawl/crawl_folder.h"
#include "cli/crawl/crawl_orders.h"
#include "cli/crawl/crawl_run.h"
#include "cli/crawl/local_crawl.h"
#include "cli/frontier/frontier.h"
#include "cli/frontier/log_lags.h"
#include "cli/frontier/recent_outcomes.h"
#include "cli/product_options.h"

#include "common/config/schema.h"
#include "common/runtime/admin_server.h"
#include "common/runtime/admin_site.h"

namespace orbweaver {

// Serves the console, /healthz, /readyz, /status, /metrics and /config, and the actions of the
// queue and of CrawlOrders. The folder says where, as long as this lives (crawl_contact.h). Where
// other machines reach it, there is no console: its reads ask for no token. Orders that
// carry the token are kept in the folder's journal (order_journal.h).
//
// Place: `orbweaver crawl`. Ends before the crawl does.
class CrawlAdmin {
 public:
  // All must outlive it. admin.port 0 takes any free port. Fatal: the address cannot be bound, or
  // the folder not written to.
  static absl::StatusOr<std::unique_ptr<CrawlAdmin>> Start(
      const ProductOptions& options, const config::Schema& schema, const CrawlFolder& folder,
      const CrawlRun& run, const RecentOutcomes& outcomes, LocalCrawl& crawl);
  ~CrawlAdmin();

  // HOST:PORT, as this machine reaches it.
  std::string address() const;

 private:
  CrawlAdmin(const ProductOptions& options, const CrawlFolder& folder, const CrawlRun& run,
             const RecentOutcomes& outcomes, LocalCrawl& crawl);

  AdminResponse Handle(const AdminRequest& request) const;
  // This process, as a cluster's worker reports itself.
  WorkerReport ReportOf(const MetricRegistry& metrics, WallTime now) const;
  // An order that was given, done or not.
  void Keep(const AdminRequest& request, const AdminResponse& answer) const;

  const CrawlFolder folder_;
  const std::string listen_;
  CrawlOrders orders_;
  const Frontier frontier_;
  const AdminSite& admin_;
  const WallTime started_at_;
  LogLagReader lags_;
  const std::shared_ptr<CrawlSampler> sampler_;
  ConsoleApi api_;
  const ConsoleSite site_;
  std::vector<AdminSite::Registration> pages_;
  AdminServer server_;
};

}  // namespace orbweaver
