// The files of robots.txt as they were fetched, for people to look at: the record of a domain keeps
// one status, and the spiders keep rules. Rows of table `pages`, one a host:
//
//   slot, reversed domain, 0x02, host    `r`: the newest entry of the spider log with HostFacts
//   that
//                                        tell of its robots.txt
#pragma once

#include <string>
#include <string_view>

#include "common/store/store.h"

namespace orbweaver {

inline constexpr Table kRobotsTable = Table::kPages;
inline constexpr std::string_view kRobotsColumn = "r";

// `host`: as HostFacts name it.
std::string RobotsRow(std::string_view domain, std::string_view host);

// All of a domain stand in [RobotsBegin, RobotsEnd).
std::string RobotsBegin(std::string_view domain);
std::string RobotsEnd(std::string_view domain);

}  // namespace orbweaver
