#include "cli/orders/order.h"

#include <algorithm>
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

constexpr OrderKind kKinds[] = {
    {"block", "domain for", "", "No request of the domain leaves the queue for this time"},
    {"unblock", "domain", "", "Ends the domain's blocks and its back-off"},
    {"purge", "domain", "", "Drops the domain's requests that wait"},
    {"forget", "domain", "", "Forgets all that is known of the domain"},
    {"add-seeds", "urls", "", "Gives the crawl more URLs to begin at, one a line"},
    {"pause", "", "partition", "Stops the feed of a partition, or of all"},
    {"resume", "", "partition", "Lets a paused feed go on"},
    {"requeue-failed", "", "domain", "Tries URLs again that failed for good"},
    {"requeue-dead-letters", "", "partition offset",
     "Puts events that could not be processed back into the spider log"},
    {"drain", "worker", "", "Ends a worker in good order; its partitions go to the others"},
};

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
    const bool is_until = name == "until_ms" && kind.name == "block";
    if (!is_until && !Names(kind.needs, name) && !Names(kind.takes, name)) {
      return PoisonError("parameter '{}': {} has none of this name", name, kind.name);
    }
  }
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
  const std::string text = TextOf(params, "for");
  Duration duration;
  if (!config::ParseDuration(text, &duration) || duration <= Duration::zero()) {
    return PoisonError("for '{}': expected a time such as 90s, 30m or 2h", text);
  }
  const auto left = WallTime(std::chrono::milliseconds(kMaxTimeMs)) - now;
  order->change.blocked_until =
      now + std::min(std::chrono::floor<std::chrono::milliseconds>(duration), left);
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

}  // namespace

std::span<const OrderKind> OrderKinds() { return kKinds; }

absl::StatusOr<Order> ReadOrder(std::string_view name, const FormParams& params,
                                const UrlOptions& urls, const PublicSuffixes& suffixes,
                                WallTime now) {
  const auto* const kind = std::ranges::find(kKinds, name, &OrderKind::name);
  if (kind == std::end(kKinds)) return absl::NotFoundError("there is no such order");
  RETURN_IF_ERROR(CheckNames(*kind, params));
  Order order;
  order.name = name;
  order.parameters = params;
  if (const std::string domain = TextOf(params, "domain"); !domain.empty()) {
    ASSIGN_OR_RETURN(order.domain, NamedDomain(domain, urls, suffixes));
  }
  if (name == "block") RETURN_IF_ERROR(ReadBlock(params, now, &order));
  if (name == "unblock") order.change.blocked_until = WallTime();
  order.change.purge = name == "purge";
  order.change.forget = name == "forget";
  if (!order.domain.empty()) order.failures.domain = order.domain;
  for (const absl::string_view line : absl::StrSplit(TextOf(params, "urls"), '\n')) {
    const absl::string_view url = absl::StripAsciiWhitespace(line);
    if (!url.empty()) order.urls.emplace_back(url);
  }
  if (name == "add-seeds" && order.urls.empty()) return PoisonError("urls: there is none");
  RETURN_IF_ERROR(ReadNumber(params, "partition", &order.partition));
  order.letters.topic = kDeadLetterTopic;
  if (order.partition.has_value()) order.letters.partition = PartitionId(*order.partition);
  RETURN_IF_ERROR(ReadNumber(params, "offset", &order.letters.from));
  if (order.letters.from.has_value()) order.letters.to = *order.letters.from + 1;
  order.worker = TextOf(params, "worker");
  return order;
}

}  // namespace orbweaver
