#include "cli/check/check_record.h"

#include <algorithm>
#include <array>

#include "fmt/format.h"

#include "common/config/value_text.h"
#include "spider/fetch/failure_cause.h"

namespace orbweaver {
namespace {

constexpr size_t kFields = 10;

bool ParseSmall(std::string_view text, uint64_t most, uint32_t* value) {
  uint64_t number = 0;
  if (!config::ParseNumber(text, &number) || number > most) return false;
  *value = static_cast<uint32_t>(number);
  return true;
}

CheckRedirects RedirectsOf(const CheckResult& result) {
  if (result.redirects.empty()) return CheckRedirects::kNone;
  const bool all = std::ranges::all_of(
      result.redirects, [](const CheckHop& hop) { return hop.status == 301 || hop.status == 308; });
  return all ? CheckRedirects::kPermanent : CheckRedirects::kTemporary;
}

}  // namespace

CheckRecord RecordOf(const CheckResult& result) {
  return {.line = result.line,
          .verdict = result.verdict,
          .redirects = RedirectsOf(result),
          .status = result.status,
          .milliseconds = static_cast<uint32_t>(
              std::chrono::duration_cast<std::chrono::milliseconds>(result.times.total).count()),
          .certificate_days = CertificateDays(result),
          .cause = result.cause ? FailureCauseName(*result.cause) : std::string_view(),
          .host = result.host,
          .certificate_host = result.certificate_host};
}

void AppendRecord(const CheckRecord& record, uint64_t results_end, std::string* out) {
  fmt::format_to(std::back_inserter(*out), "{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\n", record.line,
                 results_end, CheckVerdictName(record.verdict), record.cause, record.status,
                 record.milliseconds, static_cast<int>(record.redirects),
                 record.certificate_days ? std::to_string(*record.certificate_days) : "",
                 record.host, record.certificate_host);
}

bool ParseRecord(std::string_view line, CheckRecord* record, uint64_t* results_end) {
  std::array<std::string_view, kFields> fields;
  for (size_t i = 0; i < kFields; ++i) {
    const size_t tab = line.find('\t');
    if ((tab == std::string_view::npos) != (i + 1 == kFields)) return false;
    fields[i] = line.substr(0, tab);
    line.remove_prefix(tab == std::string_view::npos ? line.size() : tab + 1);
  }
  const auto verdict = ParseCheckVerdict(fields[2]);
  uint32_t redirects = 0;
  int64_t days = 0;
  if (!verdict || !ParseSmall(fields[0], UINT32_MAX, &record->line) ||
      !config::ParseNumber(fields[1], results_end) ||
      !ParseSmall(fields[4], 999, &record->status) ||
      !ParseSmall(fields[5], UINT32_MAX, &record->milliseconds) ||
      !ParseSmall(fields[6], 2, &redirects) ||
      (!fields[7].empty() && !config::ParseNumber(fields[7], &days))) {
    return false;
  }
  record->verdict = *verdict;
  record->cause = fields[3];
  record->redirects = static_cast<CheckRedirects>(redirects);
  record->certificate_days = fields[7].empty() ? std::nullopt : std::optional(days);
  record->host = fields[8];
  record->certificate_host = fields[9];
  return true;
}

}  // namespace orbweaver
