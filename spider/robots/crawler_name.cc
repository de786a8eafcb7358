#include "spider/robots/crawler_name.h"

#include <algorithm>

#include "absl/strings/ascii.h"

#include "common/base/status.h"
#include "spider/robots/robots_rules.h"

namespace orbweaver {
namespace {

constexpr std::string_view kCompatible = "compatible;";

std::string Lower(std::string_view text) {
  std::string lower(text);
  absl::AsciiStrToLower(&lower);
  return lower;
}

// A product's name ends before its version and before a comment (RFC 9110, section 10.1.5).
std::string_view FirstProduct(std::string_view agent) {
  const size_t begin = agent.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  agent.remove_prefix(begin);
  return agent.substr(0, agent.find_first_of(" \t/;,()"));
}

}  // namespace

absl::StatusOr<std::string> CrawlerName(std::string_view user_agent, std::string_view chosen) {
  const std::string agent = Lower(user_agent);
  if (!chosen.empty()) {
    if (!IsProductToken(chosen)) {
      return FatalError(
          "spider.robots.product_token '{}': has other characters than letters, `-` and `_`",
          chosen);
    }
    if (agent.find(Lower(chosen)) == std::string::npos) {
      return FatalError(
          "spider.robots.product_token '{}': does not stand in the user agent '{}'. Site owners "
          "write the name that they see: leave the option out, or change the user agent",
          chosen, user_agent);
    }
    return std::string(chosen);
  }
  std::string_view product = FirstProduct(user_agent);
  if (Lower(product) == "mozilla") {
    const size_t compatible = agent.find(kCompatible);
    product = compatible == std::string::npos
                  ? std::string_view()
                  : FirstProduct(user_agent.substr(compatible + kCompatible.size()));
  }
  if (product.empty() || !IsProductToken(product.substr(0, 1))) {
    return FatalError(
        "user agent '{}': does not begin with a name that a robots.txt can have, such as "
        "'mybot/1.0 (+https://example.org/bot)'",
        user_agent);
  }
  return std::string(product);
}

}  // namespace orbweaver
