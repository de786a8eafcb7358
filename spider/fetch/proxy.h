// The proxy through which everything is asked, as network.proxy names it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"

namespace orbweaver {

struct Proxy {
  enum class Kind : uint8_t { kHttp, kSocks5 };
  Kind kind = Kind::kHttp;
  std::string host;  // a name or an address, without brackets
  uint16_t port = 0;
  // Decoded; nullopt: it is told nothing.
  std::optional<std::string> user;
  std::string password;

  // The value of Proxy-Authorization (RFC 7617); empty without a user.
  std::string Authorization() const;
};

// `http://[USER:PASSWORD@]HOST:PORT`, or `socks5://` and `socks5h://`, which are the same here: the
// proxy resolves the names. Nothing for an empty option. Fatal, without the password, for anything
// else.
absl::StatusOr<std::optional<Proxy>> ParseProxy(const std::string& option);

}  // namespace orbweaver
