// The name by which sites may speak to this crawler: in robots.txt, `<meta name=NAME>` and
// `X-Robots-Tag: NAME: …`.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace orbweaver {

// The product that `user_agent` names first: `mybot` of `mybot/1.0 (+https://…)`. Of an agent that
// begins as browsers do it is the one behind `compatible;`. A site owner who reads that agent in a
// log writes this name, so no other name may be obeyed: `chosen`, when it is not empty, must stand
// in the agent. Fatal, with what to do, when it does not, or when the agent names no product.
absl::StatusOr<std::string> CrawlerName(std::string_view user_agent, std::string_view chosen);

}  // namespace orbweaver
