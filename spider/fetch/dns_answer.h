// A name server's answer, read from its bytes.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <vector>

#include "spider/fetch/ip_address.h"

namespace orbweaver {

enum class DnsQuestion : uint8_t { kV4, kV6 };  // A, AAAA

struct DnsAnswer {
  enum class Outcome : uint8_t {
    kFound,
    kMissing,     // no such name, or it has no address
    kFailed,      // an answer that cannot be used: the name server has trouble of its own
    kUnanswered,  // no name server said anything
  };
  Outcome outcome = Outcome::kFailed;
  std::vector<IpAddress> addresses;  // at most kMaxAddresses
  std::chrono::seconds age{};        // how long it holds by its own word; of kFound
};

inline constexpr size_t kMaxAddresses = 16;

// Any bytes: what is no answer to the question is kFailed.
DnsAnswer ReadDnsAnswer(DnsQuestion question, std::span<const uint8_t> message);

}  // namespace orbweaver
