// The part of the console's API that acts, and says who has acted.
//
//   POST /api/v1/orders/NAME?preview=1   parameters as a form in the body: what it would touch
//   POST /api/v1/orders/NAME             does it
//   GET  /api/v1/orders?limit=           the journal, the newest first
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "cli/console/console_access.h"
#include "cli/orders/order_desk.h"

#include "common/base/clock.h"
#include "common/runtime/admin_message.h"

namespace orbweaver {

// Place: in ConsoleSite. Post is called by the server's thread of calls, List by that of slow
// reads; each by one thread at a time.
class OrderApi {
 public:
  // All must outlive it. Orders are kept in `journal` (order_journal.h), done or not, previews
  // are not.
  OrderApi(const OrderDesk& desk, ConsoleAccess& access, const Clock& clock,
           std::filesystem::path journal)
      : desk_(desk), access_(access), clock_(clock), journal_(std::move(journal)) {}

  static bool Owns(std::string_view path);
  AdminResponse Handle(const AdminRequest& request);

  // The orders that there are for this crawl, as a JSON array.
  std::string Kinds() const;

 private:
  AdminResponse Post(const AdminRequest& request, std::string_view name);
  AdminResponse List(std::string_view query) const;
  void Keep(const AdminRequest& request, std::string_view name, const FormParams& params,
            const ConsoleAccess::Caller& caller, const absl::StatusOr<OrderEffect>& done) const;

  const OrderDesk& desk_;
  ConsoleAccess& access_;
  const Clock& clock_;
  const std::filesystem::path journal_;
};

}  // namespace orbweaver
