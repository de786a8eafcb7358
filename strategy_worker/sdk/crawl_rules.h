// The rules that nearly every strategy needs: which URLs are allowed, how deep and how many, and
// what to do after a failure. A member of the strategy, with parameters of its own:
//
//   class Mine final : public sdk::Strategy {
//     sdk::CrawlRules rules_{this};
//     void Filter(sdk::LinkFilter& links) override { rules_.Filter(links); }
//     void OnSeeds(sdk::Seeds& seeds) override { rules_.ScheduleSeeds(seeds, 1.0f); }
//     void OnFailure(sdk::Failure& failure) override { rules_.Retry(failure); }
//     void OnLinks(sdk::Links& links) override {
//       for (sdk::Link link : links) rules_.ScheduleNew(links, link, 0.5f);
//     }
//   };
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string_view>

#include "orbweaver/globs.h"
#include "orbweaver/retry_delay.h"
#include "orbweaver/strategy.h"

namespace orbweaver::sdk {

// Keeps nothing: caps are exact across restarts because they are held against the counts of the
// domain's record, which change together with what is scheduled.
class CrawlRules {
 public:
  // The unit of `max_pages`. Requests: everything that was ever scheduled, retries and sitemaps
  // too, so that a site never gets more requests than that. URLs: for strategies that fetch pages
  // again and again; a request of a known URL does not count.
  enum class Cap { kRequests, kUrls };

  explicit CrawlRules(ParameterOwner* owner, int64_t max_pages = 0, Cap cap = Cap::kRequests)
      : allow_domains_(
            owner, "allow_domains", "",
            "Only these registered domains: patterns such as example.com or *.org; none: all"),
        deny_domains_(owner, "deny_domains", "",
                      "Not these registered domains, whatever else allows them"),
        allow_urls_(owner, "allow_urls", "",
                    "Only URLs that match one of these patterns, such as */blog/*; none: all"),
        deny_urls_(owner, "deny_urls", "", "No URL that matches one of these patterns"),
        max_depth_(owner, "max_depth", -1, -1, 1'000'000,
                   "Links followed from a seed: 0 fetches seeds only, -1 sets no limit"),
        max_pages_(
            owner, "max_pages", max_pages, 0, 1'000'000'000'000,
            cap == Cap::kRequests
                ? "Requests for a registered domain, tries after failures and sitemaps "
                  "included; 0 sets no limit"
                : "URLs of a registered domain; fetching one again is free. 0 sets no limit"),
        retries_(owner, "retries", 3, 0, 1000,
                 "Further tries after failures that may pass; others are never tried again"),
        retry_delay_s_(owner, "retry_delay_s", 60, 0, 2'592'000,
                       "Seconds before the first of them; each further one waits twice as long"),
        retry_max_delay_s_(owner, "retry_max_delay_s", 86'400, 0, 2'592'000,
                           "Seconds that this waiting never exceeds"),
        cap_(cap) {}

  // Drops what is not allowed; with a spent budget everything, and no state is read then. With
  // `past_budget` links of such a domain pass: for strategies that still raise what is queued.
  void Filter(LinkFilter& links, bool past_budget = false) const {
    if (!AllowsDomain(links.domain().name()) || !AllowsDepth(links.link_depth()) ||
        (!past_budget && Used(links.domain()) >= Limit())) {
      return links.DropAll();
    }
    for (size_t i = 0; i < links.size(); ++i) {
      if (links[i].kind() == LinkKind::kEmbed || !AllowsUrl(links[i].url())) links.Drop(i);
    }
  }

  bool AllowsDomain(std::string_view domain) const {
    if (!deny_domains_.empty() && deny_domains_.Match(domain)) return false;
    return allow_domains_.empty() || allow_domains_.Match(domain);
  }
  bool AllowsUrl(std::string_view url) const {
    if (!deny_urls_.empty() && deny_urls_.Match(url)) return false;
    return allow_urls_.empty() || allow_urls_.Match(url);
  }
  bool AllowsDepth(uint32_t depth) const { return max_depth_ < 0 || depth <= max_depth_; }

  // The number of URLs of the event's domain that may still be scheduled, after those that this
  // event has scheduled.
  uint64_t Budget(const Event& event) const {
    const uint64_t used = Used(event.domain()) + event.scheduled();
    return used >= Limit() ? 0 : Limit() - used;
  }

  // Schedules `link` if it never was and budget is left; whether it did. For links that passed
  // Filter.
  bool ScheduleNew(const Event& event, Link link, float score) const {
    if (!link.IsNew() || Budget(event) == 0) return false;
    link.Schedule(score);
    return true;
  }

  // Each at the score that came with it, or at `score`.
  void ScheduleSeeds(Seeds& seeds, float score) const {
    for (Link seed : seeds) ScheduleNew(seeds, seed, seed.seed_score().value_or(score));
  }

  // After a transient failure, with tries and budget left: again, later, and not before the server
  // wants it. Whether it did; otherwise the URL stays as the host leaves it, ERROR or GONE.
  bool Retry(Failure& failure) const {
    if (!failure.transient() || failure.attempt() >= retries_) return false;
    if (cap_ == Cap::kRequests && Budget(failure) == 0) return false;
    failure.link().Schedule(failure.score(), failure.now_ms() + RetryDelayMs(failure));
    return true;
  }

  // With which a link of `depth` stands in the middle of one of the queue's eight bands, 0 the
  // best.
  static float BandScore(uint32_t band) {
    return 1.0f - (static_cast<float>(std::min(band, kBands - 1)) + 0.5f) / kBands;
  }
  static constexpr uint32_t kBands = 8;

 private:
  uint64_t Limit() const {
    return max_pages_ == 0 ? std::numeric_limits<uint64_t>::max()
                           : static_cast<uint64_t>(max_pages_);
  }
  uint64_t Used(const Domain& domain) const {
    return cap_ == Cap::kRequests ? domain.scheduled() : domain.known_urls();
  }

  int64_t RetryDelayMs(const Failure& failure) const {
    return sdk::RetryDelayMs(retry_delay_s_ * 1000, retry_max_delay_s_ * 1000, failure.attempt(),
                             failure.retry_after_ms().value_or(-1));
  }

  Globs allow_domains_;
  Globs deny_domains_;
  Globs allow_urls_;
  Globs deny_urls_;
  Integer max_depth_;
  Integer max_pages_;
  Integer retries_;
  Integer retry_delay_s_;
  Integer retry_max_delay_s_;
  const Cap cap_;
};

}  // namespace orbweaver::sdk
