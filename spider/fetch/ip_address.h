#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace orbweaver {

// An IPv4 or IPv6 address, or none. A value; no zone, no port.
class IpAddress {
 public:
  IpAddress() = default;
  // 4 or 16 bytes, in network order; CHECKed.
  explicit IpAddress(std::span<const uint8_t> bytes);

  // "192.0.2.1", "2001:db8::1", also "[2001:db8::1]" as it stands in a URL. nullopt for anything
  // else, names and short forms (127.1) too: canonical URLs have none.
  static std::optional<IpAddress> Parse(std::string_view text);

  bool empty() const { return size_ == 0; }
  bool is_v4() const { return size_ == 4; }
  bool is_v6() const { return size_ == 16; }
  std::span<const uint8_t> bytes() const { return {bytes_.data(), size_}; }

  // Without brackets; empty for none.
  std::string Text() const;

  friend auto operator<=>(const IpAddress&, const IpAddress&) = default;
  template <typename H>
  friend H AbslHashValue(H h, const IpAddress& address) {
    return H::combine(std::move(h), address.size_, address.bytes_);
  }

 private:
  uint8_t size_ = 0;
  std::array<uint8_t, 16> bytes_{};
};

}  // namespace orbweaver
