#include "cli/check/check_result.h"

#include <array>
#include <cmath>
#include <ctime>

#include "fmt/format.h"

#include "common/base/json.h"
#include "spider/fetch/failure_cause.h"

namespace orbweaver {
namespace {

constexpr std::array<std::string_view, kCheckVerdicts> kNames = {"alive", "dead", "unclear",
                                                                 "skipped"};

double Milliseconds(Duration duration) {
  const double exact = std::chrono::duration<double, std::milli>(duration).count();
  return std::round(exact * 10) / 10;
}

// As RFC 3339 has it.
std::string TimeText(WallTime at) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(at);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", parts.tm_year + 1900, parts.tm_mon + 1,
                     parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec);
}

void WriteCertificate(const CheckResult& result, JsonWriter& json) {
  json.Key("certificate_days");
  if (const auto days = CertificateDays(result)) {
    json.Value(*days).Key("certificate_end").Value(TimeText(*result.certificate_end));
    json.Key("certificate_host").Value(result.certificate_host);
  } else {
    json.Null().Key("certificate_end").Null().Key("certificate_host").Null();
  }
  json.Key("tls_error").Value(result.tls_error);
}

}  // namespace

std::string_view CheckVerdictName(CheckVerdict verdict) {
  return kNames.at(static_cast<size_t>(verdict));
}

std::optional<CheckVerdict> ParseCheckVerdict(std::string_view name) {
  for (size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == name) return static_cast<CheckVerdict>(i);
  }
  return std::nullopt;
}

CheckVerdict Judge(std::optional<FailureCause> failure, uint32_t status) {
  using Cause = FailureCause;
  if (failure) {
    switch (*failure) {
      case Cause::kDns:
      case Cause::kRefused:
      case Cause::kUnreachable:
      case Cause::kRedirect:
        return CheckVerdict::kDead;
      case Cause::kPrivateAddress:
      case Cause::kPort:
      case Cause::kBadUrl:
      case Cause::kRobots:
        return CheckVerdict::kSkipped;
      default:
        return CheckVerdict::kUnclear;
    }
  }
  if (status / 100 == 2 || status == 304) return CheckVerdict::kAlive;
  if (status / 100 != 4) return CheckVerdict::kUnclear;
  switch (status) {
    case 401:
    case 403:
    case 407:
    case 408:
    case 425:
    case 429:
    case 451:
      return CheckVerdict::kUnclear;
    default:
      return CheckVerdict::kDead;
  }
}

bool IsTemporary(std::optional<FailureCause> failure, uint32_t status) {
  using Cause = FailureCause;
  if (!failure) {
    return status == 408 || status == 425 || status == 429 ||
           (status / 100 == 5 && status != 501 && status != 505);
  }
  switch (*failure) {
    case Cause::kDnsTemporary:
    case Cause::kRefused:
    case Cause::kUnreachable:
    case Cause::kReset:
    case Cause::kTimeoutConnect:
    case Cause::kTimeoutTls:
    case Cause::kTimeoutFirstByte:
    case Cause::kTimeoutTotal:
    case Cause::kTooSlow:
      return true;
    default:
      return false;
  }
}

bool NeedsGet(std::optional<FailureCause> failure, uint32_t status) {
  if (failure) {
    return *failure == FailureCause::kReset || *failure == FailureCause::kProtocol ||
           *failure == FailureCause::kTimeoutFirstByte;
  }
  return status >= 400 && status != 401 && status != 407 && status != 429 && status != 503;
}

std::optional<int64_t> CertificateDays(const CheckResult& result) {
  if (!result.certificate_end) return std::nullopt;
  return std::chrono::floor<std::chrono::days>(*result.certificate_end - result.checked_at).count();
}

void AppendResultLine(const CheckResult& result, std::string* out) {
  JsonWriter json(out);
  json.BeginObject().Key("line").Value(result.line).Key("url").Value(result.url);
  json.Key("verdict").Value(CheckVerdictName(result.verdict)).Key("status");
  result.status == 0 ? json.Null() : json.Value(result.status);
  json.Key("cause");
  result.cause ? json.Value(FailureCauseName(*result.cause)) : json.Null();
  json.Key("message").Value(result.message).Key("final_url").Value(result.final_url());
  json.Key("redirects").BeginArray();
  for (const CheckHop& hop : result.redirects) {
    json.BeginObject().Key("status").Value(hop.status).Key("url").Value(hop.url).EndObject();
  }
  json.EndArray().Key("method").Value(result.by_get ? "GET" : "HEAD");
  json.Key("asked").Raw(result.asked ? "true" : "false");
  json.Key("attempts").Value(result.attempts).Key("address").Value(result.address.Text());
  json.Key("ms").BeginObject();
  json.Key("dns").Value(Milliseconds(result.times.dns));
  json.Key("connect").Value(Milliseconds(result.times.connect));
  json.Key("tls").Value(Milliseconds(result.times.tls));
  json.Key("first_byte").Value(Milliseconds(result.times.first_byte));
  json.Key("total").Value(Milliseconds(result.times.total)).EndObject();
  WriteCertificate(result, json);
  json.Key("checked_at").Value(TimeText(result.checked_at)).EndObject();
  *out += '\n';
}

}  // namespace orbweaver
