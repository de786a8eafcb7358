// Politeness as the crawled side sees it: what a site's owner would complain about.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/node_hash_map.h"

#include "common/base/clock.h"
#include "common/base/json.h"

namespace orbweaver::synthetic {

struct JudgeOptions {
  // Least time between the end of one response and the arrival of the next request.
  Duration domain_delay{};
  Duration address_delay{};
  // No two requests of a registered domain at once.
  bool one_at_a_time = true;
  // The client must obey robots.txt's crawl-delay and Retry-After.
  bool mind_wishes = true;
};

// A request as it arrives.
struct Visit {
  std::string_view domain;  // registered
  std::string_view host;
  std::string_view address;
  std::string_view url;     // for examples
  bool robots_txt = false;  // robots.txt, or what it redirects to
  bool forbidden = false;   // by the host's robots.txt
  Duration crawl_delay{};   // that the host's robots.txt asks for
};

enum class Breach : uint8_t {
  kOverlap,         // while another request of the domain was served
  kTooSoon,         // before the domain's delay was over
  kAddressTooSoon,  // before the address's delay was over
  kCrawlDelay,      // before the host's crawl-delay was over
  kRetryAfter,      // before the time that the domain asked for
  kAgainstRobots,
  kBeforeRobots,  // a page of a host whose robots.txt was never asked for
  kCount,
};
std::string_view NameOf(Breach breach);

struct Verdict {
  struct Counted {
    uint64_t count = 0;
    std::vector<std::string> examples;  // the first few, in words
  };
  std::array<Counted, static_cast<size_t>(Breach::kCount)> breaches;
  uint64_t requests = 0;
  uint64_t domains = 0;
  // Over all domains, and over all addresses; none while each had at most one request. 0 when
  // requests overlapped.
  std::optional<Duration> least_domain_interval;
  std::optional<Duration> least_address_interval;

  const Counted& operator[](Breach breach) const { return breaches[static_cast<size_t>(breach)]; }
  bool polite() const;
};

// Place: beside the server, or a simulated one, which tells it of every request as it happens. For
// a judgement that is never unjust, the server takes the time of arrival after it has read the
// request, and the time of the end before it hands over the last byte.
//
// A few hundred bytes for each domain, host and address. Not thread-safe.
class Judge {
 public:
  using VisitId = uint64_t;

  explicit Judge(const JudgeOptions& options) : options_(options) {}

  // Times never go back.
  VisitId Arrived(const Visit& visit, SteadyTime at);

  // The response is over: sent, or the connection is gone. `retry_after` as its header said.
  void Ended(VisitId id, SteadyTime at, std::optional<std::chrono::seconds> retry_after);

  // The client died. It may not have received or passed on the requests for a pause in answers
  // after `told_since`: breaking those is no breach.
  void ClientDied(SteadyTime told_since);

  Verdict verdict() const;

  // nullopt when the domain, or address, had no two requests.
  std::optional<Duration> LeastDomainInterval(std::string_view domain) const;
  std::optional<Duration> LeastAddressInterval(std::string_view address) const;

 private:
  // The judge's record of a domain, a host or an address.
  struct Line {
    uint64_t requests = 0;
    uint32_t open = 0;
    SteadyTime last_end{};
    SteadyTime blocked_until{};
    SteadyTime blocked_at{};  // when it was told the last time
    std::optional<Duration> least_interval;
    bool asked_robots = false;
  };
  struct Open {
    Line* domain;
    Line* host;
    Line* address;
  };
  using Lines = absl::node_hash_map<std::string, Line>;

  static Line& Find(Lines* lines, std::string_view name);
  // How long the line had rested; none at its first request.
  static std::optional<Duration> Begin(Line* line, SteadyTime at);
  static std::optional<Duration> LeastOf(const Lines& lines, std::string_view name);
  static std::optional<Duration> LeastOfAll(const Lines& lines);
  void Report(Breach breach, const Visit& visit, std::optional<Duration> rested);

  const JudgeOptions options_;
  Lines domains_;
  Lines hosts_;
  Lines addresses_;
  absl::flat_hash_map<VisitId, Open> open_;
  VisitId next_id_ = 1;
  Verdict verdict_;
};

void WriteJson(const Verdict& verdict, JsonWriter* json);

}  // namespace orbweaver::synthetic
