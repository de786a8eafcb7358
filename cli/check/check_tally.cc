#include "cli/check/check_tally.h"

#include <algorithm>
#include <functional>
#include <string_view>
#include <tuple>

namespace orbweaver {
namespace {

// Keeps the first `most` of `lines` by `before`.
template <typename Line, typename Before>
void KeepFirst(std::vector<Line>* lines, size_t most, const Before& before) {
  const size_t kept = std::min(most, lines->size());
  std::partial_sort(lines->begin(), lines->begin() + static_cast<ptrdiff_t>(kept), lines->end(),
                    before);
  lines->resize(kept);
}

bool LargestFirst(const CheckTally::HostLine& a, const CheckTally::HostLine& b) {
  return std::tuple(b.value, std::string_view(a.host)) <
         std::tuple(a.value, std::string_view(b.host));
}

}  // namespace

void CheckTally::Add(const CheckRecord& record) {
  ++total_;
  ++verdicts_.at(static_cast<size_t>(record.verdict));
  if (record.redirects != CheckRedirects::kNone) ++redirected_;
  if (record.redirects == CheckRedirects::kPermanent) ++permanently_;
  if (record.verdict != CheckVerdict::kAlive) {
    const bool is_status = record.status != 0 && record.cause.starts_with("http_");
    ++failures_[is_status ? std::to_string(record.status) : std::string(record.cause)];
  }
  if (record.certificate_days && *record.certificate_days < certificate_days_ &&
      ending_.size() < most_hosts_) {
    const auto [known, is_new] =
        ending_.try_emplace(std::string(record.certificate_host), *record.certificate_days);
    known->second = std::min(known->second, *record.certificate_days);
  }
  if (record.host.empty() || record.verdict == CheckVerdict::kSkipped) return;
  auto host = hosts_.find(std::string(record.host));
  if (host == hosts_.end()) {
    if (hosts_.size() >= most_hosts_) return;
    host = hosts_.emplace(record.host, Host()).first;
  }
  if (record.status == 0) {
    ++host->second.failures;
  } else {
    ++host->second.answers;
    host->second.milliseconds += record.milliseconds;
  }
}

std::vector<std::pair<std::string, uint64_t>> CheckTally::Failures() const {
  std::vector<std::pair<std::string, uint64_t>> failures(failures_.begin(), failures_.end());
  std::ranges::sort(failures, [](const auto& a, const auto& b) {
    return std::tuple(b.second, std::string_view(a.first)) <
           std::tuple(a.second, std::string_view(b.first));
  });
  return failures;
}

std::vector<CheckTally::HostLine> CheckTally::Slowest(size_t most) const {
  std::vector<HostLine> lines;
  for (const auto& [name, host] : hosts_) {
    if (host.answers > 0)
      lines.push_back({.host = name, .value = host.milliseconds / host.answers});
  }
  KeepFirst(&lines, most, LargestFirst);
  return lines;
}

std::vector<CheckTally::HostLine> CheckTally::Dead(size_t most) const {
  std::vector<HostLine> lines;
  for (const auto& [name, host] : hosts_) {
    if (host.answers == 0) lines.push_back({.host = name, .value = host.failures});
  }
  KeepFirst(&lines, most, LargestFirst);
  return lines;
}

size_t CheckTally::dead_hosts() const {
  return static_cast<size_t>(
      std::ranges::count_if(hosts_, [](const auto& host) { return host.second.answers == 0; }));
}

std::vector<std::pair<std::string, int64_t>> CheckTally::EndingSoon(size_t most) const {
  std::vector<std::pair<std::string, int64_t>> lines(ending_.begin(), ending_.end());
  KeepFirst(&lines, most, [](const auto& a, const auto& b) {
    return std::tuple(a.second, std::string_view(a.first)) <
           std::tuple(b.second, std::string_view(b.first));
  });
  return lines;
}

}  // namespace orbweaver
