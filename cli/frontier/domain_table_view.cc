#include "cli/frontier/domain_table_view.h"

#include "cli/frontier/inspect.h"

#include "common/base/json.h"
#include "common/base/unix_ms.h"

namespace orbweaver {

std::string DomainPageJson(const DomainPage& page) {
  std::string text;
  JsonWriter json(&text);
  json.BeginObject().Key("domains").BeginArray();
  for (size_t i = 0; i < page.domains.size(); ++i) {
    const ListedDomain& listed = page.domains[i];
    json.BeginObject().Key("domain").Value(listed.domain);
    json.Key("partition").Value(listed.partition.value());
    json.Key("phase").Value(DomainPhaseName(listed.phase)).Key("waiting").Value(listed.waiting);
    json.Key("waiting_by_band").BeginArray();
    for (const uint64_t waiting : listed.waiting_by_band) json.Value(waiting);
    json.EndArray();
    json.Key("delayed").Value(listed.delayed).Key("known_urls").Value(listed.known_urls);
    json.Key("fetched").Value(listed.fetched).Key("pages_per_second");
    if (listed.pages_per_s.has_value()) {
      json.Value(*listed.pages_per_s);
    } else {
      json.Null();
    }
    json.Key("failed").Value(listed.failed).Key("last_failure");
    if (!page.last_failures.empty() && page.last_failures[i].has_value()) {
      WriteOutcome(*page.last_failures[i], json);
    } else {
      json.Null();
    }
    json.Key("robots_status").Value(listed.robots_status);
    json.Key("delay_ms").Value(listed.delay.count());
    json.Key("blocked_until_ms").Value(UnixMs(listed.blocked_until));
    json.Key("waiting_since_ms").Value(UnixMs(listed.waiting_since)).EndObject();
  }
  json.EndArray().Key("matches").Value(page.matches);
  json.Key("domains_read").Value(page.domains_read).Key("share").Value(page.share).EndObject();
  return text;
}

}  // namespace orbweaver
