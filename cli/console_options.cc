#include "cli/console_options.h"

#include <arpa/inet.h>
#include <string_view>
#include <utility>

#include "common/base/status.h"
#include "common/config/schema.h"
#include "common/runtime/admin_server.h"

namespace orbweaver {
namespace {

// So many characters cannot be guessed even by many who try.
constexpr size_t kLeastToken = 16;

}  // namespace

void DeclareConsoleOptions(config::Schema& schema, ConsoleOptions* options) {
  schema.Add("console.read_token", &options->read_token,
             {.secret = true,
              .doc = "Token that reading the console needs, in its login or as a Bearer token; "
                     "admin.token allows reading too. Without it every user of this machine may "
                     "read, and the console refuses to listen for others"});
  schema.Add("console.read_only", &options->read_only,
             {.doc = "The console takes no order, whoever gives it"});
  schema.Add("console.tls_cert", &options->tls_cert,
             {.doc = "File with the console's certificates (PEM, the chain behind its own): it is "
                     "served by HTTPS then"});
  schema.Add("console.tls_key", &options->tls_key,
             {.doc = "File with the private key of console.tls_cert (PEM, without a password)"});
  schema.Add("console.journal", &options->journal,
             {.doc = "File where orders to a cluster are kept, a line each; by default "
                     "orbweaver/orders.jsonl below $XDG_STATE_HOME or ~/.local/state. A folder of "
                     "`orbweaver crawl` has its own"});
}

absl::Status CheckConsoleOptions(const ConsoleOptions& options, const std::string& admin_token,
                                 const std::string& listen) {
  if (options.tls_cert.empty() != options.tls_key.empty()) {
    return FatalError(
        "TLS needs both files: set console.tls_cert and console.tls_key "
        "(--tls-cert, --tls-key)");
  }
  if (IsLoopback(listen)) return absl::OkStatus();
  in6_addr address;
  if (inet_pton(AF_INET, listen.c_str(), &address) != 1 &&
      inet_pton(AF_INET6, listen.c_str(), &address) != 1) {
    return FatalError("{}: expected IP:PORT, such as 127.0.0.1:9600", listen);
  }
  for (const auto& [name, token] :
       {std::pair(std::string_view("console.read_token"), &options.read_token),
        std::pair(std::string_view("admin.token"), &admin_token)}) {
    if (token->size() >= kLeastToken) continue;
    return FatalError(
        "{}: other machines reach this address, so reading and acting need tokens: {} {}. Set "
        "console.read_token and admin.token in the file of --config, or in the environment as "
        "ORBWEAVER_CONSOLE__READ_TOKEN and ORBWEAVER_ADMIN__TOKEN; or give an address of this "
        "machine alone, such as 127.0.0.1:9600",
        listen, name, token->empty() ? "is not set" : "has fewer than 16 characters");
  }
  if (options.read_token != admin_token) return absl::OkStatus();
  return FatalError("console.read_token and admin.token are the same: who may read may act");
}

}  // namespace orbweaver
