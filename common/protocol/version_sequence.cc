#include "common/protocol/version_sequence.h"

#include "common/base/status.h"

namespace orbweaver {
namespace {

constexpr int kFlushBits = 18;
constexpr int kEpochBits = 38;
// One less than fits into 7 bits: kMaxVersion leaves the largest number to others.
constexpr uint64_t kMaxTopicEpoch = 126;

}  // namespace

absl::StatusOr<VersionSequence> VersionSequence::Create(uint64_t topic_epoch, Offset epoch) {
  if (topic_epoch < 1 || topic_epoch > kMaxTopicEpoch) {
    return FatalError("topic epoch {}: not from 1 to {}", topic_epoch, kMaxTopicEpoch);
  }
  if (epoch.value() < 0 || epoch.value() >= int64_t{1} << kEpochBits) {
    return FatalError(
        "epoch {}: not from 0 to 2^{}. Make the topics anew and run `orbweaver init`, which "
        "raises the topic epoch",
        epoch, kEpochBits);
  }
  return VersionSequence(OwnerOf(topic_epoch, epoch) << kFlushBits);
}

uint64_t VersionSequence::OwnerOf(uint64_t topic_epoch, Offset epoch) {
  return topic_epoch << kEpochBits | static_cast<uint64_t>(epoch.value());
}

uint64_t VersionSequence::owner() const { return base_ >> kFlushBits; }

Version VersionSequence::Highest() const {
  return Version(base_ | ((uint64_t{1} << kFlushBits) - 1));
}

std::optional<Version> VersionSequence::Next() {
  if (flushes_ + 1 >= uint64_t{1} << kFlushBits) return std::nullopt;
  return Version(base_ | ++flushes_);
}

}  // namespace orbweaver
