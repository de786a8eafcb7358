// An event as a strategy sees it: the ABI's structs over the decoded entry.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "common/model/spider_log.h"
#include "strategy_worker/core/source_event.h"
#include "strategy_worker/sdk/strategy_abi.h"
#include "strategy_worker/states/domain_record.h"
#include "strategy_worker/states/link_state.h"

namespace orbweaver {

// The failure says nothing of the URL: it lies in the spider's own options or its way to the web.
bool IsOfOurOwn(FailureCause cause);

// Whether a later try may succeed.
bool IsTransient(FailureCause cause, uint32_t http_status);

// Whether the facts tell of robots.txt: what they leave out of it is then not there.
bool SaysRobots(const HostFacts& facts);

// Place: one in the core, filled for each event. Not thread-safe.
class EventView {
 public:
  // Replaces what it showed. `record`: without the event, whose own counts and facts are added
  // here. `before`: what was known of a page's URL before this event, null for other kinds. Views
  // live until the next call, or as long as the event and the record.
  const orbweaver_event& Show(const SourceEvent& event, const DomainRecord& record,
                              const LinkState* before);

 private:
  void ShowPage(const PageFetched& page, const LinkState& before);
  void ShowSource(const LinksFound& found, bool is_from_inside);
  void ShowFailure(const FetchFailed& failed);
  void ShowHost(const HostFacts& facts);
  void ShowRequest(const Request& request);
  void ShowMeta(std::span<const Meta> meta);

  orbweaver_event event_;
  orbweaver_domain domain_;
  orbweaver_page page_;
  orbweaver_source source_;
  orbweaver_failure failure_;
  orbweaver_host host_;
  std::vector<orbweaver_meta> meta_;
  std::vector<orbweaver_text> sitemaps_;
};

}  // namespace orbweaver
