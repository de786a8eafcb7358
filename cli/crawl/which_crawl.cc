#include "cli/crawl/which_crawl.h"

#include <algorithm>
#include <system_error>

#include "absl/strings/ascii.h"
#include "cli/arguments.h"
#include "cli/crawl/crawl_folder.h"
#include "cli/crawl/crawl_options.h"
#include "cli/crawl/local_crawl.h"
#include "cli/message.h"
#include "fmt/format.h"

#include "common/base/status.h"
#include "common/config/schema.h"

namespace orbweaver {
namespace {

constexpr size_t kMostNamed = 10;

bool IsCrawl(const std::filesystem::path& folder) {
  return !CrawlFolder(folder).options_file().empty();
}

// The host and port of a URL as a file's name.
std::string SiteName(std::string_view url) {
  if (const size_t scheme = url.find("://"); scheme != url.npos) url.remove_prefix(scheme + 3);
  url = url.substr(0, url.find_first_of("/?#"));
  if (const size_t user = url.rfind('@'); user != url.npos) url.remove_prefix(user + 1);
  std::string name(url);
  absl::AsciiStrToLower(&name);
  std::ranges::replace_if(
      name, [](char c) { return !absl::ascii_isalnum(c) && c != '.' && c != '-'; }, '_');
  const bool says_nothing = name.find_first_not_of("._") == name.npos;
  return says_nothing ? "crawl" : name;
}

absl::StatusOr<bool> IsClusterMeant(std::vector<std::string> args) {
  config::Schema schema;
  ProductOptions options;
  RETURN_IF_ERROR(LoadProductOptions(&args, schema, &options));
  return IsConfigured(schema, "kafka.brokers") || IsConfigured(schema, "hbase.hosts");
}

}  // namespace

std::vector<std::filesystem::path> CrawlsHere() {
  const std::filesystem::path folder(kCrawlsFolder);
  if (IsCrawl(folder)) return {folder};
  std::vector<std::filesystem::path> crawls;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (IsCrawl(entry->path())) crawls.push_back(entry->path());
  }
  std::ranges::sort(crawls);
  return crawls;
}

std::filesystem::path FolderForSeeds(const std::vector<std::string>& seeds,
                                     const std::vector<std::string>& files) {
  std::filesystem::path folder(kCrawlsFolder);
  if (IsCrawl(folder)) return folder;
  if (!seeds.empty()) return folder / SiteName(seeds.front());
  return folder / SiteName(std::filesystem::path(files.front()).stem().string());
}

absl::StatusOr<std::optional<std::filesystem::path>> OnlyCrawlHere() {
  const std::vector<std::filesystem::path> crawls = CrawlsHere();
  if (crawls.empty()) return std::nullopt;
  if (crawls.size() == 1) return crawls.front();
  std::string names;
  for (size_t i = 0; i < std::min(crawls.size(), kMostNamed); ++i) {
    names += fmt::format("{}{}", i == 0 ? "" : ", ", ShellQuoted(crawls[i].string()));
  }
  if (crawls.size() > kMostNamed) names += fmt::format(" and {} more", crawls.size() - kMostNamed);
  return FatalError("{} crawls are here. Name one of them with --data: {}", crawls.size(), names);
}

void MeantCrawl::Tell() const { PrintError("{}", unnamed); }

absl::StatusOr<MeantCrawl> LoadOptionsOfCrawl(std::vector<std::string>* args,
                                              config::Schema& schema, ProductOptions* options) {
  MeantCrawl meant{.folder = TakeValue(args, "--data"), .unnamed = {}};
  auto& folder = meant.folder;
  if (folder.has_value()) {
    if (!IsCrawl(*folder))
      return FatalError("{}: no folder of `orbweaver crawl`", folder->string());
  } else {
    ASSIGN_OR_RETURN(const bool is_cluster, IsClusterMeant(*args));
    if (!is_cluster) {
      ASSIGN_OR_RETURN(folder, OnlyCrawlHere());
    }
    if (folder.has_value()) meant.unnamed = fmt::format("In {}:\n", folder->string());
    if (!folder.has_value() && !is_cluster) {
      meant.unnamed = fmt::format(
          "No crawl is in ./{} (--data DIR names another folder), and no cluster in the "
          "configuration: the one on this machine is meant.\n",
          kCrawlsFolder);
    }
  }
  // Options that nobody gave are what the crawl takes for them.
  if (folder.has_value()) SetLocalDefaults(options);
  const std::string kept = folder.has_value() ? CrawlFolder(*folder).options_file() : "";
  RETURN_IF_ERROR(LoadProductOptions(args, schema, options, kept));
  return meant;
}

}  // namespace orbweaver
