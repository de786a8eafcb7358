#include "cli/console/session_table.h"

#include <utility>

#include "common/runtime/secret.h"

namespace orbweaver {

std::string SessionTable::Begin(Session session, SteadyTime now) {
  if (open_.size() >= kMostSessions) open_.pop_front();
  session.csrf = NewSecret();
  open_.push_back(
      {.secret = NewSecret(), .session = std::move(session), .begun = now, .used = now});
  return open_.back().secret;
}

const Session* SessionTable::Find(std::string_view secret, SteadyTime now) {
  open_.remove_if([now](const Open& open) {
    return now - open.used >= kIdle || now - open.begun >= kLifetime;
  });
  const Session* found = nullptr;
  // All are looked at, so that nothing is told by how long it takes.
  for (Open& open : open_) {
    if (!SameSecret(secret, open.secret)) continue;
    open.used = now;
    found = &open.session;
  }
  return found;
}

void SessionTable::End(std::string_view secret) {
  open_.remove_if([secret](const Open& open) { return SameSecret(secret, open.secret); });
}

std::string SessionTable::NewCode(SteadyTime now) {
  if (codes_.size() >= kMostCodes) codes_.pop_front();
  codes_.push_back({.code = NewSecret(), .made = now});
  return codes_.back().code;
}

bool SessionTable::TakeCode(std::string_view code, SteadyTime now) {
  codes_.remove_if([now](const Code& one) { return now - one.made >= kCodeLifetime; });
  return codes_.remove_if([code](const Code& one) { return SameSecret(code, one.code); }) > 0;
}

}  // namespace orbweaver
