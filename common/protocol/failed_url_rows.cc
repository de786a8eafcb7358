#include "common/protocol/failed_url_rows.h"

#include "common/url/partition.h"

namespace orbweaver {
namespace {

// Page rows have a zero byte there, and no host has either.
constexpr char kMark = '\x01';

void AppendBigEndian(uint64_t value, std::string* out) {
  for (int shift = 56; shift >= 0; shift -= 8) out->push_back(static_cast<char>(value >> shift));
}

}  // namespace

std::string FailedUrlRow(std::string_view domain, const Fingerprint& url) {
  std::string row = FailedUrlsBegin(domain);
  AppendBigEndian(url.high, &row);
  AppendBigEndian(url.low, &row);
  return row;
}

std::string FailedUrlsBegin(std::string_view domain) { return DomainRow(domain) + kMark; }

std::string FailedUrlsEnd(std::string_view domain) {
  return DomainRow(domain) + static_cast<char>(kMark + 1);
}

}  // namespace orbweaver
