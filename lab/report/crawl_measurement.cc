#include "lab/report/crawl_measurement.h"

#include <algorithm>
#include <chrono>

#include "common/base/check.h"

namespace orbweaver::lab {
namespace {

constexpr size_t At(Metric metric) { return static_cast<size_t>(metric); }
constexpr size_t At(OutcomePart part) { return static_cast<size_t>(part); }

// Place: in MeasureCrawl. Holds the state of the crawl after the fetches that it was told of.
class Pass {
 public:
  Pass(const PageTable& pages, const PageChanges& changes, const CrawlFetches& crawl,
       size_t domains, PlantedBias bias)
      : pages_(pages),
        bias_(bias),
        mean_(pages.estimate().MeanOfAll()),
        freshness_(pages, changes),
        has_page_(crawl.urls),
        has_content_(pages.contents()),
        domain_states_(domains) {
    for (auto& parts : parts_) parts.resize(domains);
    fetches_of_.resize(domains);
  }

  void Add(const CrawlFetch& fetch) {
    ++fetches_;
    ++fetches_of_[fetch.domain];
    if (fetch.url < pages_.known()) {
      ++known_;
      AddKnown(fetch);
    } else if (bias_ == PlantedBias::kUnknownIsFailure) {
      AddFailure(fetch.domain);
    } else {
      AddUnknown(fetch);
    }
  }

  CurvePoint PointAt(int64_t at_ms) {
    CurvePoint point{.fetches = fetches_,
                     .at = std::chrono::milliseconds(at_ms),
                     .known = known_,
                     .measured = measured_};
    point.measured[At(Metric::kFresh)] = freshness_.FreshShareAt(at_ms);
    point.measured[At(Metric::kAge)] = freshness_.AgeInDaysAt(at_ms);
    return point;
  }

  uint64_t fetches() const { return fetches_; }
  uint64_t known() const { return known_; }
  const auto& parts() const { return parts_; }
  const auto& fetches_of() const { return fetches_of_; }

 private:
  struct DomainState {
    bool has_page = false;
    bool has_unknown = false;
    double none = 1;  // the probability that no unknown fetch was a page
  };

  void AddExactly(Metric metric, uint32_t domain, double amount) {
    Bounded& sum = measured_[At(metric)];
    sum.low += amount;
    sum.estimate += amount;
    sum.high += amount;
    parts_[At(metric)][domain].known += amount;
  }

  // `scale` times the mean of `of` that the estimate gives, at most `most`.
  void AddEstimate(Metric metric, OutcomePart of, const CrawlFetch& fetch, const Estimate& estimate,
                   double scale, double most) {
    Bounded& sum = measured_[At(metric)];
    sum.estimate += scale * (estimate.own[At(of)] + estimate.from_all * mean_[At(of)]);
    sum.high += most;
    DomainPart& part = parts_[At(metric)][fetch.domain];
    part.own += scale * estimate.own[At(of)];
    part.from_all += scale * estimate.from_all;
  }

  void AddFailure(uint32_t domain) { AddExactly(Metric::kErrors, domain, 1); }

  void AddKnown(const CrawlFetch& fetch) {
    if (!fetch.is_page) return AddFailure(fetch.domain);
    const VisitFacts& visit = pages_.VisitsOf(fetch.url)[fetch.visit];
    if (visit.is_page()) {
      freshness_.AddCopy(fetch.url, visit.content, fetch.at_ms);
      if (!has_content_[visit.content]) AddExactly(Metric::kUnique, fetch.domain, 1);
      has_content_[visit.content] = true;
    }
    if (has_page_[fetch.url]) return;
    has_page_[fetch.url] = true;
    AddExactly(Metric::kValue, fetch.domain, visit.value);
    AddExactly(Metric::kPageRank, fetch.domain, pages_.RankOf(fetch.node));
    AddExactly(Metric::kInLinks, fetch.domain, pages_.InLinkShareOf(fetch.node));
    DomainState& state = domain_states_[fetch.domain];
    if (!state.has_page) SetDomain(fetch.domain, [&] { state.has_page = true; });
  }

  void AddUnknown(const CrawlFetch& fetch) {
    const Estimate estimate = pages_.estimate().Of(fetch.domain, fetch.depth);
    const double is_page =
        estimate.own[At(OutcomePart::kPage)] + estimate.from_all * mean_[At(OutcomePart::kPage)];
    measured_[At(Metric::kErrors)].estimate += 1 - is_page;
    measured_[At(Metric::kErrors)].high += 1;
    DomainPart& errors = parts_[At(Metric::kErrors)][fetch.domain];
    errors.own += 1 - estimate.own[At(OutcomePart::kPage)];
    errors.from_all -= estimate.from_all;
    if (has_page_[fetch.url]) return;
    has_page_[fetch.url] = true;
    freshness_.AddUnknownCopy(fetch.at_ms);
    AddEstimate(Metric::kUnique, OutcomePart::kUnique, fetch, estimate, 1, 1);
    if (pages_.has_scores()) {
      AddEstimate(Metric::kValue, OutcomePart::kPage, fetch, estimate, fetch.score, fetch.score);
    } else {
      AddEstimate(Metric::kValue, OutcomePart::kValue, fetch, estimate, 1, pages_.largest_value());
    }
    const double rank = pages_.RankOf(fetch.node);
    AddEstimate(Metric::kPageRank, OutcomePart::kPage, fetch, estimate, rank, rank);
    const double links = pages_.InLinkShareOf(fetch.node);
    AddEstimate(Metric::kInLinks, OutcomePart::kPage, fetch, estimate, links, links);
    DomainState& state = domain_states_[fetch.domain];
    SetDomain(fetch.domain, [&] {
      state.has_unknown = true;
      state.none *= 1 - std::clamp(is_page, 0.0, 1.0);
    });
  }

  // The domain's part in kDomains, which is no sum over fetches: as it is after `change`.
  template <typename Change>
  void SetDomain(uint32_t domain, Change change) {
    const DomainState& state = domain_states_[domain];
    const auto bounds = [&] {
      return Bounded{.low = state.has_page ? 1.0 : 0.0,
                     .estimate = state.has_page ? 1 : 1 - state.none,
                     .high = state.has_page || state.has_unknown ? 1.0 : 0.0};
    };
    const Bounded before = bounds();
    change();
    const Bounded after = bounds();
    Bounded& sum = measured_[At(Metric::kDomains)];
    sum.low += after.low - before.low;
    sum.estimate += after.estimate - before.estimate;
    sum.high += after.high - before.high;
    DomainPart& part = parts_[At(Metric::kDomains)][domain];
    part.known = after.low;
    part.own = after.estimate - after.low;
  }

  const PageTable& pages_;
  const PlantedBias bias_;
  const Outcome mean_;
  Freshness freshness_;
  std::vector<bool> has_page_;  // by URL: it was counted
  std::vector<bool> has_content_;
  std::vector<DomainState> domain_states_;
  std::array<std::vector<DomainPart>, kMetrics> parts_;
  std::vector<uint64_t> fetches_of_;
  Measured measured_{};
  uint64_t fetches_ = 0;
  uint64_t known_ = 0;
};

}  // namespace

OutcomePart PartOf(Metric metric, const PageTable& pages) {
  if (metric == Metric::kUnique) return OutcomePart::kUnique;
  const bool is_estimated = metric == Metric::kValue && !pages.has_scores();
  return is_estimated ? OutcomePart::kValue : OutcomePart::kPage;
}

MeasuredCrawl MeasureCrawl(const PageTable& pages, const PageChanges& changes,
                           const CrawlFetches& crawl, const MeasurementGrid& grid, size_t domains,
                           PlantedBias bias) {
  CHECK(grid.points > 0);
  MeasuredCrawl result;
  Pass pass(pages, changes, crawl, domains, bias);
  const auto fetches_at = [&](size_t i) { return grid.most_fetches * i / grid.points; };
  const auto ms_at = [&](size_t i) {
    return grid.longest_ms * static_cast<int64_t>(i) / static_cast<int64_t>(grid.points);
  };
  const auto keep_final = [&](int64_t at_ms) {
    result.final = pass.PointAt(at_ms);
    result.parts = pass.parts();
    result.fetches_of = pass.fetches_of();
  };
  result.by_fetches.push_back(pass.PointAt(0));
  result.by_time.push_back(pass.PointAt(0));
  if (grid.compared_fetches == 0) keep_final(0);
  size_t next_by_fetches = 1;
  size_t next_by_time = 1;
  int64_t last_ms = 0;
  for (const CrawlFetch& fetch : crawl.fetches) {
    for (; next_by_time <= grid.points && ms_at(next_by_time) < fetch.at_ms; ++next_by_time) {
      result.by_time.push_back(pass.PointAt(ms_at(next_by_time)));
    }
    pass.Add(fetch);
    last_ms = fetch.at_ms;
    bool is_due = false;
    for (; next_by_fetches <= grid.points && fetches_at(next_by_fetches) <= pass.fetches();
         ++next_by_fetches) {
      is_due = true;
    }
    if (is_due) result.by_fetches.push_back(pass.PointAt(last_ms));
    if (pass.fetches() == grid.compared_fetches) keep_final(last_ms);
  }
  if (result.by_fetches.back().fetches < pass.fetches()) {
    result.by_fetches.push_back(pass.PointAt(last_ms));
  }
  const int64_t took_ms =
      std::max(last_ms, std::chrono::ceil<std::chrono::milliseconds>(crawl.took).count());
  for (; next_by_time <= grid.points && ms_at(next_by_time) < took_ms; ++next_by_time) {
    result.by_time.push_back(pass.PointAt(ms_at(next_by_time)));
  }
  result.by_time.push_back(pass.PointAt(took_ms));
  result.known = pass.known();
  return result;
}

}  // namespace orbweaver::lab
