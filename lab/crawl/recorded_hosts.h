// Hosts as a recording knows them: robots.txt as far as it had an effect, addresses.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"

#include "common/base/clock.h"
#include "common/model/spider_log.h"
#include "spider/robots/robots_rules.h"

namespace orbweaver::lab {

// The answer to a request for a robots.txt.
struct RecordedRobots {
  std::optional<FailureCause> failure;
  uint32_t status = 404;
  std::string body;
};

// The spider log has the outcome of each robots.txt, its Crawl-delay and its sitemaps, but not its
// rules. Those that forbade something are known from the failures that they led to, which name
// them; a page that was fetched where such a rule forbids it had a rule of its own that allowed it.
// Of a host that was never asked nothing is known: it has no robots.txt.
//
// Place: in RecordedWeb. A host is named as HostFacts name it, with its port. Thread-safe once
// filled.
class RecordedHosts {
 public:
  void AddFacts(const HostFacts& facts, WallTime at);
  // Of a failure for robots.txt: the URL's path and query, and the message, which names the rule.
  void AddForbidden(std::string_view host, std::string_view path_and_query,
                    std::string_view message);
  void AddAddress(std::string_view host, std::string_view address);

  // Whether a rule that is known forbids this path and query, which was fetched: allows it then.
  // After all AddForbidden.
  void Allow(std::string_view host, std::string_view path_and_query);

  // As of `at`: the answer that was recorded last before it, or else the first one.
  RecordedRobots RobotsOf(std::string_view host, WallTime at) const;
  // The IP address that answered; empty: not known.
  std::string_view AddressOf(std::string_view host) const;

 private:
  struct Facts {
    WallTime at;
    RobotsOutcome robots = RobotsOutcome::kUnspecified;
    DnsOutcome dns = DnsOutcome::kUnspecified;
    uint32_t status = 0;
    std::optional<std::chrono::milliseconds> crawl_delay;
    std::vector<std::string> sitemaps;
  };
  struct Host {
    std::vector<Facts> facts;
    std::set<std::string> forbidden;   // paths of rules
    std::vector<std::string> allowed;  // whole paths
    std::optional<RobotsRules> rules;  // that forbid
    std::string address;
  };

  absl::flat_hash_map<std::string, Host> hosts_;
};

}  // namespace orbweaver::lab
