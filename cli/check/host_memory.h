// A check's memory of hosts: it sends no request that is known to fail.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"

#include "common/base/clock.h"
#include "common/model/spider_log.h"

namespace orbweaver {

// Place: in CheckEngine. Of hosts that behave as most do nothing is kept; when there are more of
// the others than `most_hosts`, all are forgotten, which costs a few requests. Not thread-safe.
class HostMemory {
 public:
  // After so many failures to connect in a row, and so long after the first of them, a host is
  // given up: one that is started anew is back by then.
  static constexpr uint32_t kGivenUpAfter = 3;
  static constexpr Duration kGivenUpAfterTime = std::chrono::seconds(30);

  explicit HostMemory(size_t most_hosts) : most_hosts_(most_hosts) {}

  // The outcome of one request. Causes other than of connecting say nothing.
  void OnFailure(std::string_view host, FailureCause cause, SteadyTime now);
  void OnAnswer(std::string_view host);
  void OnHeadRefused(std::string_view host);

  // Set: the host is given up, for this cause.
  std::optional<FailureCause> GivenUp(std::string_view host) const;
  // It has refused HEAD: GET is to be sent at once.
  bool RefusesHead(std::string_view host) const;

  size_t hosts() const { return hosts_.size(); }

 private:
  struct Host {
    uint32_t failures = 0;
    SteadyTime first{};
    bool given_up = false;
    FailureCause cause = FailureCause::kUnspecified;
    bool refuses_head = false;
  };
  Host& Find(std::string_view host);

  const size_t most_hosts_;
  absl::flat_hash_map<std::string, Host> hosts_;
};

}  // namespace orbweaver
