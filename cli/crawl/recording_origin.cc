#include "cli/crawl/recording_origin.h"

#include "absl/strings/str_replace.h"
#include "cli/crawl/crawl_options.h"
#include "fmt/format.h"

#include "strategy_worker/host/loader.h"

namespace orbweaver {

lab::RecordingOrigin OriginOf(const ProductOptions& options, const config::Schema& schema,
                              const std::optional<std::filesystem::path>& folder) {
  lab::RecordingOrigin origin{.software = "orbweaver " ORBWEAVER_VERSION};
  origin.source = folder.has_value()
                      ? fmt::format("folder {}", std::filesystem::absolute(*folder).string())
                      : fmt::format("cluster {}", options.kafka.brokers);
  if (folder.has_value() || IsConfigured(schema, "strategy.name") ||
      IsConfigured(schema, "strategy.path")) {
    origin.strategy = options.strategy.name;
    origin.strategy_params = options.strategy.params;
    if (const auto library = OpenStrategy(options.strategy); library.ok()) {
      origin.strategy = library->strategy().name;
      origin.strategy_version = library->strategy().version;
    }
  }
  for (const config::Option& option : schema.options()) {
    if (option.sources.empty()) continue;
    for (const config::Option::Entry& entry : option.get()) {
      const bool is_map = option.shape == config::Option::Shape::kMap;
      std::string& text =
          origin.configuration[is_map ? option.name + "." + entry.key : option.name];
      if (!text.empty()) text += ",";
      // As --set takes it.
      const bool is_list = option.shape == config::Option::Shape::kList;
      text +=
          is_list ? absl::StrReplaceAll(option.Shown(entry), {{",", "\\,"}}) : option.Shown(entry);
    }
  }
  return origin;
}

}  // namespace orbweaver
