// The environment that the store's contract suite needs from an implementation. README.md shows an
// instantiation.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <ostream>

#include "common/store/store.h"
#include "tests/support/killed_child.h"

namespace orbweaver {

// One a test, made by the factory below. Tests keep to rows of their own, so that the tables may be
// shared by all tests and keep what earlier runs wrote. Failures to set up are CHECKed or reported
// to gtest.
class StoreEnv {
 public:
  virtual ~StoreEnv() = default;

  // The client under test, opened on first use (a test that kills a child must not have opened it),
  // which is by one thread.
  virtual Store& store() = 0;

  // Closes the client and opens another on the same data, as a restarted worker does.
  virtual void Reopen() = 0;

  // Kills the server with -9, and starts it again; the client stays. The second may return before
  // the server answers. Without a server of its own: nothing, and Reopen.
  virtual void KillServer() = 0;
  virtual void StartServer() = 0;

  // Stops the server's answers while it keeps its connections, and lets it go on. Nothing where
  // there is no server.
  virtual void FreezeServer() {}
  virtual void ThawServer() {}

  // Cuts the client's connections while a call of it is running, in a scan's visitor. Nothing where
  // there are none.
  virtual void BreakConnections() {}

  // Runs `work` and kills with -9 whatever holds its unwritten data, once `kill_at` steps are
  // acknowledged. Returns the steps acknowledged; store() is usable then.
  //
  // As it stands: for a server, which is killed and started again while `work` goes on to its end.
  // An embedded store overrides it with RunInKilledChild.
  using Work = std::function<void(Store&, const Acked&)>;
  virtual uint64_t KillDuring(const Work& work, uint64_t kill_at);

  // Cells that the implementation has touched so far, erased ones included, where it counts them.
  virtual std::optional<uint64_t> CellsRead() { return std::nullopt; }
};

struct StoreEnvFactory {
  const char* name;
  std::unique_ptr<StoreEnv> (*make)();
};

// gtest's name of a parameter.
inline std::ostream& operator<<(std::ostream& out, const StoreEnvFactory& factory) {
  return out << factory.name;
}

}  // namespace orbweaver
