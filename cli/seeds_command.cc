// `orbweaver seeds`: where a crawl begins.
#include <chrono>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/message.h"
#include "cli/product_options.h"
#include "cli/seed_lines.h"
#include "cli/seed_writer.h"
#include "fmt/format.h"

#include "common/base/clock.h"
#include "common/base/status.h"
#include "common/bus/kafka/kafka_bus.h"
#include "common/config/schema.h"
#include "common/url/domain.h"

namespace orbweaver {
namespace {

constexpr Duration kTimeout = std::chrono::minutes(2);

constexpr char kHelp[] =
    R"(usage: orbweaver seeds add FILE|- [OPTIONS]

Writes URLs to the spider log of a cluster: a URL a line, `-` for standard input. A line without a
scheme is taken for http. Empty lines and those that begin with # are passed over. Lines that are no
URL are named with their number and the reason, and the rest goes on. Seeds may be added at any
time, and again.

options:
  --config FILE     read the options from a file
  --set NAME=VALUE  set an option: kafka.brokers, url.…
  --help            this text

Exit code: 0 all are in the log; 1 some lines were refused, or the file or Kafka could not be used;
2 wrong options.
)";

absl::StatusOr<SeedLines> Add(const std::string& file, const ProductOptions& options) {
  ASSIGN_OR_RETURN(const auto suffixes, PublicSuffixes::Load(options.public_suffixes));
  ASSIGN_OR_RETURN(const auto bus, NewKafkaBus(options.kafka));
  UrlResolver resolver(options.spider.url, *suffixes);
  ASSIGN_OR_RETURN(const auto writer, SeedWriter::Create(*bus, SystemClock(), resolver, kTimeout));
  auto lines = AddSeedLines(file, *writer);
  // Also what was read before reading failed.
  const absl::Status finished = writer->Finish();
  if (lines.ok()) {
    Print("{} seeds added, {} lines refused\n", writer->durable(), lines->refused);
  } else if (writer->durable() > 0) {
    Print("{} seeds added until then\n", writer->durable());
  }
  RETURN_IF_ERROR(finished);
  return lines;
}

int Run(std::span<const std::string> all_args) {
  std::vector<std::string> args(all_args.begin(), all_args.end());
  config::Schema schema;
  ProductOptions options;
  if (const absl::Status loaded = LoadProductOptions(&args, schema, &options); !loaded.ok()) {
    return Fail(kExitUsage, "seeds", MessageOf(loaded));
  }
  const bool is_file = args.size() == 2 && (args[1] == "-" || !args[1].starts_with('-'));
  if (!is_file || args[0] != "add") {
    return Fail(kExitUsage, "seeds", "expected `seeds add FILE`. See `orbweaver seeds --help`.");
  }
  const auto lines = Add(args[1], options);
  if (!lines.ok()) return Fail(kExitFailed, "seeds", MessageOf(lines.status()));
  return lines->refused == 0 ? kExitOk : kExitFailed;
}

}  // namespace

Command SeedsCommand() {
  return {.name = "seeds",
          .summary = "Add the URLs where a cluster's crawl begins",
          .help = kHelp,
          .run = Run};
}

}  // namespace orbweaver
