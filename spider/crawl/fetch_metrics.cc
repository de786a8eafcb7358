#include "spider/crawl/fetch_metrics.h"

namespace orbweaver {

FetchMetrics::FetchMetrics(MetricRegistry& registry)
    : connections_(registry.AddCounter("orbweaver_spider_connections_total", "Connections made")),
      kept_alive_(registry.AddCounter("orbweaver_spider_connections_reused_total",
                                      "Fetches over a connection that was there")),
      tls_handshakes_(
          registry.AddCounter("orbweaver_spider_tls_handshakes_total", "Handshakes of TLS")),
      tls_resumed_(registry.AddCounter("orbweaver_spider_tls_resumed_total",
                                       "Handshakes of TLS that resumed a session")),
      dns_queries_(registry.AddCounter("orbweaver_spider_dns_queries_total",
                                       "Names that name servers were asked for")),
      dns_hits_(
          registry.AddCounter("orbweaver_spider_dns_hits_total", "Names that were known already")),
      dns_failures_(registry.AddCounter("orbweaver_spider_dns_failures_total",
                                        "Names without an address that may be asked")),
      received_bytes_(registry.AddCounter("orbweaver_spider_received_bytes_total",
                                          "Bytes of answers, their heads included, TLS undone")),
      open_connections_(
          registry.AddGauge("orbweaver_spider_open_connections", "Connections that are open")),
      idle_connections_(
          registry.AddGauge("orbweaver_spider_idle_connections",
                            "Connections that wait for the next request of their host")),
      waiting_handshakes_(registry.AddGauge(
          "orbweaver_spider_waiting_handshakes",
          "Fetches that wait to begin a handshake of TLS until this process has the time for it")) {
}

void FetchMetrics::Report(const FetchStats& now, FetchStats* reported) {
  const auto count = [&](Counter& counter, uint64_t FetchStats::* field) {
    counter.Increment(now.*field - reported->*field);
  };
  count(connections_, &FetchStats::connections);
  count(kept_alive_, &FetchStats::kept_alive);
  count(tls_handshakes_, &FetchStats::tls_handshakes);
  count(tls_resumed_, &FetchStats::tls_resumed);
  count(dns_queries_, &FetchStats::dns_queries);
  count(dns_hits_, &FetchStats::dns_hits);
  count(dns_failures_, &FetchStats::dns_failures);
  count(received_bytes_, &FetchStats::received_bytes);
  // Gauges of several lanes add up.
  const auto change = [&](Gauge& gauge, size_t FetchStats::* field) {
    gauge.Add(static_cast<double>(now.*field) - static_cast<double>(reported->*field));
  };
  change(open_connections_, &FetchStats::open_connections);
  change(idle_connections_, &FetchStats::idle_connections);
  change(waiting_handshakes_, &FetchStats::waiting_handshakes);
  *reported = now;
}

}  // namespace orbweaver
