// The robots.txt of a domain's hosts as they were fetched (common/protocol/robots_rows.h).
//
// Functions of a store; each call to it may block for kLookTimeout.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "common/base/clock.h"
#include "common/model/spider_log.h"
#include "common/store/store.h"

namespace orbweaver {

// The newest answer to the question for it.
struct RobotsFile {
  std::string host;  // with the port unless it is the scheme's own
  WallTime fetched_at;
  RobotsOutcome outcome = RobotsOutcome::kUnspecified;
  uint32_t status = 0;  // 0: no answer
  std::optional<std::chrono::milliseconds> crawl_delay;
  // Named by the file, or looked for where it names none.
  std::vector<std::string> sitemaps;
  // Any bytes; its beginning where it is shorter than `bytes`. Nothing: there is no file.
  std::optional<std::string> text;
  uint64_t bytes = 0;  // of the whole file, as far as the spider read it
};

struct RobotsFiles {
  std::vector<RobotsFile> files;  // by host
  bool has_more = false;          // further hosts are left out
};

struct RobotsBounds {
  size_t hosts = 20;
  size_t text_bytes = size_t{64} << 10;  // of all texts together
  size_t sitemaps = 50;                  // of a host
};

// Retry errors are the store's; fatal: a row cannot be decoded.
absl::StatusOr<RobotsFiles> ReadRobotsFiles(Store& store, std::string_view domain,
                                            const RobotsBounds& bounds);

// "rules", "allow-all", "disallow-all".
std::string_view RobotsOutcomeName(RobotsOutcome outcome);

// Erases those of a domain.
absl::Status EraseRobotsFiles(Store& store, std::string_view domain);

}  // namespace orbweaver
