// Faults that stand in the workers on purpose, all off: the simulator turns one on and must notice.
//
// In every build of the product IsPlanted is a constant, and nothing of it is left. Only the test
// of the simulator compiles the sources that ask for it once more, with ORBWEAVER_PLANTED_FAULTS
// (tests/sim/whole/README.md). Ask in .cc files only: what stands in a header would be two things
// in one program.
#pragma once

#include <cstdint>

namespace orbweaver {

enum class PlantedFault : uint8_t {
  kNone,
  // A rule of the crash protocol is not followed (ARCHITECTURE.md).
  kNoOutbox,           // what a dead strategy worker had not sent is not sent by the next one
  kNoScoringMarkers,   // db workers take what replaced strategy workers write
  kNoFeedMarkers,      // spiders, and who takes a feed over, take what replaced db workers write
  kNoOwnerCheck,       // nobody looks for later markers before a commit
  kNoVersions,         // a put of a replaced worker overwrites its successor's
  kNoManifest,         // blocks of link states count that no record names
  kNoSourceWatermark,  // messages that a queue has applied are applied again
  kNoReadBack,         // who takes a feed over does not read what was sent last
  kCommitFirst,        // offsets are committed before what they lead to is written
  // A mistake as anybody may make one.
  kWatermarkOffByOne,  // the last message that a queue has applied is applied again
  kChunkErasedEarly,   // a chunk of the queue is erased while requests are taken from it
  kDelayForgotten,     // a spider that takes domains over does not mind when they were asked last
  kDeferredDropped,    // what a spider hands back does not come back
  kCapOffByOne,        // a batch has one request of a domain too many
  kOrderAdds,          // an order to fetch a URL again queues one that is queued once more
  kCount,
};

#ifdef ORBWEAVER_PLANTED_FAULTS
// A name of its own: the same sources compiled without it may be in the same program.
inline namespace planted {
extern PlantedFault planted_fault;
inline bool IsPlanted(PlantedFault fault) { return fault == planted_fault; }
}  // namespace planted
#else
constexpr bool IsPlanted(PlantedFault) { return false; }
#endif

}  // namespace orbweaver
