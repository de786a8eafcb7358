// The effects of decisions and failures on a URL: one rule for the strategy worker and TestDriver.
#pragma once

#include <cstdint>

#include "orbweaver/strategy_abi.h"

namespace orbweaver::sdk {

enum class QueueChange : uint8_t {
  kNone,
  kAdd,
  kRaise,  // moves a request up that still waits; never adds one
  kDelete
};

struct DecisionEffect {
  bool is_kept = true;        // false: the URL was never heard of, and stays so
  bool is_scheduled = false;  // counts in the domain's `scheduled`
  QueueChange queue = QueueChange::kNone;
  uint8_t status = ORBWEAVER_NOT_CRAWLED;  // of the state, afterwards
  uint32_t errors = 0;                     // of the state, afterwards
  uint32_t attempt = 0;                    // of the request
};

// A URL is QUEUED from its scheduling until its outcome, also while its request stands in the feed
// or is being fetched. So a RAISE of a QUEUED URL must not add a request: the URL may have left the
// queue. Only `known`, `status`, `fetches` and `errors` of `state` count.
inline DecisionEffect EffectOf(const orbweaver_state& state, const orbweaver_decision& decision) {
  DecisionEffect effect;
  effect.status = state.status;
  effect.errors = state.errors;
  effect.attempt = decision.attempt;
  const bool is_queued = state.known != 0 && state.status == ORBWEAVER_QUEUED;
  const bool raises = decision.action == ORBWEAVER_RAISE;
  if (raises && is_queued) {
    effect.queue = QueueChange::kRaise;
    // The errors of a QUEUED URL are the attempts of its request, which stays the same request.
    effect.attempt = state.errors;
  } else if (raises || decision.action == ORBWEAVER_SCHEDULE) {
    effect.queue = QueueChange::kAdd;
    effect.is_scheduled = true;
    // While it is queued, fewer attempts than errors are an earlier request's.
    if (!is_queued) effect.errors = decision.attempt;
    effect.status = ORBWEAVER_QUEUED;
  } else if (decision.action == ORBWEAVER_DROP && is_queued) {
    effect.queue = QueueChange::kDelete;
    effect.status = state.fetches == 0 ? ORBWEAVER_NOT_CRAWLED : ORBWEAVER_CRAWLED;
  } else {
    effect.is_kept = state.known != 0 || decision.set_status != 0 || decision.set_data != 0 ||
                     decision.set_due != 0;
  }
  if (decision.set_status != 0) effect.status = decision.status;
  return effect;
}

// A seed is to be tried even when it failed before: a strategy sees it as never scheduled.
inline orbweaver_state ShownAsSeed(orbweaver_state state) {
  if (state.status != ORBWEAVER_ERROR && state.status != ORBWEAVER_GONE) return state;
  state.status = ORBWEAVER_NOT_CRAWLED;
  state.errors = 0;
  return state;
}

// A request may fail twice: a spider that died before it committed has left an outcome in the log,
// and the next one has fetched the request again. By then the retry is queued, and must not be
// queued once more. `attempt`: of the request that failed.
inline bool IsRepeatedFailure(const orbweaver_state& state, uint32_t attempt) {
  return state.known != 0 && state.status == ORBWEAVER_QUEUED && attempt < state.errors;
}

}  // namespace orbweaver::sdk
