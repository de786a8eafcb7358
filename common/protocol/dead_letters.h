// Where messages go that cannot be processed: kept, with their origin and the cause, never dropped.
//
// Place: in every worker that consumes. Its producer is made when the first such message comes. Not
// thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "absl/status/status.h"

#include "common/base/clock.h"
#include "common/bus/bus.h"

namespace orbweaver {

// Headers of an entry of the dead-letter topic; key and value are the original message's, and its
// own headers follow.
inline constexpr std::string_view kDeadLetterTopicHeader = "topic";
inline constexpr std::string_view kDeadLetterPartitionHeader = "partition";
inline constexpr std::string_view kDeadLetterOffsetHeader = "offset";
inline constexpr std::string_view kDeadLetterCauseHeader = "cause";
// Only when the value had to be cut to fit: how long it was.
inline constexpr std::string_view kDeadLetterCutHeader = "cut-from";

// Of a note that is no letter: offsets of letters whose events are in the log again, "3-5,9". Its
// topic is the dead-letter topic itself (cli/frontier/dead_letter_requeue.h).
inline constexpr std::string_view kDeadLetterPutBackHeader = "put-back";

class DeadLetters {
 public:
  // `bus` must outlive it.
  explicit DeadLetters(Bus& bus) : bus_(bus) {}
  ~DeadLetters();

  // Appends `message` of `topic`. Blocks, at most for `timeout`, only while the byte budget is
  // full; on a retry error nothing was appended. After a crash a message may be in here twice:
  // readers tell by its origin.
  absl::Status Bury(std::string_view topic, const Message& message, std::string_view cause,
                    Duration timeout);

  // Waits until all that was buried is durable. The commit past it comes only then. Costs nothing
  // when nothing was buried.
  absl::Status Settle(Duration timeout);

  uint64_t buried() const { return buried_; }

 private:
  Bus& bus_;
  std::unique_ptr<Producer> producer_;
  absl::Status failure_;
  uint64_t buried_ = 0;
  bool unsettled_ = false;
};

}  // namespace orbweaver
