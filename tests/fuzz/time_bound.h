// A slow input is a crash: no bytes from outside may take more time than is in proportion to them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <string_view>

namespace orbweaver {

// Of a Release build: CPU time of the thread, which other work on the machine does not change.
inline constexpr double kMsPerMegabyte = 50;
inline constexpr double kMsForAnyInput = 10;
// An upper bound for what AddressSanitizer, UBSan and libFuzzer's counters cost.
inline constexpr double kSanitizerFactor = 20;
// A slow run is repeated before it is judged: the first run also makes what is kept, and a machine
// may be slow for a moment.
inline constexpr int kAttempts = 5;

inline double ThreadCpuMs() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
}

// To so much an input is repeated: where time grows with the square, it shows there.
inline constexpr size_t kRepeatedBytes = 192 << 10;

// A short input for a long one: "head FF unit FF tail" has its unit many times, and FD in the unit
// is its number.
inline std::string Repeated(std::string_view input) {
  const size_t first = input.find('\xff');
  const size_t second = first == std::string_view::npos ? first : input.find('\xff', first + 1);
  if (second == std::string_view::npos || second == first + 1) return std::string(input);
  std::string text(input.substr(0, first));
  const std::string_view unit = input.substr(first + 1, second - first - 1);
  for (size_t number = 0; text.size() < kRepeatedBytes; ++number) {
    for (const char c : unit) {
      if (c == '\xfd') {
        text += std::to_string(number);
      } else {
        text.push_back(c);
      }
    }
  }
  return text.append(input.substr(second + 1));
}

inline double MsForBytes(size_t bytes) {
  return kMsPerMegabyte * static_cast<double>(bytes) / (1 << 20);
}

// Runs `run` on a fuzz target's input, and ends the program when it is slow. An input that begins
// with FF is one to repeat. `ms` says what an input may take beside kMsForAnyInput.
template <typename Run, typename Ms>
int RunWithinTime(const uint8_t* data, size_t size, Run run, Ms ms) {
  std::string_view input(reinterpret_cast<const char*>(data), size);
  std::string repeated;
  if (input.starts_with('\xff')) input = repeated = Repeated(input.substr(1));
  const double allowed = kSanitizerFactor * (kMsForAnyInput + ms(input));
  double least = 0;
  for (int i = 0; i < kAttempts; ++i) {
    const double begin = ThreadCpuMs();
    run(reinterpret_cast<const uint8_t*>(input.data()), input.size());
    const double taken = ThreadCpuMs() - begin;
    if (taken <= allowed) return 0;
    if (i == 0 || taken < least) least = taken;
  }
  std::fprintf(stderr,
               "slow input: %zu bytes took %.0f ms of CPU in the best of %d runs; allowed: %.0f\n",
               input.size(), least, kAttempts, allowed);
  std::abort();
}
template <typename Run>
int RunWithinTime(const uint8_t* data, size_t size, Run run) {
  return RunWithinTime(data, size, run,
                       [](std::string_view input) { return MsForBytes(input.size()); });
}

}  // namespace orbweaver
