// How often somebody may be wrong about a token.
#pragma once

#include <list>
#include <string>
#include <string_view>

#include "common/base/clock.h"

namespace orbweaver {

// Place: in ConsoleAccess. Not thread-safe. Counts wrong tokens in a window of a minute, by address
// (an IPv6 network of 64 bits is one, since a machine has all of its addresses) and in all. Of too
// many addresses the one that was wrong longest ago is forgotten; the count of all goes on.
class LoginLimit {
 public:
  static constexpr int kMostByAddress = 5;
  static constexpr int kMost = 50;
  static constexpr size_t kMostAddresses = 1000;
  static constexpr Duration kWindow = std::chrono::minutes(1);

  // Whether a token of `address` may be looked at now.
  bool Allows(std::string_view address, SteadyTime now);
  // It was wrong.
  void Failed(std::string_view address, SteadyTime now);

  size_t addresses() const { return by_address_.size(); }

 private:
  struct Window {
    std::string network;
    SteadyTime began;
    int failures = 0;
  };

  static std::string NetworkOf(std::string_view address);
  static void Count(Window* window, SteadyTime now);
  Window* Find(const std::string& network);

  std::list<Window> by_address_;  // those that failed longest ago first
  Window all_;
};

}  // namespace orbweaver
