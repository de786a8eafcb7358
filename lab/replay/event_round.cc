#include "lab/replay/event_round.h"

#include "common/base/status.h"

namespace orbweaver::lab {
namespace {

constexpr size_t kMostEvents = 5000;
constexpr size_t kMostBytes = size_t{16} << 20;

}  // namespace

absl::Status EventRound::Read(MergedLog* log) {
  events_.clear();
  arena_.Reset();
  for (size_t bytes = 0; events_.size() < kMostEvents && bytes < kMostBytes;) {
    ASSIGN_OR_RETURN(const Message* const next, log->Peek());
    if (next == nullptr) break;
    Message event = *next;
    event.key = arena_.Copy(next->key);
    event.value = arena_.Copy(next->value);
    ArenaList<Header> headers;
    for (const Header& header : next->headers) {
      *headers.Append(arena_) = {arena_.Copy(header.name), arena_.Copy(header.value)};
    }
    event.headers = headers.view();
    bytes += event.key.size() + event.value.size();
    events_.push_back(event);
    log->Pop();
  }
  return absl::OkStatus();
}

}  // namespace orbweaver::lab
