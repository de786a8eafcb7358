// The robots.txt files of hosts: which URLs may be fetched, when to fetch the file, and what the
// outcome of that fetch means (RFC 9309, sections 2.3 and 2.4).
#pragma once

#include <list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"

#include "common/base/clock.h"
#include "common/model/spider_log.h"
#include "spider/robots/robots_options.h"
#include "spider/robots/robots_rules.h"

namespace orbweaver {

enum class RobotsVerdict : uint8_t {
  kAllowed,
  kDisallowed,
  // The file cannot be had (5xx, timeout): nothing may be fetched until the time that Ask tells.
  kUnreachable,
  // Nothing fresh is known: the caller fetches the file now, and tells OnAnswer or OnAbandoned.
  kFetch,
  // The file is being fetched: ask again when it is there.
  kPending,
};

struct RobotsAsked {
  RobotsVerdict verdict = RobotsVerdict::kFetch;
  RobotsDecision
      decision;         // of kAllowed and kDisallowed; valid until the next call that is not const
  SteadyTime retry_at;  // of kUnreachable
  // Of kUnreachable: why nothing came; nullopt: an answer came, of this status. The message is
  // valid until the next call that is not const.
  std::optional<FailureCause> failure;
  std::string_view message;
  uint32_t status = 0;
  // Of kAllowed: what the file asks for.
  std::optional<std::chrono::milliseconds> crawl_delay;
};

// The result of asking for a robots.txt, or for the target of its redirect.
struct RobotsAnswer {
  uint32_t status = 0;        // 0: no answer (refused, timeout, DNS, broken HTTP)
  std::string_view body;      // of a 2xx; may be cut behind kMaxRobotsBytes + 1 bytes
  std::string_view location;  // of a 3xx: absolute and canonical; empty when it is no URL to fetch
  std::optional<FailureCause> failure;  // why there is no answer
  std::string_view message;             // of it, for people
};

// Place: spider, a core: it does no I/O, and its owner does the fetching that it asks for. Not
// thread-safe.
//
// A host here is an origin, `https://example.com:8443` (without the scheme's own port): each has
// its own file. Redirects count for the host that was asked for, whoever answered in the end.
class RobotsCache {
 public:
  // `clock` must outlive this.
  RobotsCache(const RobotsOptions& options, const Clock& clock);

  // Whether the URL `origin` + `path_and_query`, which is canonical, may be fetched now. After
  // kFetch the host is pending until OnAnswer or OnAbandoned.
  RobotsAsked Ask(std::string_view origin, std::string_view path_and_query);

  // The URL to fetch next when the answer was a redirect to follow, else nothing: the host is then
  // known, however large its file: it is not forgotten before another host is asked about. An
  // answer for a host that is not pending is ignored: it is late.
  std::optional<std::string> OnAnswer(std::string_view origin, const RobotsAnswer& answer);

  // The fetch was given up (the spider stops, its domain was handed back): nothing was learnt.
  void OnAbandoned(std::string_view origin);

  // Writes what robots.txt says into `facts`: robots, robots_status, crawl_delay, sitemaps (where
  // one is looked for that it does not name, /sitemap.xml, unless that is forbidden). False,
  // and nothing written, when it is not known. Views are valid until the next call that is not
  // const.
  bool DescribeHost(std::string_view origin, HostFacts* facts);

  // Facts that DescribeHost gave may not have reached anybody.
  void ForgetTold() { ++tellings_; }
  // Whether those of a host that is known may not, since DescribeHost has not given them again.
  bool IsUntold(std::string_view origin);

  size_t hosts() const { return hosts_.size(); }
  size_t held_bytes() const { return held_bytes_; }

 private:
  struct Host {
    std::string origin;
    bool pending = false;
    int redirects = 0;  // followed in the fetch that is pending
    RobotsOutcome outcome = RobotsOutcome::kUnspecified;
    uint32_t status = 0;
    SteadyTime expires;
    int failures = 0;                     // in a row
    std::optional<FailureCause> failure;  // the last of them, when nothing came
    std::string message;
    RobotsRules rules;
    size_t bytes = 0;
    uint64_t told = 0;  // in which telling
  };
  using Hosts = std::list<Host>;

  // Its rules forbid nothing, and neither does it that they cannot be had.
  bool IsIgnored(std::string_view origin) const;
  Hosts::iterator* Find(std::string_view origin);
  // `host`, whose rules are set, is known from now on for `lasts`.
  void Learn(Host& host, RobotsOutcome outcome, uint32_t status, Duration lasts);
  void Account(Host& host);
  // Forgets hosts that were not asked for the longest until the bound holds; never pending ones,
  // nor the last one that was asked for or learnt of.
  void Evict();

  const RobotsOptions options_;
  const Clock& clock_;
  Hosts hosts_;  // the last one asked for first
  absl::flat_hash_map<std::string_view, Hosts::iterator> by_origin_;
  size_t held_bytes_ = 0;
  uint64_t tellings_ = 0;
  std::vector<std::string_view> sitemaps_;  // of the last DescribeHost
  std::string guessed_sitemap_;             // the same
};

}  // namespace orbweaver
