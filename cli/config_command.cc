// `orbweaver config`: look at the configuration without starting anything.
#include <string>
#include <vector>

#include "cli/check_options.h"
#include "cli/command.h"
#include "cli/crawl/output_arguments.h"
#include "cli/message.h"
#include "cli/product_options.h"
#include "fmt/format.h"

#include "common/base/status.h"
#include "common/config/render.h"
#include "common/config/schema.h"

namespace orbweaver {
namespace {

constexpr char kUsage[] =
    R"(usage: orbweaver config check|show [--json] [--config FILE] [--set NAME=VALUE]…
       orbweaver config reference|schema

  check      OK, or the first thing that is wrong (exit code 2): all that `orbweaver crawl` and the
             workers refuse, no server asked. The strategy is loaded, so it must be there
  show       the values in effect and where each comes from; secrets are masked
  reference  all options, as the Markdown page docs/configuration.md
  schema     a JSON Schema of the configuration file, for editors and deployment checks
)";

int FailUsage(std::string_view message) {
  PrintError("{}\n", message);
  return kExitUsage;
}

int Run(std::span<const std::string> all_args) {
  std::vector<std::string> args(all_args.begin(), all_args.end());
  config::Schema schema;
  ProductOptions options;
  const std::string verb = args.empty() ? "" : args[0];
  if (verb == "reference" || verb == "schema") {
    if (args.size() > 1) return FailUsage(kUsage);
    DeclareProductOptions(schema, &options);
    Print("{}",
          verb == "schema" ? config::JsonSchema(schema) + "\n" : config::ReferencePage(schema));
    return kExitOk;
  }
  if (verb != "check" && verb != "show") return FailUsage(kUsage);

  args.erase(args.begin());
  if (const absl::Status loaded = LoadProductOptions(&args, schema, &options); !loaded.ok()) {
    return FailUsage(MessageOf(loaded));
  }
  if (const absl::Status good = CheckSpiderOptions(options.spider); verb == "check" && !good.ok()) {
    return FailUsage(MessageOf(good));
  }
  const bool json = verb == "show" && args == std::vector<std::string>{"--json"};
  if (!args.empty() && !json) return FailUsage(kUsage);
  if (verb == "check") {
    absl::Status checked = CheckClusterOptions(options, schema);
    checked.Update(CheckOutputs(options.spider.archive));
    if (!checked.ok()) return FailUsage(MessageOf(checked));
    Print("OK\n");
  } else {
    Print("{}", json ? config::EffectiveJson(schema) + "\n" : config::EffectiveYaml(schema));
  }
  return kExitOk;
}

}  // namespace

Command ConfigCommand() {
  return {.name = "config",
          .summary = "Check the configuration, show what is in effect, list the options",
          .help = kUsage,
          .run = Run};
}

}  // namespace orbweaver
