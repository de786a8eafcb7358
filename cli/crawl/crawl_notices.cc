#include "cli/crawl/crawl_notices.h"

#include <algorithm>

#include "cli/amounts.h"
#include "fmt/format.h"

namespace orbweaver {
namespace {

constexpr Duration kFirstPatience = std::chrono::minutes(1);
// Of hosts that cannot be reached so many get a line of their own.
constexpr size_t kMostTold = 20;

}  // namespace

std::string_view RemedyFor(OwnSide side) {
  switch (side) {
    case OwnSide::kNetwork:
      return "Look at this machine's network";
    case OwnSide::kNameServers:
      return "Look at this machine's network, or name others: --set network.dns_servers=ADDRESS";
    case OwnSide::kProxy:
      return "See --proxy";
  }
  return "";
}

std::vector<std::string> CrawlNotices::NewsOf(const CrawlSnapshot& look,
                                              const std::optional<WayOut::Closed>& no_way_out) {
  std::vector<std::string> news;
  for (const auto& [origin, why] : look.unreachable) {
    if (told_.size() >= kMostTold || !told_.insert(origin).second) continue;
    news.push_back(fmt::format("{} cannot be reached: {}", origin, why));
  }
  if (no_way_out && !told_no_way_out_) {
    news.push_back(fmt::format("paused: {}. It is tried again until it works. {}",
                               no_way_out->message, RemedyFor(no_way_out->side)));
  } else if (!no_way_out && told_no_way_out_) {
    news.emplace_back("goes on: there is a way out again");
  }
  told_no_way_out_ = no_way_out.has_value();
  if (look.is_idle && look.next_due != told_due_) {
    const std::string due = DueIn(look);
    // A pause between two requests is no news.
    if (!due.empty() && look.next_due - look.at >= std::chrono::seconds(3)) {
      told_due_ = look.next_due;
      news.push_back(fmt::format("waits for retries or revisits: {}, the first due {}",
                                 Count(look.queued + look.delayed, "request"), due));
    }
  }
  return news;
}

bool GivesUpWaiting(Duration without_way_out, uint64_t pages, Duration max_wait) {
  return without_way_out >= (pages == 0 ? std::min(kFirstPatience, max_wait) : max_wait);
}

}  // namespace orbweaver
