#include "cli/orders/order.h"

#include <algorithm>
#include <array>
#include <limits>

#include "absl/strings/ascii.h"
#include "absl/strings/str_split.h"
#include "fmt/format.h"

#include "common/base/status.h"
#include "common/base/text.h"
#include "common/bus/topics.h"
#include "common/config/value_text.h"
#include "common/model/limits.h"
#include "common/url/named_domain.h"

namespace orbweaver {
namespace {

constexpr std::array kKinds = {
    OrderKind{OrderAction::kBlock, "block", "domain for", "",
              "No request of the domain leaves the queue for this time"},
    OrderKind{OrderAction::kUnblock, "unblock", "domain", "",
              "Ends the domain's blocks and its back-off"},
    OrderKind{OrderAction::kPurge, "purge", "domain", "", "Drops the domain's requests that wait"},
    OrderKind{OrderAction::kForget, "forget", "domain", "",
              "Forgets all that is known of the domain"},
    OrderKind{OrderAction::kRaise, "raise", "url", "score",
              "Moves a URL that waits to the front of its domain's queue"},
    OrderKind{OrderAction::kReschedule, "reschedule", "url", "in score",
              "Fetches a URL again that was fetched or failed, now or after a time"},
    OrderKind{OrderAction::kAddSeeds, "add-seeds", "urls", "",
              "Gives the crawl more URLs to begin at, one a line"},
    OrderKind{OrderAction::kPause, "pause", "", "partition",
              "Stops the feed of a partition, or of all"},
    OrderKind{OrderAction::kResume, "resume", "", "partition", "Lets a paused feed go on"},
    OrderKind{OrderAction::kRequeueFailed, "requeue-failed", "", "domain",
              "Tries URLs again that failed for good"},
    OrderKind{OrderAction::kRequeueDeadLetters, "requeue-dead-letters", "", "partition offset",
              "Puts events that could not be processed back into the spider log"},
    OrderKind{OrderAction::kDrain, "drain", "worker", "",
              "Ends a worker in good order; its partitions go to the others"},
};

constexpr bool IsInOrder() {
  for (size_t i = 0; i < kKinds.size(); ++i) {
    if (kKinds[i].action != static_cast<OrderAction>(i)) return false;
  }
  return kKinds.back().action == OrderAction::kDrain;
}
static_assert(IsInOrder(), "a kind for each action");

bool Names(std::string_view names, std::string_view name) {
  for (const absl::string_view one : absl::StrSplit(ToAbsl(names), ' ')) {
    if (one == ToAbsl(name)) return true;
  }
  return false;
}

std::string TextOf(const FormParams& params, std::string_view name) {
  const auto found = params.find(name);
  return found == params.end() ? "" : found->second;
}

absl::Status CheckNames(const OrderKind& kind, const FormParams& params) {
  for (const absl::string_view name : absl::StrSplit(ToAbsl(kind.needs), ' ', absl::SkipEmpty())) {
    // A program that knows the end of a block says it as such.
    const bool is_other = name == "for" && params.contains("until_ms");
    if (!is_other && TextOf(params, ToStd(name)).empty()) {
      return PoisonError("parameter '{}' is missing", ToStd(name));
    }
  }
  for (const auto& [name, value] : params) {
    const bool is_until = name == "until_ms" && kind.action == OrderAction::kBlock;
    if (!is_until && !Names(kind.needs, name) && !Names(kind.takes, name)) {
      return PoisonError("parameter '{}': {} has none of this name", name, kind.name);
    }
  }
  return absl::OkStatus();
}

// A length of time, as *duration.
absl::Status ReadDuration(const FormParams& params, std::string_view name, Duration* duration) {
  const std::string text = TextOf(params, name);
  if (config::ParseDuration(text, duration) && *duration > Duration::zero()) {
    return absl::OkStatus();
  }
  return PoisonError("{} '{}': expected a time such as 90s, 30m or 2h", name, text);
}

absl::Status ReadUrl(const FormParams& params, WallTime now, Order* order) {
  order->url.url = TextOf(params, "url");
  order->url.fetch_again = order->action == OrderAction::kReschedule;
  if (const std::string text = TextOf(params, "score"); !text.empty()) {
    double score = 0;
    if (!config::ParseNumber(text, &score) || score < 0 || score > 1) {
      return PoisonError("score '{}': expected a number from 0 to 1", text);
    }
    order->url.score = static_cast<float>(score);
  }
  if (TextOf(params, "in").empty()) return absl::OkStatus();
  Duration duration;
  RETURN_IF_ERROR(ReadDuration(params, "in", &duration));
  order->url.not_before = TimeAfter(now, duration);
  return absl::OkStatus();
}

absl::Status ReadBlock(const FormParams& params, WallTime now, Order* order) {
  const std::string until = TextOf(params, "until_ms");
  int64_t until_ms = 0;
  if (!until.empty()) {
    if (!config::ParseNumber(until, &until_ms) || until_ms <= 0 || until_ms > kMaxTimeMs) {
      return PoisonError("until_ms '{}': expected a time in milliseconds since 1970", until);
    }
    order->change.blocked_until = WallTime(std::chrono::milliseconds(until_ms));
    return absl::OkStatus();
  }
  Duration duration;
  RETURN_IF_ERROR(ReadDuration(params, "for", &duration));
  order->change.blocked_until = TimeAfter(now, duration);
  return absl::OkStatus();
}

// *number stays nothing when the parameter is not there, or says "all".
template <typename Number>
absl::Status ReadNumber(const FormParams& params, std::string_view name,
                        std::optional<Number>* number) {
  constexpr int64_t kMost = std::numeric_limits<Number>::max() - 1;
  const std::string text = TextOf(params, name);
  if (text.empty() || text == "all") return absl::OkStatus();
  int64_t value = 0;
  if (!config::ParseNumber(text, &value) || value < 0 || value > kMost) {
    return PoisonError("{} '{}': expected a number", name, text);
  }
  *number = static_cast<Number>(value);
  return absl::OkStatus();
}

// Reads the order's change to a domain or a URL.
absl::Status ReadChange(const FormParams& params, WallTime now, Order* order) {
  switch (order->action) {
    case OrderAction::kBlock:
      return ReadBlock(params, now, order);
    case OrderAction::kUnblock:
      order->change.blocked_until = WallTime();
      return absl::OkStatus();
    case OrderAction::kPurge:
      order->change.purge = true;
      return absl::OkStatus();
    case OrderAction::kForget:
      order->change.forget = true;
      return absl::OkStatus();
    case OrderAction::kRaise:
    case OrderAction::kReschedule:
      return ReadUrl(params, now, order);
    case OrderAction::kAddSeeds:
    case OrderAction::kPause:
    case OrderAction::kResume:
    case OrderAction::kRequeueFailed:
    case OrderAction::kRequeueDeadLetters:
    case OrderAction::kDrain:
      return absl::OkStatus();
  }
  return absl::OkStatus();
}

}  // namespace

WallTime TimeAfter(WallTime now, Duration duration) {
  const auto left = WallTime(std::chrono::milliseconds(kMaxTimeMs)) - now;
  return now + std::min(std::chrono::floor<std::chrono::milliseconds>(duration), left);
}

std::span<const OrderKind> OrderKinds() { return kKinds; }

std::string_view OrderName(OrderAction action) { return kKinds[static_cast<size_t>(action)].name; }

absl::StatusOr<Order> ReadOrder(std::string_view name, const FormParams& params,
                                const UrlOptions& urls, const PublicSuffixes& suffixes,
                                WallTime now) {
  const auto* const kind = std::ranges::find(kKinds, name, &OrderKind::name);
  if (kind == kKinds.end()) return absl::NotFoundError("there is no such order");
  RETURN_IF_ERROR(CheckNames(*kind, params));
  Order order;
  order.action = kind->action;
  order.parameters = params;
  if (const std::string domain = TextOf(params, "domain"); !domain.empty()) {
    ASSIGN_OR_RETURN(order.domain, NamedDomain(domain, urls, suffixes));
  }
  RETURN_IF_ERROR(ReadChange(params, now, &order));
  if (!order.domain.empty()) order.failures.domain = order.domain;
  for (const absl::string_view line : absl::StrSplit(TextOf(params, "urls"), '\n')) {
    const absl::string_view url = absl::StripAsciiWhitespace(line);
    if (!url.empty()) order.urls.emplace_back(url);
  }
  if (order.action == OrderAction::kAddSeeds && order.urls.empty()) {
    return PoisonError("urls: there is none");
  }
  RETURN_IF_ERROR(ReadNumber(params, "partition", &order.partition));
  order.letters.topic = kDeadLetterTopic;
  if (order.partition.has_value()) order.letters.partition = PartitionId(*order.partition);
  RETURN_IF_ERROR(ReadNumber(params, "offset", &order.letters.from));
  if (order.letters.from.has_value()) order.letters.to = *order.letters.from + 1;
  order.worker = TextOf(params, "worker");
  return order;
}

}  // namespace orbweaver
