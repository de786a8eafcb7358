#include "cli/replay/strategy_list.h"

#include <algorithm>
#include <utility>

#include "cli/arguments.h"
#include "cli/replay/recorded_options.h"
#include "fmt/format.h"

#include "common/base/status.h"

namespace orbweaver {
namespace {

std::string NameIn(const std::vector<ListedStrategy>& list, const std::string& typed) {
  std::string name = typed;
  for (int count = 2; std::ranges::find(list, name, &ListedStrategy::name) != list.end(); ++count) {
    name = fmt::format("{} ({})", typed, count);
  }
  return name;
}

std::string RecordedName(const StrategyOptions& options) {
  return options.path.empty() ? options.name : options.path;
}

}  // namespace

absl::StatusOr<std::vector<ListedStrategy>> LoadStrategyList(const lab::RecordingOrigin& origin,
                                                             std::vector<std::string>* args,
                                                             config::Schema& schema,
                                                             ProductOptions* options) {
  std::vector<std::string> others = *args;
  const std::vector<std::string> typed = TakeValues(&others, "--strategy");
  if (typed.size() <= 1) {
    RETURN_IF_ERROR(LoadRecordedOptions(origin, args, schema, options));
    return std::vector<ListedStrategy>{
        {.name = typed.empty() ? RecordedName(options->strategy) : typed[0],
         .options = options->strategy,
         .is_recorded = typed.empty()}};
  }
  if (!TakeValues(&others, "--param").empty()) {
    return FatalError(
        "--param: of several strategies, it is not clear whose. Parameters stand behind the name: "
        "--strategy NAME:PARAM=VALUE,PARAM=VALUE");
  }
  std::vector<ListedStrategy> list;
  for (const std::string& strategy : typed) {
    config::Schema own_schema;
    ProductOptions own_options;
    std::vector<std::string> own_args = others;
    own_args.insert(own_args.end(), {"--strategy", strategy});
    RETURN_IF_ERROR(LoadRecordedOptions(origin, &own_args, list.empty() ? schema : own_schema,
                                        list.empty() ? options : &own_options));
    const ProductOptions& loaded = list.empty() ? *options : own_options;
    if (list.empty()) *args = std::move(own_args);
    list.push_back({.name = NameIn(list, strategy), .options = loaded.strategy});
  }
  return list;
}

}  // namespace orbweaver
