// Decides which callers may read the console, and which may act.
//
//   GET  /api/v1/session       what the caller may do, and the orders there are
//   POST /api/v1/login         token=TOKEN, or the code of a login link: begins a session
//   POST /api/v1/logout
//   POST /api/v1/login-codes   for programs with the admin token: a code for a login link
//
// Programs send `Authorization: Bearer TOKEN` with each request. A browser sends a token once and
// has a session by a cookie. The README says what each check is good for.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "cli/console/login_limit.h"
#include "cli/console/session_table.h"

#include "common/base/clock.h"
#include "common/runtime/admin_message.h"
#include "common/runtime/peer_user.h"

namespace orbweaver {

// The user at the other end of a connection (common/runtime/peer_user.h).
using UserOf =
    std::function<std::optional<uint32_t>(std::string_view peer_end, std::string_view own_end)>;

struct AccessOptions {
  std::string read_token;   // empty: everybody may read
  std::string admin_token;  // empty: only login links allow acting
  bool read_only = false;   // nobody may act
  bool is_tls = false;      // cookies for HTTPS alone
  UserOf user_of = UserOfPeer;
};

// Place: in front of the console's API; one a server. Thread-safe.
class ConsoleAccess {
 public:
  ConsoleAccess(AccessOptions options, const Clock& clock)
      : options_(std::move(options)), clock_(clock) {}

  struct Caller {
    bool may_read = false;
    bool may_act = false;
    bool is_limited = false;  // too many wrong tokens came from there
    std::string by;           // for the journal: "admin", "login link"
    std::string csrf;         // of a session; empty: the caller is a program, or nobody
  };
  Caller CallerOf(const AdminRequest& request) ABSL_LOCKS_EXCLUDED(mutex_);

  // Nothing when the caller may do what the request asks for, else the refusal: 401 to those who
  // may log in, 403, or 429.
  std::optional<AdminResponse> RefuseRead(const AdminRequest& request);
  // `caller` becomes who it was.
  std::optional<AdminResponse> RefuseAct(const AdminRequest& request, Caller* caller);

  // True for the paths above that are answered here.
  static bool Owns(std::string_view path);
  // Of a request to one of them. `orders` is a JSON array for /session.
  AdminResponse Handle(const AdminRequest& request, std::string_view orders)
      ABSL_LOCKS_EXCLUDED(mutex_);

  // The part of a login link behind the address, "#login=CODE": good for one login within ten
  // minutes. For somebody of whom it is known that he may act.
  std::string LoginLink() ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  AdminResponse SessionOf(const Caller& caller, std::string_view orders) const;
  AdminResponse Login(const AdminRequest& request, std::string_view orders)
      ABSL_LOCKS_EXCLUDED(mutex_);
  AdminResponse Logout(const AdminRequest& request) ABSL_LOCKS_EXCLUDED(mutex_);
  AdminResponse NewCode(const AdminRequest& request) ABSL_LOCKS_EXCLUDED(mutex_);
  // The session that a token begins; nothing when it is wrong.
  std::optional<Session> SessionFor(std::string_view token) const;
  std::string CookieName(const AdminRequest& request) const;

  const AccessOptions options_;
  const Clock& clock_;

  absl::Mutex mutex_;
  SessionTable sessions_ ABSL_GUARDED_BY(mutex_);
  LoginLimit limit_ ABSL_GUARDED_BY(mutex_);
};

// Whether a browser may have sent the request from one of the console's own pages, as far as it
// says: RFC 6454 and Fetch Metadata. True for programs, which say nothing.
bool IsFromOwnPage(const AdminRequest& request);

}  // namespace orbweaver
