#include "spider/fetch/failure_cause.h"

namespace orbweaver {

std::string_view FailureCauseName(FailureCause cause) {
  switch (cause) {
    case FailureCause::kUnspecified:
      return "unspecified";
    case FailureCause::kDns:
      return "dns";
    case FailureCause::kDnsTemporary:
      return "dns_temporary";
    case FailureCause::kRefused:
      return "refused";
    case FailureCause::kUnreachable:
      return "unreachable";
    case FailureCause::kReset:
      return "reset";
    case FailureCause::kTimeoutConnect:
      return "timeout_connect";
    case FailureCause::kTimeoutTls:
      return "timeout_tls";
    case FailureCause::kTimeoutFirstByte:
      return "timeout_first_byte";
    case FailureCause::kTimeoutTotal:
      return "timeout_total";
    case FailureCause::kTooSlow:
      return "too_slow";
    case FailureCause::kTls:
      return "tls";
    case FailureCause::kTlsCertificate:
      return "tls_certificate";
    case FailureCause::kProtocol:
      return "protocol";
    case FailureCause::kEncoding:
      return "encoding";
    case FailureCause::kTooLarge:
      return "too_large";
    case FailureCause::kContentType:
      return "content_type";
    case FailureCause::kRedirect:
      return "redirect";
    case FailureCause::kRobots:
      return "robots";
    case FailureCause::kRobotsUnreachable:
      return "robots_unreachable";
    case FailureCause::kPrivateAddress:
      return "private_address";
    case FailureCause::kPort:
      return "port";
    case FailureCause::kBadUrl:
      return "bad_url";
    case FailureCause::kProxy:
      return "proxy";
    case FailureCause::kHttp4xx:
      return "http_4xx";
    case FailureCause::kHttp5xx:
      return "http_5xx";
    case FailureCause::kHttpOther:
      return "http_other";
  }
  return "unspecified";
}

bool IsRedirect(uint32_t status) {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

std::optional<FailureCause> FailureOfStatus(uint32_t status) {
  if (status / 100 == 2 || status == 304 || IsRedirect(status)) return std::nullopt;
  if (status / 100 == 4) return FailureCause::kHttp4xx;
  if (status / 100 == 5) return FailureCause::kHttp5xx;
  return FailureCause::kHttpOther;
}

}  // namespace orbweaver
