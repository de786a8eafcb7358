// The result of checking one URL.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/clock.h"
#include "common/model/spider_log.h"
#include "spider/fetch/fetch_result.h"

namespace orbweaver {

enum class CheckVerdict : uint8_t {
  kAlive,    // 2xx in the end
  kDead,     // it is not there, and asking again soon would bring the same
  kUnclear,  // neither: refused to us, a server in trouble, a timeout
  kSkipped,  // not asked: no URL, or one that our own options or robots.txt leave out
};
inline constexpr size_t kCheckVerdicts = 4;

// "alive", "dead", "unclear", "skipped".
std::string_view CheckVerdictName(CheckVerdict verdict);
std::optional<CheckVerdict> ParseCheckVerdict(std::string_view name);

// Of an answer with this status, or of a failure, which decides when there is one.
CheckVerdict Judge(std::optional<FailureCause> failure, uint32_t status);

// Whether another attempt may bring something else: timeouts, lost connections, refusals, 408, 425,
// 429 and 5xx but 501 and 505.
bool IsTemporary(std::optional<FailureCause> failure, uint32_t status);

// Whether the answer to HEAD says nothing about GET, so that GET decides: any 4xx or 5xx but those
// that are about us and not about the URL (401, 407, 429, 503); or no answer at all on a connection
// that came about.
bool NeedsGet(std::optional<FailureCause> failure, uint32_t status);

struct CheckHop {
  uint32_t status = 0;
  std::string url;  // where it led
};

struct CheckResult {
  uint32_t line = 0;
  std::string url;   // canonical; of a line without one its text
  std::string host;  // of the URL, with its port
  CheckVerdict verdict = CheckVerdict::kSkipped;
  std::optional<FailureCause> cause;  // of anything but alive
  std::string message;                // of a failure, for people
  uint32_t status = 0;                // of the last answer; 0: none came
  std::vector<CheckHop> redirects;
  bool by_get = false;
  bool asked = true;  // false: its host failed so often that it was left out
  uint32_t attempts = 1;
  // Of the last request.
  IpAddress address;
  FetchTimes times;
  // Of all certificates on the way the one that ends first, and whose it is.
  std::optional<WallTime> certificate_end;
  std::string certificate_host;
  std::string tls_error;
  WallTime checked_at;

  const std::string& final_url() const { return redirects.empty() ? url : redirects.back().url; }
};

// Whole days from `at` until the certificate ends, negative when it has ended.
std::optional<int64_t> CertificateDays(const CheckResult& result);

// As a line of JSON, with its line feed. All keys are always there.
void AppendResultLine(const CheckResult& result, std::string* out);

}  // namespace orbweaver
