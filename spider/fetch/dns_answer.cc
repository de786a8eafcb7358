#include "spider/fetch/dns_answer.h"

#include <algorithm>
#include <ares.h>
#include <array>
#include <netinet/in.h>

namespace orbweaver {
namespace {

template <typename Record, typename Parse>
int ReadRecords(Parse parse, std::span<const uint8_t> message, DnsAnswer* answer) {
  std::array<Record, kMaxAddresses> records{};
  int count = kMaxAddresses;
  const int status =
      parse(message.data(), static_cast<int>(message.size()), nullptr, records.data(), &count);
  if (status != ARES_SUCCESS) return status;
  int age = std::numeric_limits<int>::max();
  for (const Record& record : std::span(records).first(static_cast<size_t>(count))) {
    const auto* const bytes = reinterpret_cast<const uint8_t*>(&record);
    // The address stands first in both kinds of record.
    constexpr size_t kBytes = std::is_same_v<Record, ares_addrttl> ? 4 : 16;
    answer->addresses.emplace_back(std::span(bytes, kBytes));
    age = std::min(age, record.ttl);
  }
  answer->age = std::chrono::seconds(std::max(age, 0));
  return status;
}

}  // namespace

DnsAnswer ReadDnsAnswer(DnsQuestion question, std::span<const uint8_t> message) {
  DnsAnswer answer;
  const int status = question == DnsQuestion::kV4
                         ? ReadRecords<ares_addrttl>(ares_parse_a_reply, message, &answer)
                         : ReadRecords<ares_addr6ttl>(ares_parse_aaaa_reply, message, &answer);
  if (status == ARES_SUCCESS && !answer.addresses.empty()) {
    answer.outcome = DnsAnswer::Outcome::kFound;
  } else if (status == ARES_SUCCESS || status == ARES_ENODATA || status == ARES_ENOTFOUND) {
    answer.outcome = DnsAnswer::Outcome::kMissing;
  }
  return answer;
}

}  // namespace orbweaver
