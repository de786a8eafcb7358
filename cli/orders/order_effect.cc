#include "cli/orders/order_effect.h"

#include <numeric>
#include <set>

#include "cli/amounts.h"
#include "cli/frontier/dead_letter_requeue.h"
#include "cli/frontier/frontier.h"
#include "cli/frontier/message_view.h"
#include "cli/frontier/url_facts.h"
#include "cli/orders/url_plan.h"
#include "cli/seed_scope.h"
#include "cli/seed_writer.h"
#include "fmt/format.h"

#include "common/base/status.h"
#include "common/bus/topics.h"
#include "common/url/resolver.h"

namespace orbweaver {
namespace {

constexpr uint64_t kMostHeads = 100'000;
constexpr uint64_t kMostFailures = 1'000'000;

template <typename Bands>
uint64_t Sum(const Bands& bands) {
  return std::accumulate(bands.begin(), bands.end(), uint64_t{0});
}

absl::StatusOr<int> PartitionsOf(Bus& bus) {
  ASSIGN_OR_RETURN(const int partitions, bus.PartitionCount(kSpiderLogTopic, kLookTimeout));
  if (partitions > 0) return partitions;
  return FatalError("there is no topic '{}'. Run `orbweaver init`", kSpiderLogTopic);
}

std::string DomainSays(const Order& order, uint64_t requests, uint64_t known, uint64_t failed,
                       WallTime blocked_until) {
  const std::string of = fmt::format("{} of {}", Count(requests, "request"), order.domain);
  if (order.change.forget) {
    return fmt::format("forgets {}: {} that wait, {} and {} by name", order.domain,
                       Count(requests, "request"), Count(known, "known URL"),
                       Count(failed, "failed one"));
  }
  if (order.change.purge) return fmt::format("drops {} that wait", of);
  if (const WallTime until = order.change.blocked_until.value_or(WallTime()); until != WallTime()) {
    return fmt::format("holds back {} until {}", of, TimeText(until));
  }
  return fmt::format(
      "{}; {} may leave",
      blocked_until == WallTime()
          ? fmt::format("ends a back-off of {}, which is not blocked", order.domain)
          : fmt::format("ends the block of {} until {}", order.domain, TimeText(blocked_until)),
      of);
}

absl::StatusOr<OrderEffect> OfDomain(const OrderPlace& place, const Order& order,
                                     const ProductOptions& options) {
  ASSIGN_OR_RETURN(const int partitions, PartitionsOf(place.bus));
  ASSIGN_OR_RETURN(const DomainFacts facts, ReadDomainFacts(place.store, order.domain, partitions,
                                                            options.spider.politeness));
  const DomainReport queue = facts.queue.value_or(DomainReport());
  const uint64_t waiting = Sum(queue.waiting);
  OrderEffect effect{.touches = {{"waiting", waiting}, {"delayed", queue.delayed}}, .says = {}};
  uint64_t known = 0;
  uint64_t failed = 0;
  if (order.change.forget) {
    known = facts.record.has_value() ? facts.record->known_urls : 0;
    ASSIGN_OR_RETURN(
        const FailureCounts counts,
        CountFailures(place.store, {.domain = order.domain, .causes = {}, .status = {}},
                      kMostFailures));
    failed = counts.urls;
    effect.touches.emplace_back("known_urls", known);
    effect.touches.emplace_back("failed", failed);
  }
  effect.says = DomainSays(order, waiting + queue.delayed, known, failed, queue.blocked_until);
  return effect;
}

absl::StatusOr<OrderEffect> OfSeeds(const Order& order, const ProductOptions& options,
                                    const PublicSuffixes& suffixes, bool has_scope) {
  UrlResolver resolver(options.spider.url, suffixes);
  ASSIGN_OR_RETURN(const auto scope, SeedScope::Make(options.spider.scope, resolver, suffixes));
  std::set<std::string> domains;
  for (const std::string& seed : order.urls) {
    ResolvedUrl url;
    if (const UrlError error = ResolveSeed(seed, resolver, &url); error != UrlError::kNone) {
      return PoisonError("seed '{}': {}", seed, UrlErrorName(error));
    }
    const std::string why = has_scope ? scope.WhyLeftOut(seed) : "";
    if (!why.empty()) return PoisonError("seed '{}': left out, {}", seed, why);
    domains.emplace(url.domain);
  }
  return OrderEffect{.touches = {{"seeds", order.urls.size()}, {"domains", domains.size()}},
                     .says = fmt::format("adds {} of {}", Count(order.urls.size(), "seed"),
                                         Count(domains.size(), "domain"))};
}

absl::StatusOr<OrderEffect> OfPartitions(const OrderPlace& place, const Order& order,
                                         WallTime now) {
  ASSIGN_OR_RETURN(const int partitions, PartitionsOf(place.bus));
  if (order.partition.value_or(0) >= partitions) {
    return PoisonError("partition {}: expected a number from 0 to {}", *order.partition,
                       partitions - 1);
  }
  QueueSample sample;
  if (place.queue) {
    sample = place.queue();
  } else {
    ASSIGN_OR_RETURN(sample, SampleQueue(place.store, partitions, kMostHeads, now, kLookTimeout));
  }
  uint64_t count = 0;
  uint64_t waiting = 0;
  uint64_t delayed = 0;
  for (size_t i = 0; i < sample.partitions.size(); ++i) {
    if (order.partition.value_or(static_cast<int>(i)) != static_cast<int>(i)) continue;
    ++count;
    waiting += Sum(sample.partitions[i].waiting);
    delayed += sample.partitions[i].delayed;
  }
  return OrderEffect{.touches = {{"partitions", count}, {"waiting", waiting}, {"delayed", delayed}},
                     .says = fmt::format(
                         "{} {}, in which {} wait",
                         order.action == OrderAction::kPause ? "stops the feed of" : "lets go on",
                         order.partition.has_value() ? fmt::format("partition {}", *order.partition)
                                                     : Count(count, "partition"),
                         Count(waiting + delayed, "request"))};
}

absl::StatusOr<OrderEffect> OfFailed(const OrderPlace& place, const Order& order) {
  ASSIGN_OR_RETURN(const FailureCounts counts,
                   CountFailures(place.store, order.failures, kMostFailures));
  return OrderEffect{
      .touches = {{"failed", counts.urls}, {"domains", counts.domains}},
      .says = fmt::format("tries {}{} of {} again", counts.is_exact ? "" : "more than ",
                          Count(counts.urls, "failed URL"), Count(counts.domains, "domain"))};
}

absl::StatusOr<OrderEffect> OfLetters(const OrderPlace& place, const Order& order) {
  ASSIGN_OR_RETURN(
      const RequeueCounts counts,
      CountDeadLetters(
          place.bus, order.letters, [](const Message&) { return true; }, kLookTimeout));
  return OrderEffect{.touches = {{"letters", counts.put_back},
                                 {"put_back_before", counts.before},
                                 {"others", counts.others + counts.unreadable}},
                     .says = fmt::format("puts {} back into the spider log",
                                         Count(counts.put_back, "dead letter"))};
}

absl::StatusOr<OrderEffect> OfUrl(const OrderPlace& place, const Order& order,
                                  const ProductOptions& options, const PublicSuffixes& suffixes,
                                  bool has_scope, WallTime now) {
  ASSIGN_OR_RETURN(const UrlPlan plan, PlanUrlOrder(place.bus, place.store, order.url, options,
                                                    suffixes, has_scope, now));
  return OrderEffect{.touches = {{"urls", 1}, {"requests_before_it", plan.before}},
                     .says = plan.says};
}

}  // namespace

absl::StatusOr<OrderEffect> PreviewOrder(const OrderPlace& place, const Order& order,
                                         const ProductOptions& options,
                                         const PublicSuffixes& suffixes, bool has_scope,
                                         WallTime now) {
  switch (order.action) {
    case OrderAction::kBlock:
    case OrderAction::kUnblock:
    case OrderAction::kPurge:
    case OrderAction::kForget:
      return OfDomain(place, order, options);
    case OrderAction::kRaise:
    case OrderAction::kReschedule:
      return OfUrl(place, order, options, suffixes, has_scope, now);
    case OrderAction::kAddSeeds:
      return OfSeeds(order, options, suffixes, has_scope);
    case OrderAction::kPause:
    case OrderAction::kResume:
      return OfPartitions(place, order, now);
    case OrderAction::kRequeueFailed:
      return OfFailed(place, order);
    case OrderAction::kRequeueDeadLetters:
      return OfLetters(place, order);
    case OrderAction::kDrain:
      return OrderEffect{.touches = {{"workers", 1}},
                         .says = fmt::format("ends worker {} in good order", order.worker)};
  }
  return FatalError("order {}: nothing is known of it", static_cast<int>(order.action));
}

}  // namespace orbweaver
