// The content of a process's admin server.
//
//   GET  /healthz            200 as long as the process answers
//   GET  /readyz             200, or 503 and the conditions that do not hold, one a line
//   GET  /status             a JSON object with a member for each part that told of itself
//   GET  /actions            the actions there are
//   POST /actions/<name>     does one; parameters as a form, in the query or the body
//   GET  <page>              whatever was added: /metrics, /config
//
// An action needs `Authorization: Bearer TOKEN`; without a configured token all are refused.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"

#include "common/base/json.h"
#include "common/runtime/admin_message.h"
#include "common/runtime/form.h"

namespace orbweaver {

// Place: built in main; parts register what they have to say when they start, and the registration
// ends with them. Thread-safe. The registered functions are called on the admin server's threads,
// one call at a time. They must be safe against the part's own thread and must not use the site.
// They should return within milliseconds; only an action may take its time, one action at a time,
// while the other functions are still called. Adding a name twice is a bug.
class AdminSite {
 public:
  // Takes what was added out again when it is destroyed; waits for a call that is under way.
  class Registration {
   public:
    Registration() = default;
    Registration(Registration&& other) noexcept;
    Registration& operator=(Registration&& other) noexcept;
    ~Registration();

   private:
    friend class AdminSite;
    explicit Registration(std::function<void()> remove) : remove_(std::move(remove)) {}
    std::function<void()> remove_;
  };

  // Empty when the condition holds; else why not, in a few words.
  using Condition = std::function<std::string()>;
  // Writes one JSON value.
  using Status = std::function<void(JsonWriter&)>;
  using Page = std::function<std::string()>;
  // Returns a sentence that says what was done. Poison: the parameters are wrong (400); NotFound:
  // what they name is not here (404); retry: 503; anything else: 500.
  using Action = std::function<absl::StatusOr<std::string>(const FormParams&)>;

  // Empty `token`: no action is allowed.
  explicit AdminSite(std::string token) : token_(std::move(token)) {}

  [[nodiscard]] Registration AddCondition(std::string name, Condition condition)
      ABSL_LOCKS_EXCLUDED(mutex_);
  [[nodiscard]] Registration AddStatus(std::string part, Status status) ABSL_LOCKS_EXCLUDED(mutex_);
  [[nodiscard]] Registration AddPage(std::string path, std::string content_type, Page page)
      ABSL_LOCKS_EXCLUDED(mutex_);
  [[nodiscard]] Registration AddAction(std::string name, std::string doc, Action action)
      ABSL_LOCKS_EXCLUDED(mutex_);

  AdminResponse Handle(const AdminRequest& request) const ABSL_LOCKS_EXCLUDED(acting_, mutex_);

  // Whether it answers for this path itself: its pages, and all that lies below /actions/.
  bool Has(std::string_view path) const ABSL_LOCKS_EXCLUDED(mutex_);

  // Does an action for a part of this process, which has seen to it that it may be done. NotFound:
  // there is no such action.
  absl::StatusOr<std::string> Do(std::string_view name, const FormParams& params) const
      ABSL_LOCKS_EXCLUDED(acting_, mutex_);

 private:
  struct NamedPage {
    std::string content_type;
    Page page;
  };
  struct NamedAction {
    std::string doc;
    Action action;
  };
  template <typename T>
  using ByName = std::map<std::string, T, std::less<>>;

  template <typename T>
  Registration Add(ByName<T> AdminSite::* where, std::string name, T what);

  // A page that there is.
  AdminResponse Get(std::string_view path) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  AdminResponse Act(std::string_view name, const AdminRequest& request) const
      ABSL_LOCKS_EXCLUDED(acting_, mutex_);
  AdminResponse Index() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  AdminResponse Readiness() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  AdminResponse StatusPage() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  AdminResponse ActionList() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const std::string token_;

  // Held while an action runs, so that it stays; taken before mutex_.
  mutable absl::Mutex acting_ ABSL_ACQUIRED_BEFORE(mutex_);
  mutable absl::Mutex mutex_;
  ByName<Condition> conditions_ ABSL_GUARDED_BY(mutex_);
  ByName<Status> statuses_ ABSL_GUARDED_BY(mutex_);
  ByName<NamedPage> pages_ ABSL_GUARDED_BY(mutex_);
  ByName<NamedAction> actions_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace orbweaver
