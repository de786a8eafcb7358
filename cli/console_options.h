// How the console is reached, and by whom; `orbweaver console` and a crawl that runs have one.
#pragma once

#include <string>

#include "absl/status/status.h"

namespace orbweaver {

namespace config {
class Schema;
}

struct ConsoleOptions {
  std::string read_token;
  bool read_only = false;
  std::string tls_cert;
  std::string tls_key;
  std::string journal;
};

// console.*; `options` must outlive the schema.
void DeclareConsoleOptions(config::Schema& schema, ConsoleOptions* options);

// Whether a console may listen on the IP address `listen`. Fatal, saying what to set, where other
// machines reach it and a token is missing or short, or where TLS has one of its two files.
absl::Status CheckConsoleOptions(const ConsoleOptions& options, const std::string& admin_token,
                                 const std::string& listen);

}  // namespace orbweaver
