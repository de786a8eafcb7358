// The parts of our own way to the web whose failures are no fault of the host that was asked.
#pragma once

#include <cstdint>
#include <string_view>

namespace orbweaver {

enum class OwnSide : uint8_t {
  kNetwork,      // no route, an interface that is down, a firewall of ours
  kNameServers,  // none answers
  kProxy,        // cannot be reached, or refuses
};
inline constexpr int kOwnSides = 3;

// As metrics and JSON spell it: "name_servers".
inline std::string_view OwnSideName(OwnSide side) {
  switch (side) {
    case OwnSide::kNetwork:
      return "network";
    case OwnSide::kNameServers:
      return "name_servers";
    case OwnSide::kProxy:
      return "proxy";
  }
  return "";
}

}  // namespace orbweaver
