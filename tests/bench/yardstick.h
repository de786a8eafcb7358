// A fixed piece of work that says how fast this machine is at the moment.
//
// Place: BenchReport runs it right before and after each case, and shows the case's value as a
// ratio to it. Machines change speed by a factor of two within minutes, and two builds are compared
// on different days: the ratio stays comparable where the value does not.
#pragma once

#include <cstdint>
#include <vector>

namespace orbweaver {

// One round is hashing and comparing in the caches, and reads that depend on each other from memory
// that no cache holds, in about equal shares of CPU time. It allocates nothing after construction
// and calls nobody, so that a change of the product never changes it. Not thread-safe.
class Yardstick {
 public:
  // Takes 32 MB.
  Yardstick();

  // Rounds per CPU second of this thread, over some 40 ms.
  double Measure();

  // The result of the computation; the compiler cannot leave the work out.
  uint64_t result() const { return result_; }

 private:
  void Round();

  std::vector<uint32_t> next_;   // one cycle through all of memory
  std::vector<uint64_t> block_;  // fits into a core's own cache
  uint32_t at_ = 0;
  uint64_t result_ = 0;
};

}  // namespace orbweaver
