#include "cli/frontier/robots_files.h"

#include <algorithm>
#include <span>
#include <utility>

#include "cli/frontier/frontier.h"

#include "common/base/status.h"
#include "common/model/arena.h"
#include "common/protocol/robots_rows.h"

namespace orbweaver {
namespace {

constexpr size_t kErasedAtOnce = 1000;

RobotsFile FileOf(const HostFacts& facts, const RobotsBounds& bounds, size_t* text_left) {
  RobotsFile file{.host = std::string(facts.host),
                  .fetched_at = facts.observed_at,
                  .outcome = facts.robots,
                  .status = facts.robots_status,
                  .crawl_delay = facts.crawl_delay,
                  .sitemaps = {},
                  .text = {},
                  .bytes = facts.robots_txt_bytes};
  const auto sitemaps = facts.sitemaps.first(std::min(facts.sitemaps.size(), bounds.sitemaps));
  file.sitemaps.assign(sitemaps.begin(), sitemaps.end());
  if (facts.robots_txt.has_value()) {
    file.text = facts.robots_txt->substr(0, *text_left);
    *text_left -= file.text->size();
  }
  return file;
}

}  // namespace

absl::StatusOr<RobotsFiles> ReadRobotsFiles(Store& store, std::string_view domain,
                                            const RobotsBounds& bounds) {
  const std::string begin = RobotsBegin(domain);
  const std::string end = RobotsEnd(domain);
  const ScanRange range{
      .begin = begin, .end = end, .columns = {&kRobotsColumn, 1}, .limit = bounds.hosts + 1};
  RobotsFiles found;
  size_t text_left = bounds.text_bytes;
  Arena arena;
  absl::Status decoded;
  RETURN_IF_ERROR(store.Scan(kRobotsTable, range, kLookTimeout,
                             [&](std::string_view, std::span<const Cell> cells) {
                               found.has_more = found.files.size() == bounds.hosts;
                               if (found.has_more) return false;
                               arena.Reset();
                               SpiderLogEntry entry;
                               decoded = Decode(cells[0].value, &arena, &entry);
                               if (!decoded.ok()) return false;
                               const auto* const facts = std::get_if<HostFacts>(&entry.event);
                               if (facts != nullptr)
                                 found.files.push_back(FileOf(*facts, bounds, &text_left));
                               return true;
                             }));
  if (!decoded.ok()) return FatalError("read the kept robots.txt: {}", MessageOf(decoded));
  return found;
}

std::string_view RobotsOutcomeName(RobotsOutcome outcome) {
  switch (outcome) {
    case RobotsOutcome::kUnspecified:
      return "unknown";
    case RobotsOutcome::kRules:
      return "rules";
    case RobotsOutcome::kAllowAll:
      return "allow-all";
    case RobotsOutcome::kDisallowAll:
      return "disallow-all";
  }
  return "unknown";
}

absl::Status EraseRobotsFiles(Store& store, std::string_view domain) {
  std::string begin = RobotsBegin(domain);
  const std::string end = RobotsEnd(domain);
  while (true) {
    std::vector<std::string> rows;
    std::vector<Version> versions;
    const ScanRange range{
        .begin = begin, .end = end, .columns = {&kRobotsColumn, 1}, .limit = kErasedAtOnce};
    RETURN_IF_ERROR(store.Scan(kRobotsTable, range, kLookTimeout,
                               [&](std::string_view row, std::span<const Cell> cells) {
                                 rows.emplace_back(row);
                                 versions.push_back(cells[0].version);
                                 return true;
                               }));
    if (rows.empty()) return absl::OkStatus();
    std::vector<RowErase> erases;
    for (size_t i = 0; i < rows.size(); ++i) {
      erases.push_back({rows[i], versions[i], {&kRobotsColumn, 1}});
    }
    RETURN_IF_ERROR(store.Erase(kRobotsTable, erases, kLookTimeout));
    begin = rows.back() + '\0';
  }
}

}  // namespace orbweaver
