// The counts of a check: verdicts, causes, redirects, hosts, certificates.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "cli/check/check_record.h"

namespace orbweaver {

// Place: in `orbweaver check`, fed with the records of earlier runs and of this one. Of hosts, and
// of certificates that end soon, the first `most_hosts` are counted each by itself: those of the
// largest domains, which come first. Not thread-safe.
class CheckTally {
 public:
  // Certificates that end in fewer days are listed.
  CheckTally(int64_t certificate_days, size_t most_hosts)
      : certificate_days_(certificate_days), most_hosts_(most_hosts) {}

  void Add(const CheckRecord& record);

  uint64_t total() const { return total_; }
  uint64_t count(CheckVerdict verdict) const { return verdicts_.at(static_cast<size_t>(verdict)); }
  // Dead and unclear ones.
  uint64_t failures() const { return count(CheckVerdict::kDead) + count(CheckVerdict::kUnclear); }
  uint64_t redirected() const { return redirected_; }
  uint64_t permanently() const { return permanently_; }
  // The URLs that were not alive, by status or by cause, most first.
  std::vector<std::pair<std::string, uint64_t>> Failures() const;

  struct HostLine {
    std::string host;
    uint64_t value = 0;
  };
  // Those that answered, by the mean time of their answers in milliseconds.
  std::vector<HostLine> Slowest(size_t most) const;
  // Those of which no answer came, by the number of their URLs.
  std::vector<HostLine> Dead(size_t most) const;
  size_t dead_hosts() const;
  // The certificates that end soon, by days, which may be negative.
  std::vector<std::pair<std::string, int64_t>> EndingSoon(size_t most) const;
  size_t ending_soon() const { return ending_.size(); }
  int64_t certificate_days() const { return certificate_days_; }
  bool all_hosts_counted() const { return hosts_.size() < most_hosts_; }

 private:
  struct Host {
    uint32_t answers = 0;
    uint32_t failures = 0;  // without an answer
    uint64_t milliseconds = 0;
  };

  const int64_t certificate_days_;
  const size_t most_hosts_;
  uint64_t total_ = 0;
  std::array<uint64_t, kCheckVerdicts> verdicts_{};
  uint64_t redirected_ = 0;
  uint64_t permanently_ = 0;
  std::map<std::string, uint64_t, std::less<>> failures_;
  absl::flat_hash_map<std::string, Host> hosts_;
  absl::flat_hash_map<std::string, int64_t> ending_;
};

}  // namespace orbweaver
