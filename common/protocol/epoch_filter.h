// Decides which owners' entries count in a log that several owners wrote.
#pragma once

#include <string>
#include <string_view>

#include "common/base/ids.h"

namespace orbweaver {

// Knows the last marker that was passed; entries with a lower epoch come from a worker that did not
// know yet that it had been replaced (proto/README.md).
//
// Place: every reader of scoring log and feed, one a partition. Not thread-safe.
class EpochFilter {
 public:
  // No marker was passed: everything counts.
  EpochFilter() = default;
  // Continues from a commit's metadata, of which it is the first word; what is not a number is
  // taken as none.
  explicit EpochFilter(std::string_view metadata);

  // `marker` is the offset at which a marker stands.
  void Pass(Offset marker) { last_ = marker > last_ ? marker : last_; }
  bool Accepts(Offset epoch) const { return epoch >= last_; }

  // For the next commit: the epoch as a decimal number.
  std::string Metadata() const;
  Offset last() const { return last_; }

 private:
  Offset last_{0};
};

}  // namespace orbweaver
