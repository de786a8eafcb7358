// The command line of `orbweaver crawl`.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/clock.h"

namespace orbweaver {

// How `orbweaver crawl` was called, but for its options of the configuration.
struct CrawlArguments {
  std::vector<std::string> seeds;
  std::vector<std::string> seed_files;
  std::filesystem::path data;  // empty: not said
  std::string out;
  uint64_t max_pages = 0;
  uint64_t max_failures = UINT64_MAX;
  Duration duration{};
  Duration max_wait = std::chrono::hours(1);
  bool add = false;
  bool no_console = false;
  // Its options that stand for a --set, by that one: config::Inputs::flags.
  std::map<std::string, std::string> flags;
  bool json = false;
  bool dry_run = false;

  bool has_seeds() const { return !seeds.empty() || !seed_files.empty(); }
};

// Takes what the command knows out of `args`. An option that is short for one of the configuration
// becomes a --set before the user's own, which win. Returns what is wrong, or nothing.
std::optional<std::string> TakeCrawlArguments(std::vector<std::string>* args, CrawlArguments* into);

// The name by which the command line knows an option of the configuration.
std::string FlagOf(std::string_view option);

// `message`, with the name of the command line in place of the list's that it begins with.
std::string AsGiven(std::string_view message);

}  // namespace orbweaver
