#include "cli/crawl/crawl_folder.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <map>
#include <random>
#include <ranges>
#include <sstream>
#include <unistd.h>

#include "fmt/format.h"

#include "common/base/clock.h"
#include "common/base/status.h"
#include "common/config/render.h"
#include "common/config/value_text.h"
#include "common/url/fingerprint.h"

namespace orbweaver {
namespace {

constexpr char kOptions[] = "crawl.yaml";
constexpr char kSeeds[] = "seeds";
constexpr char kSeedTexts[] = "seed-urls";
constexpr char kBeginAnew[] = "begins-anew";

// Options of the process say how it runs, not how the crawl was made.
bool IsKept(std::string_view name) {
  constexpr std::string_view kOfTheProcess[] = {"admin.", "console.", "log.", "stop.", "worker."};
  return std::none_of(std::begin(kOfTheProcess), std::end(kOfTheProcess),
                      [name](std::string_view section) { return name.starts_with(section); });
}

absl::Status Failed(std::string_view action, const std::filesystem::path& path) {
  return FatalError("{} {}: {}", action, path.string(), std::strerror(errno));
}

// Also on disk when OK. For its owner alone: options may have passwords.
absl::Status Replace(const std::filesystem::path& path, std::string_view text) {
  std::filesystem::path next = path;
  next += ".new";
  const int fd = open(next.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0) return Failed("write", next);
  absl::Status status;
  while (!text.empty() && status.ok()) {
    const ssize_t written = write(fd, text.data(), text.size());
    if (written < 0 && errno != EINTR) status = Failed("write", next);
    if (written > 0) text.remove_prefix(static_cast<size_t>(written));
  }
  if (status.ok() && fsync(fd) != 0) status = Failed("write", next);
  close(fd);
  if (status.ok() && rename(next.c_str(), path.c_str()) != 0) status = Failed("write", path);
  return status;
}

std::string OneLine(std::string text) {
  std::replace_if(text.begin(), text.end(), [](char c) { return c >= 0 && c < ' '; }, '?');
  return text;
}

struct Value {
  std::string text;
  std::string shown;  // without secrets
};

std::map<std::string, Value> ValuesOf(const config::Schema& schema) {
  std::map<std::string, Value> values;
  for (const config::Option& option : schema.options()) {
    if (!IsKept(option.name)) continue;
    for (const config::Option::Entry& entry : option.get()) {
      const bool is_map = option.shape == config::Option::Shape::kMap;
      Value& value = values[is_map ? option.name + "." + entry.key : option.name];
      const std::string comma = value.text.empty() ? "" : ",";
      value.text += comma + entry.text;
      value.shown += comma + option.Shown(entry);
    }
  }
  return values;
}

}  // namespace

absl::StatusOr<SeedList> ListSeeds(const std::vector<std::string>& seeds,
                                   const std::vector<std::string>& files) {
  SeedList list;
  std::string digests;
  const auto add = [&](std::string_view text) { digests += FingerprintOf(text).ToHex(); };
  for (const std::string& seed : seeds) add(seed);
  for (const std::string& file : files) {
    if (file == "-") {
      add(fmt::format("{} {}", SystemClock().Wall().time_since_epoch().count(),
                      std::random_device()()));
      continue;
    }
    std::ifstream stream(file, std::ios::binary);
    std::stringstream text;
    text << stream.rdbuf();
    if (!stream) return Failed("read", file);
    add(text.view());
  }
  list.digest = FingerprintOf(digests).ToHex();
  list.first = OneLine(!seeds.empty() ? seeds[0] : files[0]);
  list.more = seeds.size() + files.size() - 1;
  return list;
}

std::string CrawlFolder::options_file() const {
  const std::filesystem::path path = folder_ / kOptions;
  return std::filesystem::exists(path) ? path.string() : std::string();
}

absl::Status CrawlFolder::KeepOptions(const config::Schema& schema) const {
  return Replace(folder_ / kOptions,
                 "# How this crawl was made. `orbweaver crawl --data` goes on so; what is given "
                 "again on its command line\n# counts instead, and is kept here.\n" +
                     config::ConfiguredYaml(schema, IsKept));
}

std::filesystem::path CrawlFolder::seed_texts() const { return folder_ / kSeedTexts; }

absl::Status CrawlFolder::BeginAnew() const { return Replace(folder_ / kBeginAnew, ""); }

bool CrawlFolder::begins_anew() const { return std::filesystem::exists(folder_ / kBeginAnew); }

absl::Status CrawlFolder::BegunAnew() const {
  std::error_code error;
  std::filesystem::remove(folder_ / kBeginAnew, error);
  return error ? FatalError("delete {}: {}", (folder_ / kBeginAnew).string(), error.message())
               : absl::OkStatus();
}

std::vector<SeedList> CrawlFolder::Seeds() const {
  std::vector<SeedList> lists;
  std::ifstream stream(folder_ / kSeeds);
  for (std::string line; std::getline(stream, line);) {
    std::istringstream words(line);
    SeedList list;
    if (words >> list.digest >> list.more >> std::ws && std::getline(words, list.first)) {
      lists.push_back(std::move(list));
    }
  }
  return lists;
}

absl::Status CrawlFolder::AddSeeds(const SeedList& seeds) const {
  std::string text;
  for (const SeedList& list : Seeds()) {
    if (list.digest == seeds.digest) return absl::OkStatus();
    text += fmt::format("{} {} {}\n", list.digest, list.more, list.first);
  }
  text += fmt::format("{} {} {}\n", seeds.digest, seeds.more, seeds.first);
  return Replace(folder_ / kSeeds, text);
}

std::vector<OptionChange> ChangesBetween(const config::Schema& before,
                                         const config::Schema& after) {
  std::map<std::string, Value> was = ValuesOf(before);
  std::vector<OptionChange> changes;
  for (const auto& [name, value] : ValuesOf(after)) {
    const auto found = was.find(name);
    const Value old = found == was.end() ? Value() : found->second;
    if (old.text != value.text) changes.push_back({name, old.shown, value.shown});
    if (found != was.end()) was.erase(found);
  }
  for (const auto& [name, value] : was) changes.push_back({name, value.shown, ""});
  std::ranges::sort(changes, {}, &OptionChange::name);
  return changes;
}

std::string_view WarningFor(const OptionChange& change) {
  constexpr std::string_view kRuder = "sites are asked more often";
  constexpr std::string_view kWider = "more of the web is crawled";
  Duration before{}, after{};
  if (change.name == "politeness.delay") {
    const bool known = config::ParseDuration(change.before, &before) &&
                       config::ParseDuration(change.after, &after);
    return known && after < before ? kRuder : "";
  }
  uint64_t most_before = 0, most_after = 0;
  if (change.name == "strategy.params.max_depth" || change.name == "strategy.params.max_pages") {
    // Without a value there is no bound.
    if (change.before.empty()) return "";
    const bool is_bound = config::ParseNumber(change.after, &most_after);
    const bool was_bound = config::ParseNumber(change.before, &most_before);
    return was_bound && (!is_bound || most_after > most_before) ? kWider : "";
  }
  if (change.name == "politeness.rate" || change.name == "politeness.per_domain") {
    double rate_before = 0, rate_after = 0;
    const bool known = config::ParseNumber(change.before, &rate_before) &&
                       config::ParseNumber(change.after, &rate_after);
    // A rate of 0 is any.
    const bool is_more = rate_after > rate_before || rate_after == 0;
    return known && rate_before > 0 && is_more ? kRuder : "";
  }
  if (change.name == "spider.robots.ignore_hosts") {
    return change.after.empty() ? "" : "robots.txt is not obeyed there";
  }
  if (change.name == "scope.kind") {
    constexpr std::string_view kNearestFirst[] = {"path", "host", "domain", "everything"};
    const auto* const was = std::ranges::find(kNearestFirst, change.before);
    return std::ranges::find(kNearestFirst, change.after) > was
               ? kWider
               : "what is in the queue already is still fetched";
  }
  if (change.name == "scope.assets" && change.after == "true") {
    return "those of pages that were fetched already are not";
  }
  constexpr std::string_view kFilters[] = {"scope.include",
                                           "scope.sitemaps",
                                           "scope.exclude",
                                           "strategy.params.allow_domains",
                                           "strategy.params.allow_urls",
                                           "strategy.params.deny_domains",
                                           "strategy.params.deny_urls",
                                           "network.allow_private",
                                           "network.allow_networks",
                                           "network.allow_hosts"};
  return std::ranges::find(kFilters, change.name) != std::end(kFilters)
             ? "other parts of the web are crawled"
             : "";
}

}  // namespace orbweaver
