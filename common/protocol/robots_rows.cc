#include "common/protocol/robots_rows.h"

#include "common/url/partition.h"

namespace orbweaver {
namespace {

// Page rows have a zero byte there, those of failed URLs 0x01 (failed_url_rows.h).
constexpr char kMark = '\x02';

}  // namespace

std::string RobotsRow(std::string_view domain, std::string_view host) {
  return RobotsBegin(domain).append(host);
}

std::string RobotsBegin(std::string_view domain) { return DomainRow(domain) + kMark; }

std::string RobotsEnd(std::string_view domain) {
  return DomainRow(domain) + static_cast<char>(kMark + 1);
}

}  // namespace orbweaver
