// A small seeded generator (SplitMix64). The same seed gives the same numbers with every compiler
// and library, which <random>'s distributions do not promise and the simulator needs.
#pragma once

#include <cstdint>
#include <limits>

namespace orbweaver {

// The last step of SplitMix64: equal numbers for equal ones, near ones far apart.
constexpr uint64_t MixBits(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

// Not thread-safe. Satisfies UniformRandomBitGenerator.
class Random {
 public:
  using result_type = uint64_t;

  explicit Random(uint64_t seed) : state_(seed) {}

  static constexpr uint64_t min() { return 0; }
  static constexpr uint64_t max() { return std::numeric_limits<uint64_t>::max(); }

  uint64_t operator()() { return MixBits(state_ += 0x9e3779b97f4a7c15u); }

  // Uniform in [0, bound); `bound` > 0. Biased by less than bound / 2^64.
  uint64_t Below(uint64_t bound) {
    return static_cast<uint64_t>((static_cast<unsigned __int128>((*this)()) * bound) >> 64);
  }

  // Uniform in [0, 1).
  double Unit() { return static_cast<double>((*this)() >> 11) * 0x1p-53; }

  bool Chance(double probability) { return Unit() < probability; }

 private:
  uint64_t state_;
};

}  // namespace orbweaver
