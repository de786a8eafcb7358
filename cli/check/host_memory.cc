#include "cli/check/host_memory.h"

namespace orbweaver {

HostMemory::Host& HostMemory::Find(std::string_view host) {
  if (hosts_.size() >= most_hosts_) hosts_.clear();
  return hosts_[std::string(host)];
}

void HostMemory::OnFailure(std::string_view host, FailureCause cause, SteadyTime now) {
  using Cause = FailureCause;
  if (cause != Cause::kRefused && cause != Cause::kUnreachable && cause != Cause::kTimeoutConnect) {
    return;
  }
  Host& known = Find(host);
  if (known.failures++ == 0) known.first = now;
  known.cause = cause;
  known.given_up = known.failures >= kGivenUpAfter && now - known.first >= kGivenUpAfterTime;
}

void HostMemory::OnAnswer(std::string_view host) {
  const auto found = hosts_.find(std::string(host));
  if (found == hosts_.end()) return;
  found->second.failures = 0;
  found->second.given_up = false;
  if (!found->second.refuses_head) hosts_.erase(found);
}

void HostMemory::OnHeadRefused(std::string_view host) { Find(host).refuses_head = true; }

std::optional<FailureCause> HostMemory::GivenUp(std::string_view host) const {
  if (hosts_.empty()) return std::nullopt;
  const auto found = hosts_.find(std::string(host));
  if (found == hosts_.end() || !found->second.given_up) return std::nullopt;
  return found->second.cause;
}

bool HostMemory::RefusesHead(std::string_view host) const {
  if (hosts_.empty()) return false;
  const auto found = hosts_.find(std::string(host));
  return found != hosts_.end() && found->second.refuses_head;
}

}  // namespace orbweaver
