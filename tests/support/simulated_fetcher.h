// A Fetcher without a network, in virtual time: what a URL answers is a function.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "common/base/clock.h"
#include "spider/fetch/fetcher.h"

namespace orbweaver {

struct SimulatedAnswer {
  std::optional<FailureCause> failure;
  std::optional<OwnSide> suspect;  // of it
  uint32_t status = 200;
  std::string content_type = "text/html";
  std::string location;
  std::string body;
  bool truncated = false;  // the body was cut off at its bound
  // With a failure: it met a kept connection that had ended.
  bool stale = false;
  std::optional<std::chrono::milliseconds> retry_after;
  Duration takes = std::chrono::milliseconds(20);
  std::optional<WallTime> certificate_end;
};

// Waiting moves the clock: to the next answer, or to the end of the wait. Not thread-safe.
class SimulatedFetcher : public Fetcher {
 public:
  // Called when a fetch begins; `OnEnd` when its answer has come. `clock` must outlive this.
  using OnBegin = std::function<SimulatedAnswer(FetchId id, std::string_view url)>;
  using OnEnd = std::function<void(FetchId id)>;

  SimulatedFetcher(ManualClock& clock, OnBegin on_begin, OnEnd on_end = nullptr)
      : clock_(clock), on_begin_(std::move(on_begin)), on_end_(std::move(on_end)) {}

  // The answer to HEAD; nullptr: as GET.
  OnBegin on_head;
  // Names that do not exist.
  std::set<std::string, std::less<>> missing;
  // Every name is an address of its own, unless the map says otherwise.
  std::map<std::string, IpAddress, std::less<>> addresses;

  // Which part of our own side fails at the look-up of a host; nullopt: none. Not set: none ever.
  std::function<std::optional<OwnSide>(std::string_view host)> no_names;

  void Resolve(FetchId id, std::string_view host) override;
  void Fetch(FetchId id, const FetchRequest& request) override;
  void Run(SteadyTime until, FetchListener& listener) override;
  FetchStats stats() const override { return {}; }
  void Wake() override {}

  size_t running() const { return running_.size(); }
  // When the next answer comes; SteadyTime::max(): nothing is under way.
  SteadyTime NextEnd() const {
    return running_.empty() ? SteadyTime::max() : running_.begin()->first;
  }

 private:
  struct Running {
    FetchId id;
    std::string url;  // empty: a look-up
    SimulatedAnswer answer;
    IpAddress address;
    std::optional<OwnSide> suspect;  // of a look-up
    WallTime started_at;
    bool is_missing = false;  // of a look-up
  };

  void Tell(Running& running, FetchListener& listener);

  ManualClock& clock_;
  const OnBegin on_begin_;
  const OnEnd on_end_;
  std::multimap<SteadyTime, Running> running_;  // by when it ends
};

}  // namespace orbweaver
