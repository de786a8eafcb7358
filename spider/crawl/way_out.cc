#include "spider/crawl/way_out.h"

namespace orbweaver {
namespace {

size_t IndexOf(OwnSide side) { return static_cast<size_t>(side); }

}  // namespace

bool WayOut::OnSuspect(OwnSide side, std::string_view message, SteadyTime began, SteadyTime now) {
  const bool is_probe = closed_.has_value() && began >= closed_->since;
  if (is_probe) probing_ = false;
  if (HasWorkedSince(side, began)) return false;
  if (!closed_) {
    closed_ = {.side = side, .message = std::string(message), .since = now};
    probes_.Reset();
  } else {
    closed_->side = side;
    closed_->message = message;
    // Those that were under way when it closed say nothing new.
    if (!is_probe) return true;
  }
  next_probe_ = now + probes_.Next();
  return true;
}

void WayOut::OnWorked(OwnSide side, SteadyTime now) {
  worked_[IndexOf(side)] = now;
  if (closed_ && closed_->side == side) closed_.reset();
}

void WayOut::OnPassed(SteadyTime began) {
  if (!closed_ || began < closed_->since) return;
  probing_ = false;
  closed_.reset();
}

void WayOut::OnNothingLearnt(SteadyTime began) {
  if (closed_ && began >= closed_->since) probing_ = false;
}

bool WayOut::HasWorkedSince(OwnSide side, SteadyTime when) const {
  const std::optional<SteadyTime>& worked = worked_[IndexOf(side)];
  return worked.has_value() && *worked >= when;
}

}  // namespace orbweaver
