#include "tests/support/synthetic_web/web_options.h"

#include "common/base/status.h"

namespace orbweaver::synthetic {
namespace {

constexpr uint32_t kMaxHosts = 1'000'000;
constexpr uint32_t kMaxPagesPerHost = 100'000'000;
constexpr uint32_t kMaxPageBytes = 16 << 20;
constexpr uint32_t kMaxLinksPerPage = 10'000;

}  // namespace

WebOptions TroubledWeb(WebOptions options) {
  options.troubles = AllTroubles();
  options.gone_pages = 0.02;
  options.failing_pages = 0.005;
  return options;
}

absl::Status Validate(const WebOptions& options) {
  const struct {
    const char* name;
    uint32_t value, most;
  } counts[] = {{"hosts", options.hosts, kMaxHosts},
                {"pages", options.pages_per_host, kMaxPagesPerHost},
                {"page-bytes", options.page_bytes, kMaxPageBytes},
                {"links", options.links_per_page, kMaxLinksPerPage}};
  for (const auto& [name, value, most] : counts) {
    if (value < 1 || value > most) {
      return FatalError("synthetic web: {} = {}. It must be from 1 to {}.", name, value, most);
    }
  }
  const struct {
    const char* name;
    double value;
  } shares[] = {{"outside-links", options.outside_links}, {"faulty-hosts", options.faulty_hosts},
                {"robots-hosts", options.robots_hosts},   {"faulty-pages", options.faulty_pages},
                {"gone-pages", options.gone_pages},       {"failing-pages", options.failing_pages},
                {"sitemap-hosts", options.sitemap_hosts}, {"https-hosts", options.https_hosts}};
  for (const auto& [name, value] : shares) {
    if (!(value >= 0 && value <= 1)) {
      return FatalError("synthetic web: {} = {}. It is a share, from 0 to 1.", name, value);
    }
  }
  return absl::OkStatus();
}

}  // namespace orbweaver::synthetic
