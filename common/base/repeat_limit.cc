#include "common/base/repeat_limit.h"

#include <algorithm>
#include <utility>

#include "absl/hash/hash.h"

#include "common/base/text.h"

namespace orbweaver {

bool RepeatLimit::Admit(std::string_view module, std::string_view format, SteadyTime now) {
  if (per_window_ <= 0) return true;
  Line& line = lines_[absl::HashOf(ToAbsl(module), ToAbsl(format))];
  if (now >= line.window_end && line.hidden.count == 0) {
    line.window_end = now + kWindow;
    line.shown = 0;
  }
  if (line.shown < per_window_) {
    ++line.shown;
    return true;
  }
  if (line.hidden.count == 0) {
    line.hidden.module = module;
    line.hidden.format = format;
    first_end_ = std::min(first_end_, line.window_end);
  }
  ++line.hidden.count;
  return false;
}

std::vector<RepeatLimit::Hidden> RepeatLimit::TakeOver(SteadyTime now) {
  std::vector<Hidden> over;
  if (now < first_end_) return over;
  first_end_ = SteadyTime::max();
  for (auto& [hash, line] : lines_) {
    if (line.hidden.count == 0) continue;
    if (line.window_end <= now) {
      over.push_back(std::exchange(line.hidden, {}));
    } else {
      first_end_ = std::min(first_end_, line.window_end);
    }
  }
  return over;
}

}  // namespace orbweaver
