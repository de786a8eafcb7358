// The URLs that failed, by name: link states know URLs by their fingerprints only, and
// whoever wants one tried again must say its URL. Rows of table `pages`, beside those of the pages
// that came:
//
//   slot, reversed domain, 0x01, fingerprint    `f`: the failure's entry of the spider log; empty
//                                               once the URL is tried again
//                                               `l`: that of one that is tried again, its last
#pragma once

#include <string>
#include <string_view>

#include "common/base/ids.h"
#include "common/store/store.h"

namespace orbweaver {

inline constexpr Table kFailedUrlTable = Table::kPages;
inline constexpr std::string_view kFailedUrlColumn = "f";
inline constexpr std::string_view kLastFailureColumn = "l";

std::string FailedUrlRow(std::string_view domain, const Fingerprint& url);

// All of a domain stand in [FailedUrlsBegin, FailedUrlsEnd).
std::string FailedUrlsBegin(std::string_view domain);
std::string FailedUrlsEnd(std::string_view domain);

}  // namespace orbweaver
