// All that the console's server answers: the JSON API, the page, and the pages of the admin server.
#pragma once

#include "cli/console/console_api.h"

#include "common/runtime/admin_message.h"
#include "common/runtime/admin_site.h"

namespace orbweaver {

// Place: the handler of an AdminServer whose slow_reads is kApiPath; so it is called on three
// threads, each for a part of its own: the API, all other reads, and actions.
class ConsoleSite {
 public:
  // Both must outlive it.
  ConsoleSite(ConsoleApi& api, const AdminSite& admin) : api_(api), admin_(admin) {}

  AdminResponse Handle(const AdminRequest& request) const;

 private:
  ConsoleApi& api_;
  const AdminSite& admin_;
};

}  // namespace orbweaver
