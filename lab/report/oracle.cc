#include "lab/report/oracle.h"

#include <algorithm>

#include "common/model/spider_log.h"
#include "strategy_worker/sdk/retry_delay.h"

namespace orbweaver::lab {
namespace {

// Further than this a page's value is no reason any more: half of half and so on.
constexpr int kSteps = 10;

constexpr uint32_t kRetries = 3;
constexpr int64_t kRetryDelayMs = 60'000;
constexpr int64_t kMostRetryDelayMs = 86'400'000;

}  // namespace

OraclePromises::OraclePromises(const PageTable& pages) : promises_(pages.known()) {
  double largest = 0;
  for (uint32_t url = 0; url < pages.known(); ++url) {
    largest = std::max(largest, pages.WorthOf(url));
  }
  if (largest == 0) return;
  for (uint32_t url = 0; url < pages.known(); ++url) {
    promises_[url] = static_cast<float>(pages.WorthOf(url) / largest);
  }
  for (int step = 0; step < kSteps; ++step) {
    bool has_changed = false;
    for (uint32_t url = 0; url < pages.known(); ++url) {
      for (const uint32_t target : pages.links().LinksOf(url)) {
        if (target >= pages.known() || promises_[target] / 2 <= promises_[url]) continue;
        promises_[url] = promises_[target] / 2;
        has_changed = true;
      }
    }
    if (!has_changed) break;
  }
}

absl::Status Oracle::Filter(const orbweaver_event& /*event*/, std::span<const orbweaver_link> links,
                            std::span<uint8_t> keep) {
  for (size_t i = 0; i < links.size(); ++i) {
    if (links[i].kind == static_cast<uint32_t>(LinkKind::kEmbed)) keep[i] = 0;
  }
  return absl::OkStatus();
}

absl::Status Oracle::OnEvent(const orbweaver_event& event, std::span<const orbweaver_link> links,
                             std::span<const orbweaver_state> states,
                             std::span<orbweaver_decision> decisions,
                             orbweaver_output* /*output*/) {
  if (event.kind == ORBWEAVER_FAILURE) {
    const orbweaver_failure& failure = *event.failure_view;
    if (failure.transient == 0 || event.attempt >= kRetries) return absl::OkStatus();
    decisions[0].action = ORBWEAVER_SCHEDULE;
    decisions[0].score = event.score;
    decisions[0].not_before_ms =
        event.now_ms +
        sdk::RetryDelayMs(kRetryDelayMs, kMostRetryDelayMs, event.attempt, failure.retry_after_ms);
    return absl::OkStatus();
  }
  if (event.kind != ORBWEAVER_LINKS && event.kind != ORBWEAVER_SEEDS) return absl::OkStatus();
  for (size_t i = 0; i < links.size(); ++i) {
    if (states[i].known != 0 && states[i].status != ORBWEAVER_NOT_CRAWLED) continue;
    decisions[i].action = ORBWEAVER_SCHEDULE;
    decisions[i].score = PromiseOf(links[i]);
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> Oracle::Adopt(std::string_view /*from_name*/, uint32_t /*from_version*/,
                                          std::string_view /*data*/) {
  return std::string();
}

float Oracle::PromiseOf(const orbweaver_link& link) const {
  const auto url = web_.Find({link.url_view.data, link.url_view.size});
  return url.has_value() ? promises_.Of(*url) : 0;
}

}  // namespace orbweaver::lab
