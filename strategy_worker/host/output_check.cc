#include "strategy_worker/host/output_check.h"

#include <cmath>
#include <cstdint>
#include <string_view>

#include "common/base/utf8.h"
#include "common/model/limits.h"
#include "strategy_worker/states/domain_record.h"

namespace orbweaver {
namespace {

bool IsTime(int64_t unix_ms) { return unix_ms >= 0 && unix_ms <= kMaxTimeMs; }

// The flaw of a decision; null when there is none.
const char* Flaw(const orbweaver_decision& decision) {
  if (decision.action > ORBWEAVER_DROP) return "an action that does not exist";
  if (decision.set_status && decision.status > ORBWEAVER_GONE)
    return "a status that does not exist";
  if (decision.set_due && !IsTime(decision.due_at_ms)) return "a due time outside 1970 to 2109";
  if (decision.action == ORBWEAVER_LEAVE) return nullptr;
  if (!std::isfinite(decision.score)) return "a score that is not a finite number";
  if (!IsTime(decision.not_before_ms)) return "a not-before time outside 1970 to 2109";
  if (decision.meta_count == 0) return nullptr;
  if (!decision.meta_kept) return "meta entries that are null";
  if (decision.meta_count > kMaxMetaEntries) return "more than 16 meta entries";
  for (size_t i = 0; i < decision.meta_count; ++i) {
    const orbweaver_meta& meta = decision.meta_kept[i];
    if (meta.key.size > kMaxMetaKeyBytes || meta.value.size > kMaxMetaValueBytes) {
      return "a meta entry beyond 64 bytes of key or 512 of value";
    }
    if (!IsValidUtf8(std::string_view(meta.key.data, meta.key.size)))
      return "a meta key that is not UTF-8";
  }
  return nullptr;
}

const char* Flaw(const orbweaver_request& request) {
  if (request.url.size == 0 || request.url.size > kMaxUrlBytes) {
    return "a request whose URL is empty or beyond 2,048 bytes";
  }
  if (request.decision.action != ORBWEAVER_SCHEDULE && request.decision.action != ORBWEAVER_RAISE) {
    return "a request that neither schedules nor raises";
  }
  return Flaw(request.decision);
}

}  // namespace

const char* RequestsFlaw(const orbweaver_output& output) {
  if (output.request_count > kMaxRequestsPerEvent) return "more than 10,000 requests of one event";
  if (output.request_count > 0 && !output.requests_kept) return "requests that are null";
  return nullptr;
}

const char* OutputFlaw(std::span<const orbweaver_decision> decisions,
                       const orbweaver_output& output) {
  if (const char* const flaw = RequestsFlaw(output)) return flaw;
  for (size_t i = 0; i < output.request_count; ++i) {
    if (const char* const flaw = Flaw(output.requests_kept[i])) return flaw;
  }
  if (output.set_domain_data && output.domain_data_kept.size > kMaxStrategyBytes) {
    return "more than 64 KB of domain data";
  }
  if (!IsTime(output.blocked_until_ms)) return "a block until a time outside 1970 to 2109";
  for (const orbweaver_decision& decision : decisions) {
    if (const char* const flaw = Flaw(decision)) return flaw;
  }
  return nullptr;
}

}  // namespace orbweaver
