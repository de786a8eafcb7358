#include "lab/report/outcome_estimate.h"

#include <algorithm>

namespace orbweaver::lab {
namespace {

// Deeper pages are alike, and few at each depth.
constexpr uint32_t kDeepest = 20;

uint64_t StratumKey(uint32_t domain, uint32_t depth) {
  return (uint64_t{domain} << 32) | std::min(depth, kDeepest);
}

// The number of equally heavy URLs that say as much.
double EffectiveSize(const OutcomeEstimate::Sums& sums) {
  return sums.squares > 0 ? sums.weight * sums.weight / sums.squares : 0;
}

}  // namespace

void OutcomeEstimate::AddTo(Sums& sums, double weight, const Outcome& outcome) {
  sums.weight += weight;
  sums.squares += weight * weight;
  for (size_t i = 0; i < kOutcomeParts; ++i) sums.weighted[i] += weight * outcome[i];
}

void OutcomeEstimate::Add(uint32_t domain, uint32_t depth, double weight, const Outcome& outcome) {
  AddTo(all_, weight, outcome);
  AddTo(domains_[domain], weight, outcome);
  AddTo(strata_[StratumKey(domain, depth)], weight, outcome);
}

Estimate OutcomeEstimate::Of(uint32_t domain, uint32_t depth) const {
  Estimate estimate{.from_all = 1};
  // From the widest to the narrowest: each takes as much of the result as its size deserves.
  const auto narrow = [&](const Sums& sums) {
    const double size = EffectiveSize(sums);
    const double share = size / (size + kPrior);
    for (size_t i = 0; i < kOutcomeParts; ++i) {
      const double mean = sums.weight > 0 ? sums.weighted[i] / sums.weight : 0;
      estimate.own[i] = share * mean + (1 - share) * estimate.own[i];
    }
    estimate.from_all *= 1 - share;
  };
  if (const auto found = domains_.find(domain); found != domains_.end()) narrow(found->second);
  if (const auto found = strata_.find(StratumKey(domain, depth)); found != strata_.end()) {
    narrow(found->second);
  }
  return estimate;
}

Outcome OutcomeEstimate::ValueOf(uint32_t domain, uint32_t depth) const {
  Estimate estimate = Of(domain, depth);
  const Outcome mean = MeanOfAll();
  for (size_t i = 0; i < kOutcomeParts; ++i) estimate.own[i] += estimate.from_all * mean[i];
  return estimate.own;
}

Outcome OutcomeEstimate::MeanOfAll() const {
  Outcome mean{};
  if (all_.weight > 0) {
    for (size_t i = 0; i < kOutcomeParts; ++i) mean[i] = all_.weighted[i] / all_.weight;
  }
  return mean;
}

const OutcomeEstimate::Sums* OutcomeEstimate::OfDomain(uint32_t domain) const {
  const auto found = domains_.find(domain);
  return found == domains_.end() ? nullptr : &found->second;
}

}  // namespace orbweaver::lab
