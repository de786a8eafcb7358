#include "cli/crawl/crawl_orders.h"

#include <utility>

#include "absl/strings/str_split.h"
#include "cli/amounts.h"
#include "cli/crawl/crawl_seeds.h"
#include "cli/order_writer.h"
#include "fmt/format.h"

#include "common/base/status.h"
#include "common/config/value_text.h"
#include "common/model/limits.h"
#include "common/url/named_domain.h"

namespace orbweaver {
namespace {

constexpr Duration kTimeout = std::chrono::seconds(20);

absl::StatusOr<std::string> Param(const FormParams& params, std::string_view name) {
  const auto found = params.find(name);
  if (found != params.end() && !found->second.empty()) return found->second;
  return PoisonError("parameter '{}' is missing", name);
}

absl::StatusOr<DomainOrder> OrderOf(std::string_view action, const FormParams& params) {
  DomainOrder order;
  order.purge = action == "purge";
  order.forget = action == "forget";
  if (action == "unblock") order.blocked_until = WallTime();
  if (action != "block") return order;
  ASSIGN_OR_RETURN(const std::string text, Param(params, "until_ms"));
  int64_t until_ms = 0;
  if (!config::ParseNumber(text, &until_ms) || until_ms <= 0 || until_ms > kMaxTimeMs) {
    return PoisonError("until_ms '{}': expected a time in milliseconds since 1970", text);
  }
  order.blocked_until = WallTime(std::chrono::milliseconds(until_ms));
  return order;
}

}  // namespace

CrawlOrders::CrawlOrders(const ProductOptions& options, const CrawlFolder& folder,
                         LocalCrawl& crawl)
    : options_(options), folder_(folder), crawl_(crawl) {
  constexpr std::pair<std::string_view, const char*> kOrders[] = {
      {"block", "no request of `domain` leaves the queue until `until_ms`"},
      {"unblock", "ends blocks and back-off of `domain`"},
      {"purge", "drops the requests of `domain` that wait"},
      {"forget", "forgets all that is known of `domain`"}};
  AdminSite& site = crawl.admin_site();
  for (const auto& [name, doc] : kOrders) {
    actions_.push_back(
        site.AddAction(std::string(name), doc,
                       [this, name](const FormParams& params) { return Order(name, params); }));
  }
  actions_.push_back(site.AddAction("add-seeds", "adds the seeds `urls`, a line each",
                                    [this](const FormParams& params) { return AddSeeds(params); }));
}

absl::StatusOr<std::string> CrawlOrders::Order(std::string_view action, const FormParams& params) {
  ASSIGN_OR_RETURN(const std::string name, Param(params, "domain"));
  ASSIGN_OR_RETURN(const std::string domain,
                   NamedDomain(name, options_.spider.url, crawl_.suffixes()));
  ASSIGN_OR_RETURN(const DomainOrder order, OrderOf(action, params));
  ASSIGN_OR_RETURN(const GivenOrder given,
                   GiveOrder(crawl_.bus(), crawl_.store(), SystemClock(), domain, order, kTimeout));
  std::string says = OrderText(domain, order) + ", once the running crawl has read it";
  if (given.forgotten > 0) {
    says += fmt::format("\nforgot by name {} of it that had failed", Count(given.forgotten, "URL"));
  }
  return says;
}

absl::StatusOr<std::string> CrawlOrders::AddSeeds(const FormParams& params) {
  ASSIGN_OR_RETURN(const std::string urls, Param(params, "urls"));
  ASSIGN_OR_RETURN(const uint64_t added,
                   AddMoreSeeds(absl::StrSplit(urls, '\n', absl::SkipEmpty()), options_, folder_,
                                crawl_.bus(), crawl_.suffixes()));
  return fmt::format("{} added", Count(added, "seed"));
}

}  // namespace orbweaver
