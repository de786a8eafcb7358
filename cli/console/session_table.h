// The sessions of browsers that have logged in at the console, and the codes of login links.
#pragma once

#include <cstdint>
#include <list>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/clock.h"

namespace orbweaver {

// A browser that has logged in.
struct Session {
  std::string csrf;  // what its orders carry beside the cookie
  bool may_act = false;
  std::string by;  // for the journal
  // Of the browser, where it runs on this machine (common/runtime/peer_user.h).
  std::optional<uint32_t> user;
};

// Place: in ConsoleAccess. Not thread-safe. Sessions and codes are random, held in memory only, and
// compared in constant time; of too many the oldest ends.
class SessionTable {
 public:
  static constexpr size_t kMostSessions = 64;
  static constexpr size_t kMostCodes = 8;
  static constexpr Duration kIdle = std::chrono::hours(2);
  static constexpr Duration kLifetime = std::chrono::hours(12);
  static constexpr Duration kCodeLifetime = std::chrono::minutes(10);

  // The secret of the new session, which its cookie holds. `session.csrf` is made here.
  std::string Begin(Session session, SteadyTime now);

  // The session of this secret, which has been used now; null: there is none, or it is too old.
  // Good until the next call.
  const Session* Find(std::string_view secret, SteadyTime now);
  void End(std::string_view secret);

  // A code that begins one session, within kCodeLifetime.
  std::string NewCode(SteadyTime now);
  // True once for each code.
  bool TakeCode(std::string_view code, SteadyTime now);

  size_t size() const { return open_.size(); }

 private:
  struct Open {
    std::string secret;
    Session session;
    SteadyTime begun;
    SteadyTime used;
  };
  struct Code {
    std::string code;
    SteadyTime made;
  };

  std::list<Open> open_;   // the oldest first
  std::list<Code> codes_;  // likewise
};

}  // namespace orbweaver
