// Which connections a server keeps when more come than it takes.
#pragma once

#include <cstddef>
#include <functional>
#include <list>
#include <optional>
#include <string>

namespace orbweaver {

// Place: in AdminServer, on its thread. Not thread-safe.
//
// A newcomer is always let in, at the cost of the connection that has waited longest, of the same
// address when that one has its share: who holds connections open, by intent or mistake, cannot
// keep a probe out, since a probe asks at once. Only a connection whose request is in hand stays.
class ConnectionTable {
 public:
  struct Connection {
    std::string address;
    std::function<void()> close;  // called at most once, from Add
    bool in_hand = false;
  };
  using Handle = std::list<Connection>::iterator;

  ConnectionTable(size_t most, size_t most_per_address)
      : most_(most), most_per_address_(most_per_address) {}

  // Closes another one where there is no room; nullopt when all of those have a request in hand.
  // The handle is the caller's until Remove, also when it is closed meanwhile.
  std::optional<Handle> Add(std::string address, std::function<void()> close);
  void Remove(Handle handle);

  // The connection's client is waited for, from now on: for a request, or to take its answer.
  void BeginWait(Handle handle);
  // Its request is being answered.
  void TakeInHand(Handle handle) { handle->in_hand = true; }

  size_t size() const { return open_.size(); }

 private:
  // Of `address`, or of any when it is null.
  bool CloseLongestWaiting(const std::string* address);

  const size_t most_;
  const size_t most_per_address_;
  std::list<Connection> open_;    // those that have waited longest first
  std::list<Connection> closed_;  // closed, not yet removed
};

}  // namespace orbweaver
