// Whether the way from here to the web is open: told from what fetches get.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/backoff.h"
#include "common/base/clock.h"
#include "spider/fetch/own_side.h"

namespace orbweaver {

// A failure that may be our own side's (FetchResult::suspect) closes the way, unless that part of
// our side has worked for somebody since the fetch began: then it is the host's after all. While
// the way is closed one request at a time tries it, a second after the last one failed, then two,
// up to half a minute. The first that gets past opens it.
//
// Place: inside RequestFlow, which keeps the requests that failed so. No clock in here, no I/O. Not
// thread-safe.
class WayOut {
 public:
  struct Closed {
    OwnSide side;
    std::string message;  // of the last failure
    SteadyTime since;
  };

  // True: the way is closed, and the fetch is to be tried again when it is open. False: the failure
  // is of the host.
  bool OnSuspect(OwnSide side, std::string_view message, SteadyTime began, SteadyTime now);
  // Something came by it.
  void OnWorked(OwnSide side, SteadyTime now);
  // A fetch that began at `began` got past our side.
  void OnPassed(SteadyTime began);
  // It ended before it came to that.
  void OnNothingLearnt(SteadyTime began);

  bool MayStart(SteadyTime now) const { return !closed_ || (!probing_ && now >= next_probe_); }
  // To be told of each fetch that starts.
  void OnStarted() { probing_ = closed_.has_value(); }
  // When the next one may start while it is closed and none is under way.
  SteadyTime NextProbe() const { return probing_ ? SteadyTime::max() : next_probe_; }

  bool HasWorkedSince(OwnSide side, SteadyTime when) const;
  // nullopt: it is open.
  const std::optional<Closed>& closed() const { return closed_; }

 private:
  std::optional<Closed> closed_;
  std::array<std::optional<SteadyTime>, kOwnSides> worked_;
  bool probing_ = false;
  SteadyTime next_probe_{};
  Backoff probes_{{.first = std::chrono::seconds(1), .most = std::chrono::seconds(30), .jitter = 0},
                  /*seed=*/0};
};

}  // namespace orbweaver
