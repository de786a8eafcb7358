#include "cli/console/console_access.h"

#include <algorithm>
#include <utility>

#include "cli/console/json_answer.h"
#include "fmt/format.h"

#include "common/base/json.h"
#include "common/base/log.h"
#include "common/base/status.h"
#include "common/runtime/form.h"
#include "common/runtime/secret.h"

namespace orbweaver {
namespace {

constexpr char kModule[] = "console";
constexpr std::string_view kSession = "/api/v1/session";
constexpr std::string_view kLogin = "/api/v1/login";
constexpr std::string_view kLogout = "/api/v1/logout";
constexpr std::string_view kLoginCodes = "/api/v1/login-codes";

// The value of a cookie (RFC 6265, section 4.2.1); empty: it is not there.
std::string_view CookieOf(std::string_view cookies, std::string_view name) {
  while (!cookies.empty()) {
    const size_t end = std::min(cookies.find(';'), cookies.size());
    std::string_view pair = cookies.substr(0, end);
    cookies.remove_prefix(std::min(end + 1, cookies.size()));
    while (pair.starts_with(' ')) pair.remove_prefix(1);
    const size_t equals = pair.find('=');
    if (equals != pair.npos && pair.substr(0, equals) == name) return pair.substr(equals + 1);
  }
  return {};
}

AdminResponse TooMany() {
  AdminResponse response = JsonError(429, "too many wrong tokens. Try again in a minute");
  response.headers.emplace_back("Retry-After", "60");
  return response;
}

AdminResponse Unauthorized(std::string_view text) {
  AdminResponse response = JsonError(401, text);
  response.headers.emplace_back("WWW-Authenticate", "Bearer");
  return response;
}

}  // namespace

bool IsFromOwnPage(const AdminRequest& request) {
  if (!request.fetch_site.empty() && request.fetch_site != "same-origin" &&
      request.fetch_site != "none") {
    return false;
  }
  if (request.origin.empty()) return true;
  const size_t scheme = request.origin.find("://");
  // "null" of a sandboxed page among them.
  return scheme != request.origin.npos && request.origin.substr(scheme + 3) == request.host;
}

// Cookies know no ports: two consoles of one machine must not take each other's session.
std::string ConsoleAccess::CookieName(const AdminRequest& request) const {
  const size_t colon = request.host.rfind(':');
  std::string name = options_.is_tls ? "__Host-orbweaver" : "orbweaver";
  if (colon == request.host.npos) return name;
  const std::string_view port = request.host.substr(colon + 1);
  const bool is_port = std::ranges::all_of(port, [](char c) { return c >= '0' && c <= '9'; });
  return is_port ? fmt::format("{}-{}", name, port) : name;
}

ConsoleAccess::Caller ConsoleAccess::CallerOf(const AdminRequest& request) {
  Caller caller;
  caller.may_read = options_.read_token.empty();
  const SteadyTime now = clock_.Now();
  if (!request.authorization.empty()) {
    absl::MutexLock lock(&mutex_);
    if (!limit_.Allows(request.peer, now)) {
      caller.is_limited = true;
      return caller;
    }
    const std::string_view token = BearerToken(request.authorization);
    const bool is_admin = SameSecret(token, options_.admin_token);
    const bool is_reader = SameSecret(token, options_.read_token);
    if (!is_admin && !is_reader) limit_.Failed(request.peer, now);
    caller.may_read |= is_admin || is_reader;
    caller.may_act = is_admin && !options_.read_only;
    if (is_admin) caller.by = "admin";
    return caller;
  }
  const std::string_view secret = CookieOf(request.cookie, CookieName(request));
  if (secret.empty()) return caller;
  const auto user = options_.user_of(request.peer_end, request.own_end);
  absl::MutexLock lock(&mutex_);
  const Session* const session = sessions_.Find(secret, now);
  // A browser sends its cookies to every port of an address: another user's server may have seen
  // this one.
  if (session == nullptr || session->user != user) return caller;
  caller.may_read = true;
  caller.may_act = session->may_act && !options_.read_only;
  caller.by = session->by;
  caller.csrf = session->csrf;
  return caller;
}

std::optional<AdminResponse> ConsoleAccess::RefuseRead(const AdminRequest& request) {
  const Caller caller = CallerOf(request);
  if (caller.may_read) return std::nullopt;
  if (caller.is_limited) return TooMany();
  return Unauthorized("log in, or send `Authorization: Bearer TOKEN` (console.read_token)");
}

std::optional<AdminResponse> ConsoleAccess::RefuseAct(const AdminRequest& request, Caller* caller) {
  if (!IsFromOwnPage(request)) return JsonError(403, "the request comes from another site's page");
  if (options_.read_only) {
    return JsonError(403, "this console is read-only: it takes no orders");
  }
  *caller = CallerOf(request);
  if (caller->is_limited) return TooMany();
  if (!caller->may_act && !caller->csrf.empty()) {
    return JsonError(403, "this login may only read: orders need admin.token");
  }
  if (!caller->may_act) {
    return Unauthorized(
        "orders need a login with admin.token or by a login link, or "
        "`Authorization: Bearer TOKEN`");
  }
  const bool is_program = caller->csrf.empty();
  if (is_program || SameSecret(request.csrf, caller->csrf)) return std::nullopt;
  return JsonError(403, "the header X-CSRF is missing or wrong: load the page anew");
}

bool ConsoleAccess::Owns(std::string_view path) {
  return path == kSession || path == kLogin || path == kLogout || path == kLoginCodes;
}

AdminResponse ConsoleAccess::Handle(const AdminRequest& request, std::string_view orders) {
  const std::string_view path = request.path();
  if (path == kSession) {
    if (!request.is_read()) return JsonNotAllowed("GET, HEAD");
    const Caller caller = CallerOf(request);
    return caller.is_limited && !caller.may_read ? TooMany() : SessionOf(caller, orders);
  }
  if (request.method != "POST") return JsonNotAllowed("POST");
  if (!IsFromOwnPage(request)) return JsonError(403, "the request comes from another site's page");
  if (path == kLogin) return Login(request, orders);
  return path == kLogout ? Logout(request) : NewCode(request);
}

AdminResponse ConsoleAccess::SessionOf(const Caller& caller, std::string_view orders) const {
  std::string body;
  JsonWriter json(&body);
  json.BeginObject().Key("may_read").Value(caller.may_read).Key("may_act").Value(caller.may_act);
  json.Key("needs_login").Value(!caller.may_read);
  json.Key("read_only").Value(options_.read_only);
  json.Key("is_logged_in").Value(!caller.csrf.empty()).Key("csrf");
  if (caller.csrf.empty()) {
    json.Null();
  } else {
    json.Value(caller.csrf);
  }
  json.Key("orders").Raw(orders).EndObject();
  return JsonAnswer(200, std::move(body));
}

std::optional<Session> ConsoleAccess::SessionFor(std::string_view token) const {
  const bool is_admin = SameSecret(token, options_.admin_token);
  const bool is_reader = SameSecret(token, options_.read_token);
  if (is_admin) return Session{.csrf = {}, .may_act = true, .by = "admin", .user = {}};
  if (is_reader) return Session{.csrf = {}, .may_act = false, .by = "reader", .user = {}};
  return std::nullopt;
}

AdminResponse ConsoleAccess::Login(const AdminRequest& request, std::string_view orders) {
  const auto params = ParseForm(request.body);
  if (!params.ok()) return JsonError(params.status());
  const auto token = params->find("token");
  if (token == params->end()) return JsonError(400, "parameter 'token' is missing");
  const SteadyTime now = clock_.Now();
  const auto user = options_.user_of(request.peer_end, request.own_end);
  Caller caller{.may_read = true, .may_act = false, .is_limited = false, .by = {}, .csrf = {}};
  std::string secret;
  {
    absl::MutexLock lock(&mutex_);
    std::optional<Session> session;
    // Codes are too long to be guessed, so that nobody is kept out by somebody else who guesses.
    if (sessions_.TakeCode(token->second, now)) {
      session = Session{.csrf = {}, .may_act = true, .by = "login link", .user = {}};
    } else if (!limit_.Allows(request.peer, now)) {
      return TooMany();
    } else {
      session = SessionFor(token->second);
    }
    if (!session.has_value()) {
      limit_.Failed(request.peer, now);
      Log(LogLevel::kWarning, kModule, "login from {}: wrong token", request.peer);
      return Unauthorized("this is no token of this console, or its login link was used already");
    }
    session->user = user;
    caller.may_act = session->may_act && !options_.read_only;
    caller.by = session->by;
    secret = sessions_.Begin(*std::move(session), now);
    caller.csrf = sessions_.Find(secret, now)->csrf;
  }
  Log(LogLevel::kInfo, kModule, "login from {} ({})", request.peer, caller.by);
  AdminResponse response = SessionOf(caller, orders);
  response.headers.emplace_back(
      "Set-Cookie", fmt::format("{}={}; Path=/; HttpOnly; SameSite=Strict{}", CookieName(request),
                                secret, options_.is_tls ? "; Secure" : ""));
  return response;
}

AdminResponse ConsoleAccess::Logout(const AdminRequest& request) {
  const std::string name = CookieName(request);
  {
    absl::MutexLock lock(&mutex_);
    sessions_.End(CookieOf(request.cookie, name));
  }
  AdminResponse response = JsonAnswer(200, "{}");
  response.headers.emplace_back(
      "Set-Cookie", fmt::format("{}=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict{}", name,
                                options_.is_tls ? "; Secure" : ""));
  return response;
}

AdminResponse ConsoleAccess::NewCode(const AdminRequest& request) {
  Caller caller;
  if (std::optional<AdminResponse> refusal = RefuseAct(request, &caller)) return *refusal;
  if (!caller.csrf.empty()) return JsonError(403, "login links are for those who have the token");
  std::string body;
  JsonWriter(&body).BeginObject().Key("link").Value(LoginLink()).EndObject();
  return JsonAnswer(200, std::move(body));
}

std::string ConsoleAccess::LoginLink() {
  absl::MutexLock lock(&mutex_);
  return "#login=" + sessions_.NewCode(clock_.Now());
}

}  // namespace orbweaver
