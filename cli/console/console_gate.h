// In front of all that the console's server answers: who may read, who may act.
#pragma once

#include "cli/console/console_access.h"
#include "cli/console/console_site.h"
#include "cli/console/order_api.h"

#include "common/runtime/admin_message.h"
#include "common/runtime/admin_site.h"

namespace orbweaver {

// Place: the handler of an AdminServer whose slow_reads is kApiPath; so it is called on three
// threads, each for a part of its own: reads of the API, all other reads, and orders.
//
// The page itself, /healthz and /readyz are for everybody; all else that can be read is for those
// who may read.
class ConsoleGate {
 public:
  // All must outlive it; `admin` is the one behind `site`.
  ConsoleGate(ConsoleAccess& access, OrderApi& orders, const ConsoleSite& site,
              const AdminSite& admin)
      : access_(access), orders_(orders), site_(site), admin_(admin) {}

  AdminResponse Handle(const AdminRequest& request) const;

 private:
  bool IsForEverybody(std::string_view path) const;

  ConsoleAccess& access_;
  OrderApi& orders_;
  const ConsoleSite& site_;
  const AdminSite& admin_;
};

}  // namespace orbweaver
