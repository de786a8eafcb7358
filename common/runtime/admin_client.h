// Asks the admin server of another process.
#pragma once

#include <string>

#include "absl/status/statusor.h"

#include "common/base/clock.h"
#include "common/runtime/admin_message.h"

namespace orbweaver {

// Whose certificate a server of https must show.
struct AdminTrust {
  // False: anybody's. For processes of this machine, whose certificates are for the names that
  // others know them by.
  bool verify = false;
  // PEM file of the authorities, one of which must have signed it; empty: the system's.
  std::string ca_file;
  std::string ca_option = "admin.tls_ca";  // for messages: where the file is named
};

// Sends `request` to `url`, which is HOST:PORT, http://HOST:PORT or https://HOST:PORT, on a
// connection of its own and waits for the whole answer, whatever its status; a body is sent as a
// form. Retry when there was none within `timeout`: it may have been done all the same. Poison when
// `url` is no such thing. Fatal when the certificate is refused, or authorities cannot be read; the
// request was not sent then.
absl::StatusOr<AdminResponse> AskAdmin(const std::string& url, const AdminRequest& request,
                                       Duration timeout, const AdminTrust& trust = {});

}  // namespace orbweaver
