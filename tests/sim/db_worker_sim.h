// Db workers in a hostile world: a seed decides what is scheduled, who runs, and when anybody is
// killed, frozen, cut off or lied to. Each scheduled request must leave the queue exactly once,
// never too early, and never more of a domain than is allowed.
#pragma once

#include <cstdint>
#include <string>

namespace orbweaver {

// A rule of the crash protocol that the workers do without (switched_off.h).
enum class BrokenRule {
  kNothing,
  kWatermarks,  // messages that a row has are not recognised
  kEpochs,      // entries of replaced owners count
  kStillOwner,  // nobody sees later markers
  kReadBack,    // the feed is not read at a take-over
  kHeadsFirst,  // a checkpoint stands before the heads it speaks of
  kCommitLast,  // messages are committed before they are in the store
  kAwaitAcks,   // heads move on before requests are in the feed
  kVersions,    // whoever puts last wins
};

// Empty, or what did not hold.
std::string SimulateDbWorkers(uint64_t seed, BrokenRule rule = BrokenRule::kNothing);

}  // namespace orbweaver
