#include "cli/crawl/newly_allowed.h"

#include "cli/requeue_writer.h"

namespace orbweaver {
namespace {

constexpr Duration kTimeout = std::chrono::minutes(1);

}  // namespace

std::vector<FailureCause> CausesOf(const std::vector<OptionChange>& changes) {
  bool ports = false, addresses = false, proxy = false;
  for (const OptionChange& change : changes) {
    ports |= change.name == "network.ports" || change.name == "network.allow_hosts";
    addresses |= change.name.starts_with("network.allow_") ||
                 change.name.starts_with("network.hosts") || change.name == "network.proxy";
    proxy |= change.name == "network.proxy";
  }
  std::vector<FailureCause> causes;
  if (ports) causes.push_back(FailureCause::kPort);
  if (addresses) causes.push_back(FailureCause::kPrivateAddress);
  if (proxy) causes.push_back(FailureCause::kProxy);
  return causes;
}

absl::StatusOr<uint64_t> RequeueNewlyAllowed(const std::vector<OptionChange>& changes,
                                             LocalCrawl& crawl) {
  const WantedFailures wanted{.domain = {}, .causes = CausesOf(changes), .status = {}};
  if (wanted.causes.empty()) return 0;
  return RequeueFailures(crawl.store(), crawl.bus(), SystemClock(), wanted, kTimeout);
}

}  // namespace orbweaver
