#include "common/runtime/admin_site.h"

#include <algorithm>
#include <utility>

#include "fmt/format.h"

#include "common/base/check.h"
#include "common/base/log.h"
#include "common/base/status.h"
#include "common/config/excerpt.h"
#include "common/runtime/secret.h"

namespace orbweaver {
namespace {

constexpr char kModule[] = "admin";
constexpr std::string_view kActions = "/actions/";
constexpr std::string_view kBuiltIn[] = {"/", "/actions", "/healthz", "/readyz", "/status"};

AdminResponse Text(int status, std::string body) {
  AdminResponse response;
  response.status = status;
  response.body = std::move(body);
  return response;
}

AdminResponse NotAllowed(std::string_view allowed) {
  AdminResponse response = Text(405, fmt::format("use {}\n", allowed));
  response.headers.emplace_back("Allow", allowed);
  return response;
}

}  // namespace

AdminSite::Registration::Registration(Registration&& other) noexcept
    : remove_(std::exchange(other.remove_, nullptr)) {}

AdminSite::Registration& AdminSite::Registration::operator=(Registration&& other) noexcept {
  std::swap(remove_, other.remove_);
  return *this;
}

AdminSite::Registration::~Registration() {
  if (remove_) remove_();
}

template <typename T>
AdminSite::Registration AdminSite::Add(ByName<T> AdminSite::* where, std::string name, T what) {
  absl::MutexLock lock(&mutex_);
  CHECK((this->*where).emplace(name, std::move(what)).second);
  return Registration([this, where, name = std::move(name)] {
    absl::MutexLock remove_lock(&mutex_);
    (this->*where).erase(name);
  });
}

AdminSite::Registration AdminSite::AddCondition(std::string name, Condition condition) {
  return Add(&AdminSite::conditions_, std::move(name), std::move(condition));
}

AdminSite::Registration AdminSite::AddStatus(std::string part, Status status) {
  return Add(&AdminSite::statuses_, std::move(part), std::move(status));
}

AdminSite::Registration AdminSite::AddPage(std::string path, std::string content_type, Page page) {
  CHECK(path.starts_with('/') && !path.starts_with(kActions));
  CHECK(std::find(std::begin(kBuiltIn), std::end(kBuiltIn), path) == std::end(kBuiltIn));
  return Add(&AdminSite::pages_, std::move(path),
             NamedPage{std::move(content_type), std::move(page)});
}

AdminSite::Registration AdminSite::AddAction(std::string name, std::string doc, Action action) {
  auto registration =
      Add(&AdminSite::actions_, std::move(name), NamedAction{std::move(doc), std::move(action)});
  return Registration([this, remove = std::move(registration.remove_)] {
    absl::MutexLock waits_for_its_end(&acting_);
    remove();
  });
}

bool AdminSite::Has(std::string_view path) const {
  if (path.starts_with(kActions)) return true;
  if (std::find(std::begin(kBuiltIn), std::end(kBuiltIn), path) != std::end(kBuiltIn)) return true;
  absl::MutexLock lock(&mutex_);
  return pages_.contains(path);
}

AdminResponse AdminSite::Handle(const AdminRequest& request) const {
  const std::string_view path = request.path();
  if (path.starts_with(kActions)) return Act(path.substr(kActions.size()), request);
  absl::MutexLock lock(&mutex_);
  const bool known = pages_.contains(path) || std::find(std::begin(kBuiltIn), std::end(kBuiltIn),
                                                        path) != std::end(kBuiltIn);
  if (!known) return Text(404, "no such page. / lists them.\n");
  if (!request.is_read()) return NotAllowed("GET, HEAD");
  AdminResponse response = Get(path);
  // For people at a terminal; nothing that is served here minds.
  if (!response.body.ends_with('\n')) response.body += '\n';
  return response;
}

AdminResponse AdminSite::Get(std::string_view path) const {
  if (path == "/") return Index();
  if (path == "/healthz") return Text(200, "ok\n");
  if (path == "/readyz") return Readiness();
  if (path == "/status") return StatusPage();
  if (path == "/actions") return ActionList();
  const NamedPage& named = pages_.find(path)->second;
  AdminResponse response = Text(200, named.page());
  response.content_type = named.content_type;
  return response;
}

AdminResponse AdminSite::Act(std::string_view name, const AdminRequest& request) const {
  // Whether there is one is not asked of the action that runs: a wrong call is answered at once.
  const auto known = [this, name] {
    absl::MutexLock lock(&mutex_);
    return actions_.contains(name);
  };
  if (!known()) return Text(404, "no such action. /actions lists them.\n");
  if (request.method != "POST") return NotAllowed("POST");
  if (token_.empty()) {
    return Text(403, "actions are refused: no token is configured. Set admin.token.\n");
  }
  if (!SameSecret(BearerToken(request.authorization), token_)) {
    AdminResponse response = Text(401, "send `Authorization: Bearer TOKEN` (admin.token)\n");
    response.headers.emplace_back("WWW-Authenticate", "Bearer");
    return response;
  }
  const std::string form = request.form();
  const absl::StatusOr<FormParams> params = ParseForm(form);
  if (!params.ok()) return Text(400, fmt::format("{}\n", MessageOf(params.status())));
  const absl::StatusOr<std::string> done = Do(name, *params);
  Log(LogLevel::kInfo, kModule, "action {} ({}): {}", name, config::Excerpt(form),
      done.ok() ? std::string_view(*done) : MessageOf(done.status()));
  if (!done.ok()) {
    return Text(HttpStatusOf(done.status()), fmt::format("{}\n", MessageOf(done.status())));
  }
  return Text(200, fmt::format("{}\n", *done));
}

absl::StatusOr<std::string> AdminSite::Do(std::string_view name, const FormParams& params) const {
  absl::MutexLock acting(&acting_);
  const Action* action = nullptr;
  {
    absl::MutexLock lock(&mutex_);
    const auto found = actions_.find(name);
    if (found == actions_.end()) return absl::NotFoundError("the action has gone");
    action = &found->second.action;  // stays while acting_ is held
  }
  return (*action)(params);
}

AdminResponse AdminSite::Index() const {
  AdminResponse response;
  for (const std::string_view path : kBuiltIn) response.body += fmt::format("{}\n", path);
  for (const auto& [path, page] : pages_) response.body += fmt::format("{}\n", path);
  return response;
}

AdminResponse AdminSite::Readiness() const {
  AdminResponse response;
  for (const auto& [name, condition] : conditions_) {
    const std::string why_not = condition();
    if (why_not.empty()) continue;
    response.status = 503;
    response.body += fmt::format("{}: {}\n", name, why_not);
  }
  if (response.status == 200) response.body = "ready\n";
  return response;
}

AdminResponse AdminSite::StatusPage() const {
  AdminResponse response;
  response.content_type = "application/json";
  JsonWriter json(&response.body);
  json.BeginObject();
  for (const auto& [part, status] : statuses_) {
    json.Key(part);
    status(json);
  }
  json.EndObject();
  return response;
}

AdminResponse AdminSite::ActionList() const {
  AdminResponse response;
  response.content_type = "application/json";
  JsonWriter json(&response.body);
  json.BeginArray();
  for (const auto& [name, action] : actions_) {
    json.BeginObject().Key("name").Value(name).Key("doc").Value(action.doc).EndObject();
  }
  json.EndArray();
  return response;
}

}  // namespace orbweaver
