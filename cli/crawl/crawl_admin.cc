#include "cli/crawl/crawl_admin.h"

#include <algorithm>

#include "cli/crawl/crawl_contact.h"
#include "cli/crawl/crawl_seeds.h"
#include "cli/frontier/history_file.h"
#include "cli/listen_address.h"
#include "cli/orders/order_journal.h"

#include "common/base/clock.h"
#include "common/base/json.h"
#include "common/base/log.h"
#include "common/base/status.h"
#include "common/config/render.h"
#include "common/metrics/process_metrics.h"

namespace orbweaver {
namespace {

constexpr Duration kLagTimeout = std::chrono::seconds(2);
constexpr char kMetricsType[] = "text/plain; version=0.0.4; charset=utf-8";

// As the workers have it: exact, and read from no store. Partitions that nobody owns now are empty.
QueueSample QueueOf(const LocalCrawl& crawl) {
  QueueSample sample;
  sample.partitions.resize(static_cast<size_t>(crawl.partitions()));
  for (PartitionReport& report : crawl.Queue().partitions) {
    sample.domains_read += report.domains;
    sample.partitions[static_cast<size_t>(report.partition.value())] = report;
  }
  return sample;
}

}  // namespace

CrawlAdmin::CrawlAdmin(const ProductOptions& options, const CrawlFolder& folder,
                       const CrawlRun& run, const RecentOutcomes& outcomes, LocalCrawl& crawl)
    : folder_(folder),
      listen_(options.process.admin.listen),
      is_tls_(!options.console.tls_cert.empty()),
      options_(options),
      admin_(crawl.admin_site()),
      desk_(options, crawl.suffixes(), SystemClock(), SubjectOf(crawl)),
      orders_(desk_, crawl.admin_site()),
      frontier_(crawl.bus(), crawl.store()),
      started_at_(SystemClock().Wall()),
      lags_(crawl.bus()),
      sampler_(std::make_shared<CrawlSampler>(
          SampledCrawl{.note_workers =
                           [this, &crawl](WallTime now, WorkerBook* book) {
                             book->Note(ReportOf(crawl.metrics(), now), now);
                             return absl::OkStatus();
                           },
                       .read_lags = [this] { return lags_.Read(kLagTimeout); },
                       .file = HistoryFile(folder.path())},
          SystemClock())),
      access_({.read_token = options.console.read_token,
               .admin_token = options.process.admin.token,
               .read_only = options.console.read_only,
               .is_tls = is_tls_},
              SystemClock()),
      api_(options, crawl.suffixes(), SystemClock(),
           {.kind = "crawl",
            .name = folder.path().string(),
            .look = [this]() -> absl::StatusOr<const Frontier*> { return &frontier_; },
            .queue = [&crawl] { return QueueOf(crawl); },
            .write_run = [&run](JsonWriter& json) { run.Write(json); },
            .outcomes = &outcomes,
            .sampler = sampler_,
            .roles = {"db-worker", "spider", "strategy-worker"}}),
      site_(api_, admin_),
      order_api_(desk_, access_, SystemClock(), JournalFile(options.console, folder.path())),
      gate_(access_, order_api_, site_, admin_),
      server_({.listen = listen_,
               .port = options.process.admin.port,
               .address_option = "--console",
               .slow_reads = std::string(kApiPath),
               .hosts = options.process.admin.hosts,
               .tls_certificate = options.console.tls_cert,
               .tls_key = options.console.tls_key},
              [this](const AdminRequest& request) { return Handle(request); }) {}

OrderSubject CrawlAdmin::SubjectOf(LocalCrawl& crawl) const {
  const auto open = [&crawl]() -> absl::StatusOr<OpenCrawl> {
    return OpenCrawl{.bus = &crawl.bus(), .store = &crawl.store(), .owner = {}};
  };
  return {.look = open,
          .open = open,
          .queue = [&crawl] { return QueueOf(crawl); },
          .has_scope = true,
          .holds_once = ", once the running crawl has read it",
          .add_seeds =
              [this, &crawl](Bus& bus, const std::vector<std::string>& urls) {
                return AddMoreSeeds(urls, options_, folder_, bus, crawl.suffixes());
              },
          .ask_owner =
              [this](const std::string& action, int partition) {
                return admin_.Do(action, {{"partition", std::to_string(partition)}});
              },
          .drain = {}};
}

AdminResponse CrawlAdmin::Handle(const AdminRequest& request) const {
  AdminResponse answer = gate_.Handle(request);
  Keep(request, answer);
  return answer;
}

void CrawlAdmin::Keep(const AdminRequest& request, const AdminResponse& answer) const {
  constexpr std::string_view kActions = "/actions/";
  const bool is_strangers =
      answer.status == 401 || answer.status == 403 || answer.status == 404 || answer.status == 429;
  if (request.method != "POST" || !request.path().starts_with(kActions) || is_strangers) return;
  const std::string_view action = request.path().substr(kActions.size());
  FormParams params = ParseForm(request.form()).value_or(FormParams());
  const std::string by = params.contains("by") ? params["by"] : "admin";
  params.erase("by");
  const std::string form = EncodeForm(params);
  const std::string_view says = answer.body;
  const absl::Status kept = Journal(JournalFile(options_.console, folder_.path()),
                                    {.time = SystemClock().Wall(),
                                     .action = action,
                                     .parameters = form,
                                     .by = by,
                                     .from = request.peer,
                                     .is_done = answer.status == 200,
                                     .answer = says.substr(0, says.find_last_not_of('\n') + 1)});
  if (!kept.ok()) Log(LogLevel::kWarning, "crawl", "{}", MessageOf(kept));
}

CrawlAdmin::~CrawlAdmin() {
  RemoveContact(folder_.path());
  sampler_->Stop();  // it tells the server's address
  server_.Stop();
}

WorkerReport CrawlAdmin::ReportOf(const MetricRegistry& metrics, WallTime now) const {
  WorkerReport report{.id = "crawl",
                      .role = "crawl",
                      .version = ORBWEAVER_VERSION,
                      .admin_address = address(),
                      .started_at = started_at_,
                      .reported_at = now,
                      .vitals = {}};
  metrics.Visit([&report](MetricKind, const std::string& name, double value) {
    report.vitals.Take(name, value);
  });
  return report;
}

std::string CrawlAdmin::address() const {
  // Addresses that stand for all of the machine's.
  const std::string ip = listen_ == "0.0.0.0" ? "127.0.0.1" : listen_ == "::" ? "::1" : listen_;
  return AddressText(ip, server_.port());
}

std::string CrawlAdmin::url() const { return (is_tls_ ? "https://" : "http://") + address(); }

absl::StatusOr<std::unique_ptr<CrawlAdmin>> CrawlAdmin::Start(
    const ProductOptions& options, const config::Schema& schema, const CrawlFolder& folder,
    const CrawlRun& run, const RecentOutcomes& outcomes, LocalCrawl& crawl) {
  AdminSite& site = crawl.admin_site();
  MetricRegistry& metrics = crawl.metrics();
  AddProcessMetrics(metrics);
  std::unique_ptr<CrawlAdmin> admin(new CrawlAdmin(options, folder, run, outcomes, crawl));
  admin->pages_.push_back(
      site.AddPage("/metrics", kMetricsType, [&metrics] { return metrics.Text(); }));
  admin->pages_.push_back(site.AddPage("/config", "application/json",
                                       [&schema] { return config::EffectiveJson(schema); }));
  admin->pages_.push_back(site.AddStatus("crawl", [&crawl](JsonWriter& json) {
    json.BeginObject().Key("fetching").Value(crawl.fetching());
    json.Key("held").Value(crawl.held()).EndObject();
  }));
  RETURN_IF_ERROR(admin->server_.Start());
  RETURN_IF_ERROR(WriteContact(folder.path(), {.address = admin->address(),
                                               .token = options.process.admin.token,
                                               .is_tls = admin->is_tls_}));
  admin->sampler_->Start();
  return admin;
}

}  // namespace orbweaver
