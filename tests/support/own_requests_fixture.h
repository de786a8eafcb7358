// A fixture of StrategyCore for requests that the worker makes by itself: assets and sitemaps.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/model/own_request.h"
#include "strategy_worker/core/own_requests.h"
#include "tests/support/scoped_core_fixture.h"

namespace orbweaver {

class OwnRequestsTest : public ScopedCoreTest {
 protected:
  OwnRequestsTest() {
    // Sees everything, and schedules what was never scheduled.
    strategy_.filter = [this](const orbweaver_event&, std::span<const orbweaver_link> links,
                              std::span<uint8_t>) {
      for (const orbweaver_link& link : links) filtered_.emplace_back(ToView(link.url_view));
      return absl::OkStatus();
    };
    strategy_.on_event = [this](ScriptedStrategy::Call call) {
      ++calls_;
      known_urls_ = call.event.domain_view->known_urls;
      fetched_ = call.event.domain_view->fetched;
      for (size_t i = 0; i < call.links.size(); ++i) {
        shown_.emplace_back(ToView(call.links[i].url_view));
        const orbweaver_state& state = call.states[i];
        if (state.known != 0 && state.status != ORBWEAVER_NOT_CRAWLED) continue;
        call.decisions[i].action = ORBWEAVER_SCHEDULE;
        call.decisions[i].score = 0.25;
      }
      return absl::OkStatus();
    };
  }

  // Links of a page that was asked for with this meta.
  void AppendFound(const std::string& domain, const std::vector<Link>& links,
                   std::span<const Meta> meta = {}, uint32_t depth = 3) {
    world_.Append(
        {.domain = domain,
         .event = LinksFound{.source = {.url = "https://a.test/page", .depth = depth, .meta = meta},
                             .links = links}});
  }
  void AppendPage(const std::string& domain, const std::string& url, const Meta& meta,
                  std::string_view type) {
    const Request request{
        .url = url, .domain = domain, .depth = 4, .score = kOwnScore, .meta = {&meta, 1}};
    world_.Append({.domain = domain,
                   .event = PageFetched{.request = request, .status = 200, .content_type = type}});
  }
  void AppendFailure(const std::string& domain, const std::string& url, const Meta& meta,
                     uint32_t attempt, FailureCause cause) {
    const Request request{.url = url,
                          .domain = domain,
                          .depth = 4,
                          .score = kOwnScore,
                          .attempt = attempt,
                          .meta = {&meta, 1}};
    world_.Append({.domain = domain, .event = FetchFailed{.request = request, .cause = cause}});
  }
  // URL and how it is asked for: the value of the meta that tells.
  std::vector<std::pair<std::string, std::string>> Own() {
    std::vector<std::pair<std::string, std::string>> own;
    for (const ReadRequest& request : world_.ReadRequests()) {
      for (const auto& [key, value] : request.meta) own.emplace_back(request.url, value);
    }
    return own;
  }
  static Meta Asset(uint32_t steps, bool is_in_scope) {
    return MetaOf({.kind = OwnRequest::Kind::kAsset, .steps = steps, .is_in_scope = is_in_scope});
  }
  static Meta Sitemap(uint32_t steps) {
    return MetaOf({.kind = OwnRequest::Kind::kSitemap, .steps = steps});
  }
  static Link To(std::string_view url, LinkKind kind = LinkKind::kAnchor) {
    return {.url = url, .kind = kind};
  }
  static Link Embedded(std::string_view url) { return To(url, LinkKind::kEmbed); }

  int calls_ = 0;
  std::vector<std::string> filtered_;
  std::vector<std::string> shown_;
  uint64_t known_urls_ = 0;
  uint64_t fetched_ = 0;
};

}  // namespace orbweaver
