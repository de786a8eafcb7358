#include "cli/replay/recorded_options.h"

#include <optional>
#include <utility>

#include "cli/arguments.h"
#include "cli/crawl/local_crawl.h"
#include "cli/strategy_argument.h"
#include "fmt/format.h"

#include "common/base/status.h"
#include "common/config/mask.h"

namespace orbweaver {
namespace {

bool IsOfStrategy(std::string_view option) { return option.starts_with("strategy.params."); }

}  // namespace

absl::Status LoadRecordedOptions(const lab::RecordingOrigin& origin, std::vector<std::string>* args,
                                 config::Schema& schema, ProductOptions* options) {
  const bool is_local = origin.source.starts_with("folder ");
  if (is_local) SetLocalDefaults(options);
  std::vector<std::string> all;
  const auto set = [&all](std::string_view name, std::string_view value) {
    all.push_back("--set");
    all.push_back(fmt::format("{}={}", name, value));
  };
  const std::optional<std::string> strategy = TakeValue(args, "--strategy");
  for (const auto& [name, value] : origin.configuration) {
    // How the process ran says nothing of what it decided.
    const bool is_left_out = value.find(config::kMask) != std::string::npos ||
                             name.starts_with("log.") || name.starts_with("admin.") ||
                             (strategy.has_value() && IsOfStrategy(name));
    if (!is_left_out) set(name, value);
  }
  if (strategy.has_value()) {
    const auto settings = StrategySettings(*strategy);
    if (!settings.ok()) return Annotate(settings.status(), "--strategy");
    for (const auto& [option, value] : *settings) set(option, value);
  } else if (!origin.strategy.empty() && !origin.configuration.contains("strategy.path")) {
    set("strategy.name", origin.strategy);
  }
  for (const std::string& param : TakeValues(args, "--param")) {
    set("strategy.params." + param.substr(0, param.find('=')),
        param.find('=') == std::string::npos ? "" : param.substr(param.find('=') + 1));
  }
  args->insert(args->begin(), all.begin(), all.end());
  RETURN_IF_ERROR(LoadProductOptions(args, schema, options));
  if (is_local) RetrySoon(&options->strategy);
  return absl::OkStatus();
}

}  // namespace orbweaver
