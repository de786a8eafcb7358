#include "cli/frontier/domain_outcomes.h"

#include <algorithm>
#include <deque>
#include <iterator>
#include <utility>
#include <variant>

#include "cli/frontier/log_reader.h"

#include "common/base/status.h"
#include "common/bus/topics.h"
#include "common/model/arena.h"

namespace orbweaver {
namespace {

constexpr int64_t kFirstPortion = 250;
constexpr size_t kFewestOfAPace = 3;
constexpr Duration kOldestOfAPace = std::chrono::minutes(10);

std::optional<Outcome> OutcomeOf(const Message& message, Arena* arena) {
  // Most of a log.
  if (IsLinksFound(message.value)) return std::nullopt;
  arena->Reset();
  SpiderLogEntry entry;
  if (!Decode(message.value, arena, &entry).ok()) return std::nullopt;
  return OutcomeOf(entry);
}
struct Portion {
  std::deque<Outcome> outcomes;  // the last of it, the oldest first
  uint64_t bytes = 0;
  std::optional<WallTime> oldest;
};

absl::StatusOr<Portion> ReadPortion(Bus& bus, std::string_view domain, PartitionId partition,
                                    LogBounds within, size_t most, Duration timeout) {
  Portion portion;
  Arena arena;
  LogReader reader({.topic = std::string(kSpiderLogTopic),
                    .partition = partition,
                    .from = within.start.value(),
                    .to = within.end.value()});
  RETURN_IF_ERROR(reader.Read(bus, timeout, [&](const Message& message) {
    portion.bytes += message.value.size();
    if (!portion.oldest.has_value()) portion.oldest = message.time;
    if (message.key != domain) return true;
    auto outcome = OutcomeOf(message, &arena);
    if (!outcome.has_value()) return true;
    portion.outcomes.push_back(*std::move(outcome));
    if (portion.outcomes.size() > most) portion.outcomes.pop_front();
    return true;
  }));
  return portion;
}

}  // namespace

std::optional<Outcome> OutcomeOf(const SpiderLogEntry& entry) {
  if (const auto* const page = std::get_if<PageFetched>(&entry.event)) {
    return Outcome{.url = std::string(page->request.url),
                   .time = page->fetched_at,
                   .status = page->status,
                   .cause = {},
                   .latency = page->total,
                   .bytes = page->received_bytes};
  }
  if (const auto* const failed = std::get_if<FetchFailed>(&entry.event)) {
    return Outcome{.url = std::string(failed->request.url),
                   .time = failed->failed_at,
                   .status = failed->status,
                   .cause = failed->cause,
                   .latency = failed->total};
  }
  return std::nullopt;
}

absl::StatusOr<DomainOutcomes> ReadDomainOutcomes(Bus& bus, std::string_view domain,
                                                  PartitionId partition,
                                                  const OutcomeBounds& bounds, Duration timeout) {
  const LogRange whole{.topic = std::string(kSpiderLogTopic), .partition = partition};
  ASSIGN_OR_RETURN(const auto found, FindBounds(bus, whole, timeout));
  const LogBounds log = found.at(partition);
  DomainOutcomes last;
  Offset unread = log.end;
  uint64_t bytes = 0;
  for (int64_t step = kFirstPortion; unread > log.start;) {
    const int64_t read = log.end - unread;
    step = std::min(step, bounds.messages - read);
    // The next messages are about as large as those before.
    if (bytes > 0) {
      const uint64_t left = bounds.bytes - std::min(bytes, bounds.bytes);
      step = std::min(step, static_cast<int64_t>(left / (bytes / static_cast<uint64_t>(read) + 1)));
    }
    const size_t wanted = bounds.outcomes - last.outcomes.size();
    if (step <= 0 || wanted == 0) break;
    const Offset from = std::max(log.start, Offset(unread.value() - step));
    ASSIGN_OR_RETURN(Portion portion, ReadPortion(bus, domain, partition,
                                                  {.start = from, .end = unread}, wanted, timeout));
    std::move(portion.outcomes.rbegin(), portion.outcomes.rend(),
              std::back_inserter(last.outcomes));
    if (portion.oldest.has_value()) last.read_back_to = *portion.oldest;
    bytes += portion.bytes;
    unread = from;
    step *= 2;
  }
  // Those before were found, or there are none.
  if (unread == log.start && last.outcomes.size() < bounds.outcomes) last.read_back_to = WallTime();
  return last;
}

std::optional<Duration> PaceOf(const DomainOutcomes& last, WallTime now) {
  if (last.outcomes.size() < kFewestOfAPace) return std::nullopt;
  if (now - last.outcomes.front().time > kOldestOfAPace) return std::nullopt;
  const Duration since = std::max(now - last.outcomes.back().time, std::chrono::milliseconds(0));
  return since / static_cast<int64_t>(last.outcomes.size());
}

}  // namespace orbweaver
