#include "spider/fetch/proxy.h"

#include <charconv>
#include <string_view>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/strip.h"

#include "common/base/status.h"
#include "common/base/text.h"
#include "common/config/mask.h"

namespace orbweaver {
namespace {

constexpr uint16_t kSocksPort = 1080;
// RFC 1929: their lengths stand in a byte.
constexpr size_t kMaxCredentialBytes = 255;

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::string PercentDecoded(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size() && HexDigit(text[i + 1]) >= 0 &&
        HexDigit(text[i + 2]) >= 0) {
      out += static_cast<char>(HexDigit(text[i + 1]) * 16 + HexDigit(text[i + 2]));
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

bool TakeScheme(absl::string_view* url, Proxy* proxy) {
  if (absl::ConsumePrefix(url, "http://")) {
    proxy->port = 80;
    return true;
  }
  proxy->kind = Proxy::Kind::kSocks5;
  proxy->port = kSocksPort;
  return absl::ConsumePrefix(url, "socks5h://") || absl::ConsumePrefix(url, "socks5://");
}

// "host", "host:port", "[::1]:port".
bool TakeHost(std::string_view text, Proxy* proxy) {
  const size_t bracket = text.find(']');
  const bool is_v6 = text.starts_with('[');
  if (is_v6 && bracket == std::string_view::npos) return false;
  const size_t colon = text.find(':', is_v6 ? bracket : 0);
  proxy->host = text.substr(0, colon);
  if (is_v6) proxy->host = proxy->host.substr(1, proxy->host.size() - 2);
  if (proxy->host.empty() || proxy->host.find_first_of("[]?#\\ ") != std::string::npos)
    return false;
  if (colon == std::string_view::npos) return true;
  const std::string_view digits = text.substr(colon + 1);
  const char* const end = digits.data() + digits.size();
  const auto [at, error] = std::from_chars(digits.data(), end, proxy->port);
  return at == end && error == std::errc() && proxy->port != 0;
}

}  // namespace

std::string Proxy::Authorization() const {
  return user ? "Basic " + absl::Base64Escape(*user + ":" + password) : std::string();
}

absl::StatusOr<std::optional<Proxy>> ParseProxy(const std::string& option) {
  if (option.empty()) return std::nullopt;
  const auto fail = [&](std::string_view why) {
    return FatalError(
        "network.proxy '{}': {}. Write it as http://[USER:PASSWORD@]HOST:PORT or "
        "socks5://[USER:PASSWORD@]HOST:PORT, with %40 for @ and the like in user and password.",
        config::WithoutUserinfo(option), why);
  };
  Proxy proxy;
  absl::string_view rest = option;
  if (absl::StartsWith(rest, "https://")) return fail("TLS to a proxy itself is not spoken");
  if (!TakeScheme(&rest, &proxy)) return fail("no URL of a proxy");
  absl::ConsumeSuffix(&rest, "/");
  if (const size_t at = rest.rfind('@'); at != absl::string_view::npos) {
    const std::string_view userinfo(rest.data(), at);
    const size_t colon = userinfo.find(':');
    proxy.user = PercentDecoded(userinfo.substr(0, colon));
    if (colon != std::string_view::npos)
      proxy.password = PercentDecoded(userinfo.substr(colon + 1));
    rest.remove_prefix(at + 1);
    if (proxy.user->empty() || proxy.user->size() > kMaxCredentialBytes ||
        proxy.password.size() > kMaxCredentialBytes) {
      return fail("user and password have 1 to 255 bytes");
    }
    // RFC 7617: the first colon ends the user.
    if (proxy.kind == Proxy::Kind::kHttp && proxy.user->find(':') != std::string::npos) {
      return fail("a user of an HTTP proxy has no colon");
    }
  }
  if (absl::StrContains(rest, "/") || !TakeHost({rest.data(), rest.size()}, &proxy)) {
    return fail("no host and port");
  }
  return proxy;
}

}  // namespace orbweaver
