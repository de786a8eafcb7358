// Events of a recorded log that are decided on at once.
#pragma once

#include <span>
#include <vector>

#include "absl/status/status.h"

#include "common/bus/message.h"
#include "common/model/arena.h"
#include "lab/replay/merged_log.h"

namespace orbweaver::lab {

// Place: between a MergedLog and those who replay it. Memory: 5,000 events, or 16 MB of them and
// one more; it is used again from round to round. Not thread-safe; its events may be read by many.
class EventRound {
 public:
  // Replaces the events by copies of the next ones of `log`; none at its end. Errors as
  // MergedLog::Peek.
  absl::Status Read(MergedLog* log);

  // Valid until the next Read.
  std::span<const Message> events() const { return events_; }

 private:
  Arena arena_;
  std::vector<Message> events_;
};

}  // namespace orbweaver::lab
