#include "cli/crawl/crawl_admin.h"

#include <string>

#include "common/base/json.h"
#include "common/base/status.h"
#include "common/config/render.h"
#include "common/metrics/process_metrics.h"

namespace orbweaver {
namespace {

constexpr char kMetricsType[] = "text/plain; version=0.0.4; charset=utf-8";

}  // namespace

CrawlAdmin::CrawlAdmin(const ProductOptions& options, LocalCrawl& crawl)
    : server_({.listen = options.process.admin.listen,
               .port = options.process.admin.port,
               .hosts = options.process.admin.hosts},
              [&site = crawl.admin_site()](const AdminRequest& request) {
                return site.Handle(request);
              }) {}

CrawlAdmin::~CrawlAdmin() { server_.Stop(); }

absl::StatusOr<std::unique_ptr<CrawlAdmin>> CrawlAdmin::Start(const ProductOptions& options,
                                                              const config::Schema& schema,
                                                              LocalCrawl& crawl) {
  AdminSite& site = crawl.admin_site();
  MetricRegistry& metrics = crawl.metrics();
  AddProcessMetrics(metrics);
  std::unique_ptr<CrawlAdmin> admin(new CrawlAdmin(options, crawl));
  admin->pages_.push_back(
      site.AddPage("/metrics", kMetricsType, [&metrics] { return metrics.Text(); }));
  admin->pages_.push_back(site.AddPage("/config", "application/json",
                                       [&schema] { return config::EffectiveJson(schema); }));
  admin->pages_.push_back(site.AddStatus("crawl", [&crawl](JsonWriter& json) {
    json.BeginObject().Key("fetching").Value(crawl.fetching());
    json.Key("held").Value(crawl.held()).EndObject();
  }));
  RETURN_IF_ERROR(admin->server_.Start());
  return admin;
}

}  // namespace orbweaver
