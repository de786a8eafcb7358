#include "strategy_worker/core/core_metrics.h"

#include <string>

namespace orbweaver {
namespace {

Counter& Links(MetricRegistry& registry, const char* fate) {
  return registry.AddCounter("orbweaver_strategy_links_total",
                             "Links and seeds by what became of them", {{"fate", fate}});
}

Counter& Own(MetricRegistry& registry, const char* kind) {
  return registry.AddCounter("orbweaver_strategy_own_requests_total",
                             "Requests that no strategy was asked about: what pages embed "
                             "(scope.assets), and sitemaps (scope.sitemaps)",
                             {{"kind", kind}});
}

Histogram& Seconds(MetricRegistry& registry, const char* phase) {
  return registry.AddHistogram("orbweaver_strategy_batch_seconds",
                               "Time that a batch spends in each phase",
                               ExponentialBounds(0.0001, 4, 10), {{"phase", phase}});
}

}  // namespace

CoreMetrics::CoreMetrics(MetricRegistry& registry)
    : replayed(registry.AddCounter("orbweaver_strategy_replayed_total",
                                   "Events that were in their domain's row already")),
      repeated_outcomes(
          registry.AddCounter("orbweaver_strategy_repeated_outcomes_total",
                              "Failures of requests whose failure was counted already: a spider "
                              "died before it committed, and they were fetched again")),
      put_by(registry.AddCounter("orbweaver_strategy_put_by_total",
                                 "Requests that spiders did not make for options of their own "
                                 "(port, private address, proxy): `orbweaver requeue`")),
      idle_orders(registry.AddCounter(
          "orbweaver_strategy_idle_orders_total",
          "Operators' orders about a URL that changed nothing: it was never heard of, is out of "
          "scope, does not wait, or waits already")),
      explored(registry.AddCounter("orbweaver_strategy_explored_total",
                                   "Requests that were drawn by lot and fetched sooner than their "
                                   "strategy ranks them (strategy_worker.explore)")),
      dead_letters(registry.AddCounter("orbweaver_strategy_dead_letters_total",
                                       "Events that went to the dead-letter topic")),
      lost_events(registry.AddCounter("orbweaver_strategy_lost_events_total",
                                      "Events deleted by retention before they were read")),
      input_bytes(registry.AddCounter("orbweaver_strategy_input_bytes_total",
                                      "Bytes of the spider log that were read")),
      links(Links(registry, "taken")),
      links_invalid(Links(registry, "invalid")),
      links_foreign(Links(registry, "foreign")),
      links_duplicate(Links(registry, "duplicate")),
      links_beyond_seeds(Links(registry, "beyond_seeds")),
      links_not_included(Links(registry, "not_included")),
      links_excluded(Links(registry, "excluded")),
      links_by_sitemaps(Links(registry, "sitemaps")),
      links_filtered(Links(registry, "filtered")),
      seeds_without_place(registry.AddCounter(
          "orbweaver_strategy_seeds_without_place_total",
          "Seeds that are crawled but open no scope, since their domain has too many others")),
      scheduled(registry.AddCounter("orbweaver_strategy_scheduled_total",
                                    "Requests that the strategy scheduled")),
      own_assets(Own(registry, "asset")),
      own_sitemaps(Own(registry, "sitemap")),
      sitemaps_left_out(registry.AddCounter(
          "orbweaver_strategy_sitemaps_left_out_total",
          "Sitemaps that were not asked for, since their domain has had as many as it may have")),
      deferred(registry.AddCounter("orbweaver_strategy_deferred_total",
                                   "Requests that spiders handed back, scheduled again")),
      breaches(registry.AddCounter(
          "orbweaver_strategy_breaches_total",
          "Requests of another domain, or of no valid URL, that the strategy asked for")),
      messages(registry.AddCounter("orbweaver_strategy_messages_total",
                                   "Messages appended to the scoring log")),
      resent(registry.AddCounter("orbweaver_strategy_resent_total",
                                 "Messages of an earlier owner that were sent again")),
      batches(registry.AddCounter("orbweaver_strategy_batches_total", "Batches committed")),
      take_overs(registry.AddCounter("orbweaver_strategy_take_overs_total",
                                     "Partitions taken over by a marker")),
      partitions(registry.AddGauge("orbweaver_strategy_partitions", "Partitions owned")),
      lag_seconds(registry.AddGauge("orbweaver_strategy_lag_seconds",
                                    "Age of the oldest event that was read last; 0 when there was "
                                    "none to read")),
      read_seconds(Seconds(registry, "read")),
      lookup_seconds(Seconds(registry, "lookup")),
      apply_seconds(Seconds(registry, "apply")),
      write_seconds(Seconds(registry, "write")),
      append_seconds(Seconds(registry, "append")),
      commit_seconds(Seconds(registry, "commit")),
      stage(registry, "strategy") {
  static constexpr std::array<const char*, kEventKinds> kKinds = {
      "none", "seeds", "page", "links", "failure", "host", "deferred", "order", "url_order"};
  for (size_t kind = 0; kind < events.size(); ++kind) {
    events[kind] = &registry.AddCounter("orbweaver_strategy_events_total",
                                        "Events of the spider log", {{"kind", kKinds[kind]}});
  }
}

}  // namespace orbweaver
