// Reads stretches of a topic's log, apart from all groups.
//
// Place: `orbweaver log`. On the interface Bus; commits nothing.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "common/bus/bus.h"

namespace orbweaver {

struct LogRange {
  std::string topic;
  std::optional<PartitionId> partition;  // nothing: all
  // Offsets, in each partition: [from, to); what the log does not hold is left out.
  std::optional<int64_t> from, to;
  std::optional<int64_t> last;           // only so many before the end, in each partition
  std::optional<WallTime> since, until;  // when it was written: [since, until)
};

// Where the range begins and ends in each of its partitions, as the logs are now. Retry and fatal
// errors as the bus's; fatal when there is no such topic or partition. `timeout` bounds each wait
// for the bus.
absl::StatusOr<std::map<PartitionId, LogBounds>> FindBounds(Bus& bus, const LogRange& range,
                                                            Duration timeout);

// Not thread-safe.
class LogReader {
 public:
  explicit LogReader(LogRange range) : range_(std::move(range)) {}

  // Visits the range's messages, as the log is at the first call; those of a partition in their
  // order. Ends after the last, or when `visit` says false. After an error it may be called again,
  // with another view of the same bus too, and goes on where it stood. Messages that retention
  // deletes meanwhile are passed over. Retry and fatal errors as the bus's; fatal when there is no
  // such topic or partition. `timeout` bounds each wait for the bus.
  absl::Status Read(Bus& bus, Duration timeout, absl::FunctionRef<bool(const Message&)> visit);

 private:
  struct Stretch {
    Offset next;
    Offset end;
  };

  // Moves what is to be read next to where the log begins, if that has passed it.
  absl::Status SkipDeleted(Bus& bus, Duration timeout);
  absl::StatusOr<std::unique_ptr<Consumer>> Consume(Bus& bus) const;
  bool done() const;

  const LogRange range_;
  bool begun_ = false;
  std::map<PartitionId, Stretch> stretches_;
};

}  // namespace orbweaver
