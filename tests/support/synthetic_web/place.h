// A URL of the synthetic web as two small numbers; text only at the edges.
#pragma once

#include <compare>
#include <cstdint>
#include <utility>

namespace orbweaver::synthetic {

struct Place {
  enum class Kind : uint8_t {
    kPage,            // number: which of the host's pages; 0 is `/`
    kMoved,           // where page `number` redirects to
    kHop,             // on the way there, or the other end of a loop
    kDay,             // of the calendar
    kSitemap,         // 0: /sitemap.xml; n: the nth that the index names
    kRobots,          // /robots.txt
    kRobotsHop,       // a step of its redirects
    kRobotsRules,     // where they end
    kPrivateAddress,  // where page `number` of `host` redirects to; no place of this web
    kUnknown,         // any other URL of the host
    kNoHost,          // a URL of no host of this web
  };

  uint32_t host = 0;
  uint32_t number = 0;
  Kind kind = Kind::kNoHost;

  friend auto operator<=>(const Place&, const Place&) = default;
  template <typename H>
  friend H AbslHashValue(H h, const Place& p) {
    return H::combine(std::move(h), p.host, p.number, p.kind);
  }
};

// Whether it is robots.txt or a step on the way to its rules.
constexpr bool IsRobotsText(Place::Kind kind) {
  using enum Place::Kind;
  return kind == kRobots || kind == kRobotsHop || kind == kRobotsRules;
}

// A number that looks random and depends on nothing but its arguments (SplitMix64's finaliser).
constexpr uint64_t Mix(uint64_t a, uint64_t b) {
  uint64_t z = a ^ ((b + 1) * 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

// True for `share` of all values of `bits`, which are taken as 16 random bits.
constexpr bool Falls(uint64_t bits, double share) {
  return static_cast<double>(bits & 0xffff) < share * 65536;
}

}  // namespace orbweaver::synthetic
