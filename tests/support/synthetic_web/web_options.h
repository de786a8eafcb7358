// The options that determine a synthetic web.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/status.h"

#include "common/base/clock.h"
#include "tests/support/synthetic_web/troubles.h"

namespace orbweaver::synthetic {

struct WebOptions {
  uint64_t seed = 1;
  uint32_t hosts = 100;
  uint32_t pages_per_host = 100;
  // Of an ordinary page, about.
  uint32_t page_bytes = 20'000;
  uint32_t links_per_page = 60;
  // Pieces of the text behind each link that have mark-up of their own.
  uint32_t spans_per_link = 0;
  // Share of a page's links that lead to other hosts.
  double outside_links = 0.2;

  // Nothing is wrong anywhere by default, and no host has a robots.txt.
  Troubles troubles;
  // Share of the hosts that have a fault, and of those that have a robots.txt out of `troubles`.
  double faulty_hosts = 0.5;
  double robots_hosts = 0.5;
  // Share of a faulty host's pages that have its fault, where the fault is one of pages.
  double faulty_pages = 1.0 / 16;
  // Share of all pages that are gone (404, 410, 403) and that fail for ever (500).
  double gone_pages = 0;
  double failing_pages = 0;
  // Share of the hosts with sitemaps among those whose robots.txt can name one.
  double sitemap_hosts = 0.5;
  // Share of the hosts that speak TLS, besides those with a bad certificate.
  double https_hosts = 0;

  // How many requests of a URL fail before it succeeds, where the fault is transient.
  uint32_t transient_failures = 2;
  Duration slow_first_byte = std::chrono::milliseconds(200);
  // From the first to the last byte.
  Duration drip = std::chrono::milliseconds(500);
  // Between two bytes of an endless drip.
  Duration endless_drip_pause = std::chrono::seconds(1);
  std::chrono::seconds retry_after = std::chrono::seconds(1);
  std::chrono::milliseconds crawl_delay = std::chrono::seconds(1);
  // 0: the calendar has no end, and what is reachable in it is not computed.
  uint32_t calendar_days = 366;
  // The unpacked size of a gzip bomb.
  uint64_t bomb_bytes = uint64_t{64} << 20;

  // The product token that robots.txt groups of our own name.
  std::string agent = "orbweaver";
  // Ports that URLs name; 0: the scheme's own, for use behind a proxy.
  uint16_t http_port = 0;
  uint16_t https_port = 0;
};

// Takes what `orbweaver crawl` is to be tried on: every trouble, and some pages gone and failing.
WebOptions TroubledWeb(WebOptions options);

// Fatal, naming the option, when one is out of its bounds.
absl::Status Validate(const WebOptions& options);

}  // namespace orbweaver::synthetic
