// The environment that the bus's contract suite needs from an implementation. README.md shows an
// instantiation.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <ostream>

#include "common/bus/bus.h"
#include "tests/support/killed_child.h"

namespace orbweaver {

// One a test, made by the factory below. Tests keep to topics and groups of their own. Failures to
// set up are CHECKed or reported to gtest.
class BusEnv {
 public:
  virtual ~BusEnv() = default;

  // The client under test, opened on first use (a test that kills a child must not have opened it),
  // which is by one thread.
  virtual Bus& bus() = 0;

  // Closes the client and opens another on the same data, as a restarted worker does. The old
  // client's objects have been destroyed.
  virtual void Reopen() = 0;

  // Kills the server with -9, and starts it again; clients stay. The second may return before the
  // server answers. Nothing where there is no server.
  virtual void KillServer() = 0;
  virtual void StartServer() = 0;

  // Stops the server's answers while it keeps its connections, and lets it go on. Nothing where
  // there is no server.
  virtual void FreezeServer() {}
  virtual void ThawServer() {}

  // Runs `work` and kills with -9 whatever holds its unwritten data, once `kill_at` steps are
  // acknowledged. Returns the steps acknowledged; bus() is usable then.
  //
  // As it stands: for a server, which is killed and started again while `work` goes on to its end.
  // An embedded bus overrides it with RunInKilledChild.
  using Work = std::function<void(Bus&, const Acked&)>;
  virtual uint64_t KillDuring(const Work& work, uint64_t kill_at);

  // Drops the messages below `start`, as retention does.
  virtual void CutLog(const std::string& topic, PartitionId partition, Offset start) = 0;

  // The shortest ConsumerOptions::session_timeout that can be had.
  virtual Duration ShortestSession() const = 0;
};

struct BusEnvFactory {
  const char* name;
  std::unique_ptr<BusEnv> (*make)();
};

// gtest's name of a parameter.
inline std::ostream& operator<<(std::ostream& out, const BusEnvFactory& factory) {
  return out << factory.name;
}

}  // namespace orbweaver
