#include "cli/crawl/crawl_view.h"

#include <algorithm>
#include <sys/ioctl.h>
#include <unistd.h>
#include <utility>

#include "cli/amounts.h"
#include "fmt/format.h"

#include "common/base/printable.h"

namespace orbweaver {
namespace {

constexpr size_t kMostErrors = 6;
constexpr size_t kMostSlow = 4;
constexpr size_t kMostUnreachable = 4;
constexpr size_t kNameColumns = 32;

double Seconds(Duration duration) { return std::chrono::duration<double>(duration).count(); }

std::string Bar(double share, size_t columns) {
  const auto filled =
      static_cast<size_t>(std::clamp(share, 0.0, 1.0) * static_cast<double>(columns));
  return fmt::format("[{}{}]", std::string(filled, '#'), std::string(columns - filled, '.'));
}

// A limit that is reached at today's speed.
std::string TimeLeft(double done, Duration elapsed) {
  if (done <= 0) return "";
  return fmt::format("about {} left",
                     Time(Duration(static_cast<Duration::rep>(static_cast<double>(elapsed.count()) *
                                                              (1 - done) / done))));
}

}  // namespace

std::string DueIn(const CrawlSnapshot& crawl) {
  if (crawl.next_due <= crawl.at || crawl.next_due == WallTime::max()) return "";
  const Duration wait = crawl.next_due - crawl.at;
  // Of what is due much later the queue knows the earliest time only.
  return fmt::format("in {}{}", Time(wait), wait < std::chrono::minutes(1) ? "" : " or later");
}

std::vector<std::string> DrawView(const CrawlSnapshot& crawl, size_t width, size_t height) {
  std::vector<std::string> lines;
  lines.push_back(fmt::format("{} for {}{}", crawl.state, Time(crawl.elapsed),
                              crawl.console.empty() ? "" : "   " + crawl.console));
  lines.push_back(fmt::format("  pages    {:>12}   {:>8.1f}/s   failed {}{}", Count(crawl.pages),
                              crawl.pages_per_s, Count(crawl.failed),
                              crawl.put_by == 0 ? "" : "   put by " + Count(crawl.put_by)));
  lines.push_back(fmt::format("  bytes    {:>12}   {:>8}/s", Bytes(crawl.bytes),
                              Bytes(static_cast<uint64_t>(crawl.bytes_per_s))));
  lines.push_back(fmt::format("  queue    {:>12}   later {}   fetching {}", Count(crawl.queued),
                              Count(crawl.delayed), Count(crawl.fetching)));
  lines.push_back(fmt::format("  domains  {:>12} ready   {} between two requests   {} blocked",
                              Count(crawl.ready_domains), Count(crawl.paced_domains),
                              Count(crawl.blocked_domains)));
  if (crawl.paused_partitions > 0) {
    lines.push_back(fmt::format("  paused: {}; `orbweaver resume all` lets the queue go on",
                                Count(crawl.paused_partitions, "partition")));
  }
  if (!crawl.no_way_out.empty()) {
    lines.push_back(fmt::format("  no way out: {}; tried again", crawl.no_way_out));
  }
  if (const std::string due = DueIn(crawl); crawl.is_idle && !due.empty()) {
    lines.push_back(fmt::format("  waiting: the next request is due {}", due));
  }
  if (crawl.done.has_value()) {
    lines.push_back(fmt::format("  {} {:.0f} %  {}", Bar(*crawl.done, 30), *crawl.done * 100,
                                TimeLeft(*crawl.done, crawl.elapsed)));
  }
  if (crawl.dead_letters > 0) {
    lines.push_back(fmt::format("  dead letters: {}, see `orbweaver log dead-letter`",
                                Count(crawl.dead_letters)));
  }
  if (!crawl.errors.empty()) lines.emplace_back("  errors");
  for (size_t i = 0; i < std::min(kMostErrors, crawl.errors.size()); ++i) {
    lines.push_back(
        fmt::format("    {:<20} {:>10}", crawl.errors[i].first, Count(crawl.errors[i].second)));
  }
  if (!crawl.unreachable.empty()) lines.emplace_back("  not reached");
  for (size_t i = 0; i < std::min(kMostUnreachable, crawl.unreachable.size()); ++i) {
    lines.push_back(
        fmt::format("    {}  {}", crawl.unreachable[i].first, crawl.unreachable[i].second));
  }
  if (!crawl.slowest.empty()) lines.emplace_back("  slowest domains");
  for (size_t i = 0; i < std::min(kMostSlow, crawl.slowest.size()); ++i) {
    const auto& [domain, time] = crawl.slowest[i];
    lines.push_back(fmt::format("    {:<{}} {:>8.2f} s", domain.substr(0, kNameColumns),
                                kNameColumns, Seconds(time)));
  }
  if (lines.size() > height) lines.resize(height);
  for (std::string& line : lines) {
    std::string printable;
    AppendPrintable(line, Lines::kEscape, &printable);
    line = std::move(printable);
    if (line.size() > width) line.resize(width);
  }
  return lines;
}

std::string DrawLine(const CrawlSnapshot& crawl) {
  std::string line = fmt::format(
      "{} for {}: {} pages ({:.1f}/s), {} ({}/s), {} failed; queue {}, later {}, fetching {}; "
      "domains {} ready, {} between two requests, {} blocked",
      crawl.state, Time(crawl.elapsed), Count(crawl.pages), crawl.pages_per_s, Bytes(crawl.bytes),
      Bytes(static_cast<uint64_t>(crawl.bytes_per_s)), Count(crawl.failed), Count(crawl.queued),
      Count(crawl.delayed), Count(crawl.fetching), Count(crawl.ready_domains),
      Count(crawl.paced_domains), Count(crawl.blocked_domains));
  if (crawl.dead_letters > 0) line += fmt::format("; dead letters {}", Count(crawl.dead_letters));
  if (crawl.paused_partitions > 0) {
    line += fmt::format("; paused: {}", Count(crawl.paused_partitions, "partition"));
  }
  if (!crawl.no_way_out.empty()) line += fmt::format("; no way out: {}", crawl.no_way_out);
  if (const std::string due = DueIn(crawl); crawl.is_idle && !due.empty()) {
    line += fmt::format("; the next request is due {}", due);
  }
  if (crawl.done.has_value()) {
    line += fmt::format("; {:.0f} % {}", *crawl.done * 100, TimeLeft(*crawl.done, crawl.elapsed));
  }
  return line;
}

void LiveView::Draw(const CrawlSnapshot& crawl) {
  winsize size{};
  if (ioctl(terminal_, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
    size = {.ws_row = 24, .ws_col = 80};
  const std::vector<std::string> lines = DrawView(crawl, size.ws_col - 1u, size.ws_row - 1u);
  // To the first line; each line is written over and what is left of it erased; then what is below.
  std::string out = lines_ > 0 ? fmt::format("\x1b[{}A", lines_) : "";
  for (const std::string& line : lines) out += "\r" + line + "\x1b[K\n";
  out += "\x1b[J";
  lines_ = lines.size();
  for (std::string_view rest = out; !rest.empty();) {
    const ssize_t count = write(terminal_, rest.data(), rest.size());
    if (count <= 0) return;  // a terminal that is gone
    rest.remove_prefix(static_cast<size_t>(count));
  }
}

void LiveView::Leave() { lines_ = 0; }

}  // namespace orbweaver
