#include "common/model/message_codec.h"

#include "fmt/core.h"

namespace orbweaver::wire {

bool FailBound(Fault& fault, size_t bytes, size_t max_bytes) {
  return fault.Set(fmt::format("{} bytes, at most {}", bytes, max_bytes));
}
bool FailCount(Fault& fault, size_t max_count) {
  return fault.Set(fmt::format("more than {}", max_count));
}
bool FailNumber(Fault& fault) { return fault.Set("a number out of its range"); }
bool FailUtf8(Fault& fault) { return fault.Set("not UTF-8"); }

}  // namespace orbweaver::wire
