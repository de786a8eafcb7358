// The versions of one owner's puts.
#pragma once

#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"

#include "common/base/ids.h"

namespace orbweaver {

// (topic epoch, epoch, flush number) in 63 bits, so that whoever took the partition over later wins
// every row, and among one owner's puts the later one. All puts of one flush may have one version,
// as a flush puts each row once.
//
// Place: one for each owned partition, from take-over to release. Not thread-safe.
class VersionSequence {
 public:
  // Fatal when the topic epoch (1 to 126) or the epoch does not fit.
  static absl::StatusOr<VersionSequence> Create(uint64_t topic_epoch, Offset epoch);

  // Of (topic epoch, epoch) alone: no other owner of the partition has the same, and those before
  // have lower ones.
  static uint64_t OwnerOf(uint64_t topic_epoch, Offset epoch);
  uint64_t owner() const;

  // Nothing after 262,143 flushes: take the partition over again, which gives a new epoch.
  std::optional<Version> Next();

  // No version of this owner or of those before it is above. One that is, is a later owner's or of
  // a log that stood here before.
  Version Highest() const;

 private:
  explicit VersionSequence(uint64_t base) : base_(base) {}

  uint64_t base_;
  uint64_t flushes_ = 0;
};

}  // namespace orbweaver
