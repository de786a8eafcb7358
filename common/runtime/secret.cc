#include "common/runtime/secret.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <sys/random.h>

#include "fmt/format.h"

#include "common/base/check.h"

namespace orbweaver {

bool SameSecret(std::string_view presented, std::string_view secret) {
  if (secret.empty()) return false;
  unsigned difference = presented.size() == secret.size() ? 0 : 1;
  for (size_t i = 0; i < presented.size(); ++i) {
    difference |= static_cast<unsigned char>(presented[i] ^ secret[i % secret.size()]);
  }
  return difference == 0;
}

std::string NewSecret() {
  uint64_t random[2];
  ssize_t got;
  // So few bytes come whole or not at all.
  while ((got = getrandom(random, sizeof random, 0)) < 0 && errno == EINTR) {
  }
  CHECK(got == static_cast<ssize_t>(sizeof random));
  return fmt::format("{:016x}{:016x}", random[0], random[1]);
}

std::string_view BearerToken(std::string_view authorization) {
  constexpr std::string_view kScheme = "bearer ";
  if (authorization.size() < kScheme.size()) return {};
  const bool is_bearer =
      std::equal(kScheme.begin(), kScheme.end(), authorization.begin(), [](char expected, char c) {
        return expected == (c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c);
      });
  return is_bearer ? authorization.substr(kScheme.size()) : std::string_view();
}

}  // namespace orbweaver
