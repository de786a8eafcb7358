// The HTTP server of a crawl on one machine.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/console/console_access.h"
#include "cli/console/console_api.h"
#include "cli/console/console_gate.h"
#include "cli/console/console_site.h"
#include "cli/console/crawl_sampler.h"
#include "cli/console/order_api.h"
#include "cli/crawl/crawl_folder.h"
#include "cli/crawl/crawl_orders.h"
#include "cli/crawl/crawl_run.h"
#include "cli/crawl/local_crawl.h"
#include "cli/frontier/frontier.h"
#include "cli/frontier/log_lags.h"
#include "cli/frontier/recent_outcomes.h"
#include "cli/orders/order_desk.h"
#include "cli/product_options.h"

#include "common/config/schema.h"
#include "common/runtime/admin_server.h"
#include "common/runtime/admin_site.h"

namespace orbweaver {

// Serves the console, /healthz, /readyz, /status, /metrics and /config, and the actions of the
// queue and of CrawlOrders. The folder says where, as long as this lives (crawl_contact.h). Orders
// of those who may act are kept in the folder's journal (order_journal.h).
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
  // The console's: https://HOST:PORT where it has TLS.
  std::string url() const;

 private:
  CrawlAdmin(const ProductOptions& options, const CrawlFolder& folder, const CrawlRun& run,
             const RecentOutcomes& outcomes, LocalCrawl& crawl);

  OrderSubject SubjectOf(LocalCrawl& crawl) const;
  AdminResponse Handle(const AdminRequest& request) const;
  // This process, as a cluster's worker reports itself.
  WorkerReport ReportOf(const MetricRegistry& metrics, WallTime now) const;
  // An order that was given, done or not.
  void Keep(const AdminRequest& request, const AdminResponse& answer) const;

  const CrawlFolder folder_;
  const std::string listen_;
  const bool is_tls_;
  const ProductOptions& options_;
  const AdminSite& admin_;
  const OrderDesk desk_;
  CrawlOrders orders_;
  const Frontier frontier_;
  const WallTime started_at_;
  LogLagReader lags_;
  const std::shared_ptr<CrawlSampler> sampler_;
  ConsoleAccess access_;
  ConsoleApi api_;
  const ConsoleSite site_;
  OrderApi order_api_;
  const ConsoleGate gate_;
  std::vector<AdminSite::Registration> pages_;
  AdminServer server_;
};

}  // namespace orbweaver
