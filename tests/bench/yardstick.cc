#include "tests/bench/yardstick.h"

#include <ctime>
#include <numeric>
#include <utility>

namespace orbweaver {
namespace {

constexpr size_t kMemoryWords = size_t{8} << 20;
constexpr size_t kBlockWords = 2048;
constexpr int kRounds = 64;
constexpr int kReads = 4000;
constexpr int kPasses = 24;

double ThreadCpuSeconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// xorshift: the same numbers on every machine and in every build.
uint64_t Next(uint64_t* state) {
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return *state;
}

}  // namespace

// Sattolo's shuffle makes one cycle, so no prefetcher knows where it goes.
Yardstick::Yardstick() : next_(kMemoryWords), block_(kBlockWords) {
  std::iota(next_.begin(), next_.end(), 0U);
  uint64_t state = 0x9e3779b97f4a7c15;
  for (size_t i = kMemoryWords - 1; i > 0; --i) std::swap(next_[i], next_[Next(&state) % i]);
  for (uint64_t& word : block_) word = Next(&state);
}

void Yardstick::Round() {
  for (int i = 0; i < kReads; ++i) at_ = next_[at_];
  uint64_t hash = at_;
  for (int pass = 0; pass < kPasses; ++pass) {
    for (uint64_t& word : block_) {
      hash = (hash ^ word) * 0x100000001b3;
      // A branch that no predictor knows, as in parsing.
      if ((hash & 0x30000000) == 0) word += hash >> 32;
    }
  }
  result_ += hash;
}

double Yardstick::Measure() {
  const double began = ThreadCpuSeconds();
  for (int i = 0; i < kRounds; ++i) Round();
  return kRounds / (ThreadCpuSeconds() - began);
}

}  // namespace orbweaver
