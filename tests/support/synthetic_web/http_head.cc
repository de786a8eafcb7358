#include "tests/support/synthetic_web/http_head.h"

#include <charconv>

#include "common/base/clock.h"
#include "tests/support/synthetic_web/http_date.h"

namespace orbweaver::synthetic {
namespace {

std::string_view ReasonOf(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 301:
      return "Moved Permanently";
    case 302:
      return "Found";
    case 303:
      return "See Other";
    case 304:
      return "Not Modified";
    case 307:
      return "Temporary Redirect";
    case 308:
      return "Permanent Redirect";
    case 400:
      return "Bad Request";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 410:
      return "Gone";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    case 501:
      return "Not Implemented";
    case 502:
      return "Bad Gateway";
    case 503:
      return "Service Unavailable";
    default:
      return "Other";
  }
}

void AppendNumber(uint64_t number, std::string* out) {
  char digits[20];
  const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  out->append(digits, end);
}

void AppendStatusLine(int status, std::string* out) {
  out->append("HTTP/1.1 ");
  AppendNumber(static_cast<uint64_t>(status), out);
  out->append(" ").append(ReasonOf(status)).append("\r\nServer: synthetic-web\r\n");
}

void AppendField(std::string_view name, std::string_view value, std::string* out) {
  if (!value.empty()) out->append(name).append(": ").append(value).append("\r\n");
}

void AppendLength(uint64_t length, std::string* out) {
  out->append("Content-Length: ");
  AppendNumber(length, out);
  out->append("\r\n");
}

}  // namespace

void AppendHead(const Answer& answer, bool keep_alive, std::string* out) {
  AppendStatusLine(answer.status, out);
  if (answer.status != 304) {
    AppendField("Content-Type", answer.content_type, out);
    AppendField("Content-Encoding", answer.content_encoding, out);
    AppendLength(answer.content_length, out);
  }
  AppendField("Location", answer.location, out);
  AppendField("ETag", answer.etag, out);
  if (answer.last_modified_s != 0) {
    out->append("Last-Modified: ");
    AppendHttpDate(answer.last_modified_s, out);
    out->append("\r\n");
  }
  if (answer.retry_after) {
    out->append("Retry-After: ");
    if (answer.retry_after_as_date) {
      // Dates have whole seconds: this one is never earlier than what is meant.
      const auto now = std::chrono::ceil<std::chrono::seconds>(SystemClock().Wall());
      AppendHttpDate((now + *answer.retry_after).time_since_epoch().count(), out);
    } else {
      AppendNumber(static_cast<uint64_t>(answer.retry_after->count()), out);
    }
    out->append("\r\n");
  }
  if (!keep_alive || answer.delivery == Delivery::kCutShort) out->append("Connection: close\r\n");
  out->append("\r\n");
}

void AppendPlainHead(int status, std::string_view content_type, uint64_t content_length,
                     bool keep_alive, std::string* out) {
  AppendStatusLine(status, out);
  AppendField("Content-Type", content_type, out);
  AppendLength(content_length, out);
  out->append(keep_alive ? "\r\n" : "Connection: close\r\n\r\n");
}

}  // namespace orbweaver::synthetic
