// Mistakes that a run plants in its workers, from outside of them: what stands between a worker and
// its world undoes one rule (planted_bus.h, planted_store.h), or its options are wrong. The
// simulator turns one on and must notice.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace orbweaver::sim {

enum class PlantedFault : uint8_t {
  kNone,
  // A rule of the crash protocol is not followed (ARCHITECTURE.md).
  kNoOutbox,           // what a dead strategy worker had not sent is not sent by the next one
  kNoScoringMarkers,   // db workers take what replaced strategy workers write
  kNoFeedMarkers,      // spiders, and who takes a feed over, take what replaced db workers write
  kNoOwnerCheck,       // nobody sees later markers before a commit
  kNoVersions,         // a put of a replaced worker overwrites its successor's
  kNoManifest,         // blocks of link states count that no record names
  kNoSourceWatermark,  // messages that a queue has applied are applied again
  kNoReadBack,         // who takes a feed over does not read what was sent last
  kCommitFirst,        // offsets are committed before what they lead to is written
  kNoAcksAwaited,      // what was sent counts before it is in the log
  kCheckpointFirst,    // a feed's checkpoint stands before the heads that it speaks of
  // A mistake as anybody may make one.
  kWatermarkOffByOne,  // the last message that a queue has applied is applied again
  kChunkErasedEarly,   // a chunk of the queue is erased while requests are taken from it
  kDelayForgotten,     // a spider that takes domains over does not mind when they were asked last
  kDeferredDropped,    // what a spider hands back does not come back
  kCapOffByOne,        // a batch has one request of a domain too many
  kOrderAdds,          // an order about a URL queues one that is queued once more
  // No mistake: the group takes commits of former owners. The protocol does not need its refusal.
  kUnfencedCommits,
  kCount,
};

std::string_view NameOf(PlantedFault fault);
// Nothing for an unknown name.
std::optional<PlantedFault> PlantedFaultOf(std::string_view name);

}  // namespace orbweaver::sim
