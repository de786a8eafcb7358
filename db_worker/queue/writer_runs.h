// Which owners wrote a band's chunks: a writer for each run of numbers.
//
// Place: in a Band, for the names of its chunks. One run, unless chunks of an owner before still
// wait. Not thread-safe.
#pragma once

#include <cstdint>
#include <span>

#include "absl/container/inlined_vector.h"

namespace orbweaver {

class WriterRuns {
 public:
  // From chunk `begin` to where the next run begins.
  struct Run {
    uint64_t begin = 0;
    uint64_t writer = 0;  // VersionSequence::owner()

    friend bool operator==(const Run&, const Run&) = default;
  };

  // `chunk`, whose number is above all before it, is `writer`'s.
  void Append(uint64_t chunk, uint64_t writer);
  // Forgets the runs of chunks below `chunk`, which are erased.
  void DropBelow(uint64_t chunk);
  // Forgets all.
  void Clear() { runs_.clear(); }

  // Of a chunk that was appended; 0 when it was not.
  uint64_t WriterOf(uint64_t chunk) const;

  // By `begin`. A band that has chunks has at least one run.
  std::span<const Run> runs() const { return runs_; }

  friend bool operator==(const WriterRuns&, const WriterRuns&) = default;

 private:
  absl::InlinedVector<Run, 1> runs_;
};

}  // namespace orbweaver
