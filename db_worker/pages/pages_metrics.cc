#include "db_worker/pages/pages_metrics.h"

namespace orbweaver {

PagesMetrics::PagesMetrics(MetricRegistry& registry)
    : messages(registry.AddCounter("orbweaver_pages_messages_total",
                                   "Messages of the spider log that were read")),
      stored(registry.AddCounter("orbweaver_pages_stored_total",
                                 "Fetched pages whose metadata was written")),
      replayed(registry.AddCounter("orbweaver_pages_replayed_total",
                                   "Fetched pages skipped because the store has them already")),
      changed(registry.AddCounter("orbweaver_pages_changed_total",
                                  "Pages found with another content than before")),
      stored_bytes(registry.AddCounter("orbweaver_pages_body_bytes_total",
                                       "Compressed bytes of bodies that were written")),
      poison(registry.AddCounter("orbweaver_pages_poison_total",
                                 "Messages passed over; the strategy worker keeps them")),
      lost(registry.AddCounter("orbweaver_pages_messages_lost_total",
                               "Messages that retention deleted before they were read")) {}

}  // namespace orbweaver
