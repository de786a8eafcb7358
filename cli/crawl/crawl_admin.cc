#include "cli/crawl/crawl_admin.h"

#include "cli/crawl/crawl_contact.h"
#include "fmt/format.h"

#include "common/base/json.h"
#include "common/base/status.h"
#include "common/config/render.h"
#include "common/metrics/process_metrics.h"

namespace orbweaver {
namespace {

constexpr char kMetricsType[] = "text/plain; version=0.0.4; charset=utf-8";

}  // namespace

CrawlAdmin::CrawlAdmin(const ProductOptions& options, const CrawlFolder& folder, LocalCrawl& crawl)
    : folder_(folder),
      listen_(options.process.admin.listen),
      orders_(options, folder, crawl),
      server_({.listen = options.process.admin.listen,
               .port = options.process.admin.port,
               .hosts = options.process.admin.hosts},
              [&site = crawl.admin_site()](const AdminRequest& request) {
                return site.Handle(request);
              }) {}

CrawlAdmin::~CrawlAdmin() {
  RemoveContact(folder_.path());
  server_.Stop();
}

std::string CrawlAdmin::address() const {
  // Addresses that stand for all of the machine's.
  std::string host = listen_ == "0.0.0.0" ? "127.0.0.1" : listen_ == "::" ? "::1" : listen_;
  if (host.find(':') != host.npos) host = "[" + host + "]";
  return fmt::format("{}:{}", host, server_.port());
}

absl::StatusOr<std::unique_ptr<CrawlAdmin>> CrawlAdmin::Start(const ProductOptions& options,
                                                              const config::Schema& schema,
                                                              const CrawlFolder& folder,
                                                              LocalCrawl& crawl) {
  AdminSite& site = crawl.admin_site();
  MetricRegistry& metrics = crawl.metrics();
  AddProcessMetrics(metrics);
  std::unique_ptr<CrawlAdmin> admin(new CrawlAdmin(options, folder, crawl));
  admin->pages_.push_back(
      site.AddPage("/metrics", kMetricsType, [&metrics] { return metrics.Text(); }));
  admin->pages_.push_back(site.AddPage("/config", "application/json",
                                       [&schema] { return config::EffectiveJson(schema); }));
  admin->pages_.push_back(site.AddStatus("crawl", [&crawl](JsonWriter& json) {
    json.BeginObject().Key("fetching").Value(crawl.fetching());
    json.Key("held").Value(crawl.held()).EndObject();
  }));
  RETURN_IF_ERROR(admin->server_.Start());
  RETURN_IF_ERROR(WriteContact(
      folder.path(), {.address = admin->address(), .token = options.process.admin.token}));
  return admin;
}

}  // namespace orbweaver
