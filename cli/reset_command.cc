// `orbweaver reset`: a crawl on one machine begins anew from its seeds.
#include <filesystem>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <unistd.h>
#include <vector>

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/crawl/crawl_folder.h"
#include "cli/crawl/which_crawl.h"
#include "cli/frontier/outcomes_file.h"
#include "cli/message.h"
#include "cli/product_options.h"
#include "fmt/format.h"

#include "common/base/status.h"
#include "common/config/schema.h"
#include "common/store/rocksdb/database.h"

namespace orbweaver {
namespace {

constexpr char kHelp[] =
    R"(usage: orbweaver reset [--data DIR] [--yes]

Deletes all that a crawl on this machine knows: which URLs it has seen, what waits, its logs. Its
options and its seeds stay, so that the next `orbweaver crawl --data DIR` begins anew. Files that
--out wrote stay too. Asks before it does so.

  --data DIR        the folder of `orbweaver crawl`, which must not be running; without it the only
                    crawl in ./crawl-data
  --yes             do not ask
  --help            this text

Exit code: 0 it is done; 1 it is not; 2 wrong options.
)";

// Whether somebody at the terminal says so.
bool IsConfirmed(const CrawlFolder& folder, const std::vector<SeedList>& seeds) {
  PrintError("Delete all that the crawl of {} in {} knows, and begin anew? [y/N] ",
             seeds.empty() ? "?" : seeds.front().first, folder.path().string());
  std::string answer;
  std::getline(std::cin, answer);
  return answer == "y" || answer == "Y" || answer == "yes";
}

int Run(std::span<const std::string> all_args) {
  std::vector<std::string> args(all_args.begin(), all_args.end());
  const bool is_sure = TakeSwitch(&args, "--yes");
  config::Schema schema;
  ProductOptions options;
  const auto crawl = LoadOptionsOfCrawl(&args, schema, &options);
  if (!crawl.ok()) return Fail(kExitUsage, "reset", MessageOf(crawl.status()));
  if (!args.empty())
    return Fail(kExitUsage, "reset", fmt::format("argument '{}' is unknown", args[0]));
  if (!crawl->folder.has_value()) {
    return Fail(kExitUsage, "reset",
                "there is no crawl in ./crawl-data; name its folder with --data");
  }
  crawl->Tell();
  const CrawlFolder folder(*crawl->folder);
  const std::vector<SeedList> seeds = folder.Seeds();
  if (!folder.HasSeedTexts()) {
    return Fail(kExitFailed, "reset",
                fmt::format("{} does not have its seeds: it was made by an older release. Begin "
                            "another crawl with --data",
                            folder.path().string()));
  }
  if (!is_sure && isatty(STDIN_FILENO) != 1) {
    return Fail(kExitUsage, "reset", "it deletes what the crawl knows: give --yes");
  }
  if (!is_sure && !IsConfirmed(folder, seeds))
    return Fail(kExitFailed, "reset", "nothing was done");
  absl::Status done = folder.BeginAnew();
  if (done.ok()) done = Database::Destroy(folder.path());
  std::error_code undeleted;  // what is left there is only looked at
  std::filesystem::remove(OutcomesFile(folder.path()), undeleted);
  if (!done.ok()) return Fail(kExitFailed, "reset", MessageOf(done));
  Print("Forgotten: all that the crawl knew. To begin anew: orbweaver crawl --data {}\n",
        ShellQuoted(folder.path().string()));
  return kExitOk;
}

}  // namespace

Command ResetCommand() {
  return {.name = "reset",
          .summary = "Let a crawl on this machine begin anew",
          .help = kHelp,
          .run = Run};
}

}  // namespace orbweaver
