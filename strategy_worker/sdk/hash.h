// Numbers that look random and are the same for the same inputs, with every compiler: a strategy
// that "draws" by seed and fingerprint decides the same when an event is replayed.
#pragma once

#include <cstdint>

namespace orbweaver::sdk {

inline uint64_t Mix(uint64_t x) {  // the finaliser of SplitMix64
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

// Uniform in [0, 1).
inline float Draw(uint64_t seed, uint64_t fingerprint) {
  return static_cast<float>(Mix(seed ^ Mix(fingerprint + 0x9e3779b97f4a7c15u)) >> 40) * 0x1p-24f;
}

}  // namespace orbweaver::sdk
