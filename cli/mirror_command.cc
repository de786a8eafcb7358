// `orbweaver mirror`: the files of `orbweaver crawl --mirror`, made complete.
#include <span>
#include <string>
#include <vector>

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/crawl/crawl_mirror.h"
#include "cli/crawl/which_crawl.h"
#include "cli/help_text.h"
#include "cli/message.h"
#include "cli/product_options.h"
#include "fmt/format.h"

#include "common/base/status.h"
#include "common/config/schema.h"

namespace orbweaver {
namespace {

constexpr char kHelp[] =
    R"(usage: orbweaver mirror [OPTIONS]

Completes the files that `orbweaver crawl --mirror` has written: each page gets its file, also those
whose names meet, and with --convert-links links lead from file to file. A crawl does that at its
end; this does it for one that was killed or still runs, or with other options. It starts from what
was fetched each time, so it can be repeated, and a second time changes nothing.

  --convert-links   make links between the files relative and all others absolute; without it, as
                    the crawl was made
  --data DIR        the folder of `orbweaver crawl`, which may be running. Without it the only crawl
                    in ./crawl-data
  --config FILE     read the options from a file; for spiders of a cluster, theirs
  --set NAME=VALUE  set an option; spider.archive.convert_links=false gives the files back as they
                    were fetched
  --help            this text

Exit code: 0 the files are complete; 1 it failed, and each file is whole; 2 wrong options, or there
is no mirror.
)";

int Run(std::span<const std::string> all_args) {
  std::vector<std::string> args(all_args.begin(), all_args.end());
  const bool convert = TakeSwitch(&args, "--convert-links");
  config::Schema schema;
  ProductOptions options;
  const auto crawl = LoadOptionsOfCrawl(&args, schema, &options);
  if (!crawl.ok()) return Fail(kExitUsage, "mirror", MessageOf(crawl.status()));
  if (const auto unknown = UnknownOption(args)) {
    return Fail(kExitUsage, "mirror",
                WrongOption(kHelp, *unknown) + ". `orbweaver mirror --help` lists the options.");
  }
  if (!args.empty()) {
    return Fail(kExitUsage, "mirror",
                fmt::format("argument '{}': expected options only. --data names the crawl's folder",
                            args[0]));
  }
  crawl->Tell();
  if (convert) options.spider.archive.convert_links = true;
  const auto done = CompleteMirror(options, Duration::zero());
  if (!done.ok()) return Fail(kExitFailed, "mirror", MessageOf(done.status()));
  if (done->empty()) {
    return Fail(kExitUsage, "mirror",
                crawl->folder
                    ? fmt::format("the crawl in {} has no mirror: it was made without --mirror, "
                                  "or has fetched nothing",
                                  crawl->folder->string())
                    : "there is no crawl in ./crawl-data; name its folder with --data");
  }
  Print("{}", *done);
  return kExitOk;
}

}  // namespace

Command MirrorCommand() {
  return {.name = "mirror",
          .summary = "Complete the files of a crawl's --mirror, and convert their links",
          .help = kHelp,
          .run = Run};
}

}  // namespace orbweaver
