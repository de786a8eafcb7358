// One URL that was checked, as the progress file keeps it: enough to go on, and for the summary.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "cli/check/check_result.h"

namespace orbweaver {

enum class CheckRedirects : uint8_t { kNone, kTemporary, kPermanent };

// The views are the caller's.
struct CheckRecord {
  uint32_t line = 0;
  CheckVerdict verdict = CheckVerdict::kSkipped;
  CheckRedirects redirects = CheckRedirects::kNone;  // permanent: all of them
  uint32_t status = 0;                               // 0: no answer
  uint32_t milliseconds = 0;                         // of the last request
  std::optional<int64_t> certificate_days;
  std::string_view cause;  // empty: none
  std::string_view host;
  std::string_view certificate_host;
};

CheckRecord RecordOf(const CheckResult& result);

// A line of tab-separated fields, with its line feed. `results_end`: how long the file of results
// is with this one.
void AppendRecord(const CheckRecord& record, uint64_t results_end, std::string* out);

// `line` without its line feed; false when it is none of those.
bool ParseRecord(std::string_view line, CheckRecord* record, uint64_t* results_end);

}  // namespace orbweaver
