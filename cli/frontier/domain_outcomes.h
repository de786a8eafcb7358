// The last fetches of a registered domain, from the tail of its partition's spider log.
//
// Place: the console. On the interface Bus; commits nothing.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

#include "common/base/clock.h"
#include "common/base/ids.h"
#include "common/bus/bus.h"
#include "common/model/spider_log.h"

namespace orbweaver {

// Of one request: a page, or a failure.
struct Outcome {
  std::string url;
  WallTime time;
  uint32_t status = 0;                // 0: there was no answer
  std::optional<FailureCause> cause;  // nothing: a page
  std::chrono::milliseconds latency{};
  uint64_t bytes = 0;  // as they came over the wire; 0 of a failure
};

// Nothing of what is no outcome.
std::optional<Outcome> OutcomeOf(const SpiderLogEntry& entry);

struct DomainOutcomes {
  std::vector<Outcome> outcomes;  // the newest first
  WallTime read_back_to;          // older ones were not looked for; 1970: all that the log holds
};

struct OutcomeBounds {
  size_t outcomes = 50;
  // Of the partition's log, other domains' included; the first portion may have more bytes.
  int64_t messages = 20'000;
  uint64_t bytes = uint64_t{64} << 20;
};

// Reads back in portions until one of `bounds` is met. Messages that cannot be decoded are passed
// over. Errors as LogReader's.
absl::StatusOr<DomainOutcomes> ReadDomainOutcomes(Bus& bus, std::string_view domain,
                                                  PartitionId partition,
                                                  const OutcomeBounds& bounds, Duration timeout);

// The time from one fetch of the domain to the next, as it went lately, up to `now`. Nothing of a
// domain with too few outcomes, or none in the last ten minutes: such a pace says nothing.
std::optional<Duration> PaceOf(const DomainOutcomes& last, WallTime now);

}  // namespace orbweaver
