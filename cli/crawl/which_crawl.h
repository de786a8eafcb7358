// Which crawl a command means when it names no folder.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/product_options.h"

namespace orbweaver {

// A crawl that names no folder gets one in here, by its site.
inline constexpr std::string_view kCrawlsFolder = "crawl-data";

// Below the working directory: kCrawlsFolder itself where it is a crawl's folder, else the crawls
// in it, by name.
std::vector<std::filesystem::path> CrawlsHere();

// Where a new crawl of these seeds belongs: "crawl-data/example.org", "crawl-data/localhost_8000";
// for seeds of a file "crawl-data/urls".
std::filesystem::path FolderForSeeds(const std::vector<std::string>& seeds,
                                     const std::vector<std::string>& files);

// The only crawl that is here. nullopt: there is none. Fatal: there are several; the message names
// them.
absl::StatusOr<std::optional<std::filesystem::path>> OnlyCrawlHere();

// The crawl that a command means.
struct MeantCrawl {
  // The named one, else the only one here. nullopt: a cluster, which is meant where the
  // configuration names one, and where no crawl is here.
  std::optional<std::filesystem::path> folder;
  // A line on standard error that says which it is, where it was not named; else nothing. Call it
  // once the arguments are known to be right: an error about them concerns no crawl.
  void Tell() const;
  std::string unnamed;  // that line
};

// How a command begins that looks at a crawl or acts on one: takes --data out of `args`, and loads
// the options as LoadProductOptions does, those that the folder keeps among them.
absl::StatusOr<MeantCrawl> LoadOptionsOfCrawl(std::vector<std::string>* args,
                                              config::Schema& schema, ProductOptions* options);

}  // namespace orbweaver
