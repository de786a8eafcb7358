// An order to a crawl, as a form names it: the console's API and the commands read it by this.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/frontier/kept_failures.h"
#include "cli/frontier/log_reader.h"

#include "common/base/clock.h"
#include "common/model/spider_log.h"
#include "common/runtime/form.h"
#include "common/url/domain.h"
#include "common/url/options.h"

namespace orbweaver {

// A switch over these has no default: one that is not dealt with somewhere does not compile.
enum class OrderAction : uint8_t {
  kBlock,
  kUnblock,
  kPurge,
  kForget,
  kRaise,
  kReschedule,
  kAddSeeds,
  kPause,
  kResume,
  kRequeueFailed,
  kRequeueDeadLetters,
  kDrain,
};

// All that there is to know of an order before it is given.
struct OrderKind {
  OrderAction action;
  std::string_view name;
  std::string_view needs;  // parameters, separated by blanks
  std::string_view takes;  // further ones, that may be left out
  std::string_view says;   // its effect
};
// One for each action, in their order.
std::span<const OrderKind> OrderKinds();
// "block", "add-seeds".
std::string_view OrderName(OrderAction action);

// An order about one URL.
struct WantedUrl {
  std::string url;  // as it was given
  float score = 1;
  bool fetch_again = false;
  WallTime not_before;
};

// Views of `change` are empty.
struct Order {
  OrderAction action = OrderAction::kBlock;
  FormParams parameters;          // as they were given
  std::string domain;             // block, unblock, purge, forget; registered
  DomainOrder change;             // the same
  WantedUrl url;                  // raise, reschedule
  std::vector<std::string> urls;  // add-seeds
  std::optional<int> partition;   // pause, resume; nothing: all
  LogRange letters;               // requeue-dead-letters
  WantedFailures failures;        // requeue-failed
  std::string worker;             // drain
};

// `duration` after `now`, or the latest time that messages can say where that is sooner.
WallTime TimeAfter(WallTime now, Duration duration);

// NotFound: there is no such order. Poison: a parameter is missing, unknown or wrong. `now` is when
// a block begins, or from when a time is counted.
absl::StatusOr<Order> ReadOrder(std::string_view name, const FormParams& params,
                                const UrlOptions& urls, const PublicSuffixes& suffixes,
                                WallTime now);

}  // namespace orbweaver
