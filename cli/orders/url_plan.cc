#include "cli/orders/url_plan.h"

#include <utility>
#include <vector>

#include "cli/amounts.h"
#include "cli/frontier/frontier.h"
#include "cli/frontier/message_view.h"
#include "cli/seed_scope.h"
#include "cli/seed_writer.h"
#include "fmt/format.h"

#include "common/base/status.h"
#include "common/bus/topics.h"
#include "common/model/score_band.h"
#include "common/url/resolver.h"
#include "spider/fetch/failure_cause.h"

namespace orbweaver {
namespace {

// "was fetched at 2026-…".
std::string LastSeen(const UrlFacts& facts) {
  const LinkState& link = *facts.link;
  switch (link.status) {
    case LinkStatus::kNotCrawled:
      return "is known and was never scheduled";
    case LinkStatus::kQueued:
      return "is queued";
    case LinkStatus::kCrawled:
      return fmt::format("was fetched at {}", TimeText(link.fetched_at));
    case LinkStatus::kError:
    case LinkStatus::kGone:
      break;
  }
  const bool is_gone = link.status == LinkStatus::kGone;
  const std::string why = facts.failure.has_value()
                              ? fmt::format(": {}", FailureCauseName(facts.failure->cause))
                              : std::string();
  return fmt::format("{}{}", is_gone ? "is gone" : "failed", why);
}

absl::Status CheckScope(const std::string& url, const ProductOptions& options,
                        const PublicSuffixes& suffixes) {
  UrlResolver resolver(options.spider.url, suffixes);
  ASSIGN_OR_RETURN(const auto scope, SeedScope::Make(options.spider.scope, resolver, suffixes));
  const std::string why = scope.WhyLeftOut(url);
  return why.empty() ? absl::OkStatus() : PoisonError("'{}' is left out: {}", url, why);
}

// It is in the queue.
absl::Status PlanRaise(const QueuedRequest& queued, UrlPlan* plan) {
  if (plan->wanted.not_before != WallTime()) {
    return PoisonError(
        "'{}' waits in the queue already, where no request is put off. `orbweaver raise` moves it "
        "to the front",
        plan->url);
  }
  const int band = BandOf(plan->wanted.score);
  plan->meta = queued.meta;
  plan->referrer = queued.referrer;
  plan->before = queued.before;
  if (queued.band.has_value() && *queued.band <= band) {
    plan->says = fmt::format("leaves {} where it is, in band {} of 0 to {}", plan->url,
                             *queued.band, kBands - 1);
    plan->done = fmt::format("{} waits in as good a place already", plan->url);
    return absl::OkStatus();
  }
  const std::string from = queued.band.has_value()
                               ? fmt::format("band {}", *queued.band)
                               : fmt::format("its wait until {}", TimeText(queued.not_before));
  plan->says =
      fmt::format("raises {} from {} to band {} of 0 to {}", plan->url, from, band, kBands - 1);
  plan->done = fmt::format("{} goes to band {}", plan->url, band);
  return absl::OkStatus();
}

void PlanAgain(const UrlFacts& facts, UrlPlan* plan) {
  if (facts.failure.has_value()) {
    plan->meta = facts.failure->meta;
    plan->referrer = facts.failure->referrer;
  } else if (facts.page.has_value()) {
    plan->meta = facts.page->meta;
    plan->referrer = facts.page->referrer;
  }
  const WallTime at = plan->wanted.not_before;
  const std::string when =
      at == WallTime() ? "in its domain's turn" : fmt::format("from {} on", TimeText(at));
  plan->says = fmt::format("fetches {} again {}; it {}", plan->url, when, LastSeen(facts));
  plan->done = fmt::format("{} is fetched again {}", plan->url, when);
}

absl::Status PlanByState(const UrlFacts& facts, UrlPlan* plan) {
  const std::string& url = plan->url;
  if (!facts.link.has_value()) {
    return PoisonError("'{}' was never heard of. `orbweaver seeds add` gives it to the crawl", url);
  }
  if (facts.link->status != LinkStatus::kQueued) {
    if (plan->wanted.fetch_again) {
      PlanAgain(facts, plan);
      return absl::OkStatus();
    }
    return PoisonError("'{}' does not wait: it {}. `orbweaver reschedule` fetches it again", url,
                       LastSeen(facts));
  }
  if (facts.queued.has_value()) return PlanRaise(*facts.queued, plan);
  return PoisonError(
      "'{}' is scheduled and not in the queue: it is on its way there or handed out to a spider. "
      "`orbweaver explain` tells which",
      url);
}

}  // namespace

absl::StatusOr<UrlPlan> PlanUrlOrder(Bus& bus, Store& store, const WantedUrl& wanted,
                                     const ProductOptions& options, const PublicSuffixes& suffixes,
                                     bool has_scope, WallTime now) {
  UrlResolver resolver(options.spider.url, suffixes);
  ResolvedUrl url;
  if (const UrlError error = ResolveSeed(wanted.url, resolver, &url); error != UrlError::kNone) {
    return PoisonError("'{}' is no URL that is ever fetched: {}", wanted.url, UrlErrorName(error));
  }
  ASSIGN_OR_RETURN(const int partitions, bus.PartitionCount(kSpiderLogTopic, kLookTimeout));
  if (partitions <= 0) {
    return FatalError("there is no topic '{}'. Run `orbweaver init`", kSpiderLogTopic);
  }
  UrlPlan plan;
  plan.domain = url.domain;
  plan.url = url.url;
  plan.wanted = wanted;
  if (has_scope) RETURN_IF_ERROR(CheckScope(plan.url, options, suffixes));
  ASSIGN_OR_RETURN(const UrlFacts facts,
                   ReadUrlFacts(store, url, partitions, options.spider.politeness));
  RETURN_IF_ERROR(PlanByState(facts, &plan));
  const bool is_blocked = facts.domain.queue.has_value() && facts.domain.queue->blocked_until > now;
  if (is_blocked) {
    plan.says += fmt::format("; {} is not asked until {}", plan.domain,
                             TimeText(facts.domain.queue->blocked_until));
  }
  return plan;
}

absl::StatusOr<WrittenOrder> WritePlan(Bus& bus, const Clock& clock, const UrlPlan& plan,
                                       Duration timeout) {
  std::vector<Meta> meta;
  for (const auto& [key, value] : plan.meta) meta.push_back({.key = key, .value = value});
  return WriteOrder(bus, clock, plan.domain,
                    UrlOrder{.url = plan.url,
                             .score = plan.wanted.score,
                             .fetch_again = plan.wanted.fetch_again,
                             .not_before = plan.wanted.not_before,
                             .meta = meta,
                             .referrer = plan.referrer},
                    timeout);
}

}  // namespace orbweaver
