#include "spider/fetch/address_policy.h"

#include <algorithm>
#include <charconv>
#include <initializer_list>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

#include "common/base/status.h"
#include "spider/fetch/fetch_url.h"

namespace orbweaver {
namespace {

// Whether the first `bits` of both are equal.
bool SamePrefix(std::span<const uint8_t> a, std::span<const uint8_t> b, unsigned bits) {
  const size_t whole = bits / 8;
  if (!std::equal(a.begin(), a.begin() + static_cast<ptrdiff_t>(whole), b.begin())) return false;
  const unsigned rest = bits % 8;
  return rest == 0 || ((a[whole] ^ b[whole]) >> (8 - rest)) == 0;
}

template <typename Number>
bool ParseWhole(std::string_view text, Number* number) {
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, *number);
  return at == end && error == std::errc();
}

struct Prefix {
  std::array<uint8_t, 8> bytes;
  unsigned bits;
};

bool IsWithin(const IpAddress& address, std::initializer_list<Prefix> prefixes) {
  return std::ranges::any_of(prefixes, [&](const Prefix& prefix) {
    return SamePrefix(address.bytes(), prefix.bytes, prefix.bits);
  });
}

bool IsPublicV4(const IpAddress& address) {
  return !IsWithin(address, {
                                {{0}, 8},             // this network
                                {{10}, 8},            // private
                                {{100, 64}, 10},      // shared by carriers (CGNAT)
                                {{127}, 8},           // loopback
                                {{169, 254}, 16},     // link-local: also clouds' metadata
                                {{172, 16}, 12},      // private
                                {{192, 0, 0}, 24},    // of protocols
                                {{192, 0, 2}, 24},    // documentation
                                {{192, 88, 99}, 24},  // relays of 6to4
                                {{192, 168}, 16},     // private
                                {{198, 18}, 15},      // benchmarks
                                {{198, 51, 100}, 24},
                                {{203, 0, 113}, 24},
                                {{224}, 4},  // multicast
                                {{240}, 4},  // reserved, broadcast
                            });
}

bool IsPublicV6(const IpAddress& address) {
  // NAT64: the address of a host that has IPv4 only, where the network has IPv6 only.
  constexpr Prefix kNat64 = {{0, 0x64, 0xff, 0x9b}, 64};
  if (IsWithin(address, {kNat64})) {
    const auto bytes = address.bytes();
    return std::ranges::all_of(bytes.subspan(8, 4), [](uint8_t byte) { return byte == 0; }) &&
           IsPublicV4(IpAddress(bytes.subspan(12)));
  }
  // Nothing else outside of 2000::/3 is global unicast.
  return IsWithin(address, {{{0x20}, 3}}) &&
         !IsWithin(address, {
                                {{0x20, 0x01, 0, 0}, 23},        // of protocols: Teredo, ORCHID
                                {{0x20, 0x01, 0x0d, 0xb8}, 32},  // documentation
                                {{0x20, 0x02}, 16},              // 6to4
                                {{0x3f, 0xff}, 20},              // documentation
                            });
}

}  // namespace

bool IsPublicAddress(const IpAddress& address) {
  if (address.empty()) return false;
  return address.is_v4() ? IsPublicV4(address) : IsPublicV6(address);
}

absl::StatusOr<AddressPolicy> AddressPolicy::Create(const NetworkOptions& options) {
  AddressPolicy policy;
  policy.allow_private_ = options.allow_private;
  for (const std::string& text : options.allow_networks) {
    const size_t slash = text.find('/');
    const auto first = IpAddress::Parse(text.substr(0, slash));
    unsigned bits = 0;
    if (!first || slash == std::string::npos ||
        !ParseWhole(std::string_view(text).substr(slash + 1), &bits) ||
        bits > first->bytes().size() * 8) {
      return FatalError("network.allow_networks '{}': no network. Write it as 10.1.0.0/16.", text);
    }
    policy.networks_.push_back({.first = *first, .bits = bits});
  }
  for (const std::string& text : options.ports) {
    uint16_t port = 0;
    if (!ParseWhole(text, &port) || port == 0) {
      return FatalError("network.ports '{}': no port. Write a number from 1 to 65535.", text);
    }
    policy.ports_.push_back(port);
  }
  for (const std::string& host : options.allow_hosts) {
    const std::string url =
        absl::StrCat("http://", absl::AsciiStrToLower(absl::StripSuffix(host, ":443")), "/");
    const auto parts = SplitFetchUrl(url);
    if (!parts || parts->port == 0 || parts->target != "/") {
      return FatalError("network.allow_hosts '{}': no host. Write HOST or HOST:PORT.", host);
    }
    policy.named_.emplace_back(parts->port == 80 ? parts->host : parts->authority);
  }
  return policy;
}

bool AddressPolicy::IsNamed(const FetchUrl& url) const {
  return std::ranges::find(named_, url.authority) != named_.end();
}

bool AddressPolicy::NamesHost(std::string_view host) const {
  return std::ranges::any_of(named_, [host](std::string_view named) {
    return named.starts_with(host) && (named.size() == host.size() || named[host.size()] == ':');
  });
}

bool AddressPolicy::Allows(const IpAddress& address) const {
  if (address.empty()) return false;
  if (allow_private_ || IsPublicAddress(address)) return true;
  return std::ranges::any_of(networks_, [&](const Network& network) {
    return network.first.bytes().size() == address.bytes().size() &&
           SamePrefix(network.first.bytes(), address.bytes(), network.bits);
  });
}

bool AddressPolicy::AllowsPort(uint16_t port) const {
  return std::ranges::find(ports_, port) != ports_.end();
}

}  // namespace orbweaver
