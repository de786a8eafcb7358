// Checks the URLs of a list: draws them, asks, follows redirects, judges.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "cli/check/check_result.h"
#include "cli/check/host_memory.h"
#include "cli/check/pressure_gate.h"
#include "cli/check/url_queue.h"

#include "common/base/clock.h"
#include "common/url/resolver.h"
#include "spider/fetch/fetcher.h"
#include "spider/robots/robots_cache.h"

namespace orbweaver {

struct CheckSettings {
  PressureLimits limits;
  uint32_t max_redirects = 10;  // followed
  // More attempts when a failure may pass, and how long after the one before.
  uint32_t retries = 1;
  Duration retry_delay = std::chrono::seconds(10);
  // Where a redirect leads, or a GET after HEAD, waits no longer than this for its turn.
  Duration next_step_wait = std::chrono::minutes(2);
  bool obey_robots = false;
  // The most URLs that wait for their turn, beside those that are asked.
  size_t max_waiting = 20'000;
  RobotsOptions robots;
};

//   UrlQueue ─► address ─► robots.txt? ─► PressureGate ─► Fetcher ─► GET instead? redirect? ─►
//   result
//
// Place: `orbweaver check`, one a fetcher. Bounded: the limits and max_waiting. Not thread-safe.
class CheckEngine : private FetchListener {
 public:
  // The text of a URL in the list; empty: it is gone.
  using TextOf = std::function<std::string_view(const ListedUrl& url)>;
  // Once for each URL that is over; lent until it returns.
  using OnResult = std::function<void(const CheckResult& result)>;

  // All that is referred to must outlive this.
  CheckEngine(const CheckSettings& settings, ListedUrls urls, TextOf text_of, UrlResolver& resolver,
              Fetcher& fetcher, const Clock& clock, OnResult on_result);
  ~CheckEngine() override;

  // Begins what may begin, and works until something is over or `until` has passed.
  void Step(SteadyTime until);

  // From now on nothing new is asked: what is being asked comes to its end. The rest has no result.
  void Drain() { draining_ = true; }

  // Nothing is left, or after Drain nothing is being asked.
  bool done() const;

  size_t asking() const { return gate_.running(); }
  size_t waiting() const { return tasks_.size() - gate_.running(); }
  size_t left() const { return queue_.left() + tasks_.size(); }

 private:
  // One URL that was begun, or a robots.txt for some of them.
  struct Task {
    ListedUrl listed;
    CheckResult result;
    std::string url;        // to be asked now
    std::string host;       // of it, with its port
    std::string domain;     // registered
    std::string robots_of;  // the origin whose robots.txt it is; empty: it is no robots.txt
    IpAddress address;
    Duration dns{};
    std::optional<Duration> crawl_delay;
    bool get = false;
    bool is_first = true;  // nothing was asked for it yet
  };
  using TaskPtr = std::unique_ptr<Task>;

  void OnResolved(const Resolution& resolution) override;
  void OnFetched(FetchResult& result) override;

  void Begin(const ListedUrl& listed);
  void StartTurns(SteadyTime now);
  // Goes to task.url: its robots.txt, its address, its turn.
  void GoTo(uint64_t id, Task& task);
  void AskRobots(uint64_t id, Task& task);
  void OnRobots(uint64_t id, Task& task, const FetchResult& result);
  void EnterGate(uint64_t id, Task& task, SteadyTime now);
  void Note(const FetchResult& result, Task& task) const;
  void OnAnswer(uint64_t id, Task& task, const FetchResult& result, SteadyTime now);
  void FollowRedirect(uint64_t id, Task& task, const FetchResult& result);
  // Another attempt, or the result.
  void Conclude(uint64_t id, Task& task, std::optional<FailureCause> failure, std::string message);
  void Tell(uint64_t id, Task& task, std::optional<FailureCause> failure, std::string message,
            std::optional<CheckVerdict> verdict = std::nullopt);

  const CheckSettings settings_;
  UrlQueue queue_;
  const TextOf text_of_;
  UrlResolver& resolver_;
  Fetcher& fetcher_;
  const Clock& clock_;
  const OnResult on_result_;

  PressureGate gate_;
  HostMemory memory_;
  RobotsCache robots_;
  absl::flat_hash_map<uint64_t, TaskPtr> tasks_;
  std::multimap<SteadyTime, uint64_t> later_;  // that the gate did not take yet
  absl::flat_hash_map<std::string, std::vector<uint64_t>> for_robots_;  // by origin
  uint64_t next_id_ = 1;
  size_t resolving_ = 0;
  bool draining_ = false;
};

}  // namespace orbweaver
