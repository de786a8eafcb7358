// How a crawl was made, kept in its folder beside its store, so that the folder alone goes on
// exactly so: `crawl.yaml`, the options as a configuration file, and `seeds`, a line for each time
// that seeds were given.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "common/config/schema.h"

namespace orbweaver {

// The seeds of one command.
struct SeedList {
  std::string digest;  // of all of them, files included, in their order
  std::string first;   // how the first is written; a file's name for seeds that come from one
  uint64_t more = 0;   // how many operands stand behind it
};

// Reads the files. Standard input is nobody's twice: its digest differs each time. Fatal: a file
// cannot be read.
absl::StatusOr<SeedList> ListSeeds(const std::vector<std::string>& seeds,
                                   const std::vector<std::string>& files);

// Place: `orbweaver crawl`, before the store of the folder is opened and after. Not thread-safe.
class CrawlFolder {
 public:
  explicit CrawlFolder(std::filesystem::path folder) : folder_(std::move(folder)) {}

  const std::filesystem::path& path() const { return folder_; }
  bool exists() const { return std::filesystem::exists(folder_); }

  // The kept options as config::Inputs takes them; empty when there are none.
  std::string options_file() const;
  // Replaces them by what is configured in `schema`; options that say nothing of the crawl, as how
  // to log, are left out. Whole or not at all. The folder must exist.
  absl::Status KeepOptions(const config::Schema& schema) const;

  // A file of all seeds that the crawl was given, a URL a line, for a crawl that begins anew.
  // Folders of older releases have none.
  std::filesystem::path seed_texts() const;
  bool HasSeedTexts() const { return std::filesystem::exists(seed_texts()); }
  // The next run adds those seeds: what the crawl knows is about to be deleted.
  absl::Status BeginAnew() const;
  bool begins_anew() const;
  // They are durable.
  absl::Status BegunAnew() const;

  // Those that it was given so far, the oldest first.
  std::vector<SeedList> Seeds() const;
  absl::Status AddSeeds(const SeedList& seeds) const;

 private:
  const std::filesystem::path folder_;
};

// An option whose value differs from the kept one. The values are texts, lists joined by commas;
// empty for a map's key that is not there.
struct OptionChange {
  std::string name;
  std::string before;
  std::string after;
};
// Of what CrawlFolder keeps, in the order of the names.
std::vector<OptionChange> ChangesBetween(const config::Schema& before, const config::Schema& after);

// "sites are asked more often", "more of the web is crawled"; empty when the change is neither
// ruder nor wider, or nobody can say.
std::string_view WarningFor(const OptionChange& change);

}  // namespace orbweaver
