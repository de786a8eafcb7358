// The declared options rendered for people and programs.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "common/config/schema.h"

namespace orbweaver::config {

// The values in effect and the source of each; secrets are masked (`Option::Shown`). {"admin.port":
// {"value": 8080, "source": "--set"}, …}: one member an option, or an entry of a map.
std::string EffectiveJson(const Schema& schema);
// As a configuration file, the sources as comments. Loading it gives the same values; a mask in it
// is refused.
std::string EffectiveYaml(const Schema& schema);

// The configured values, whatever their source, as a configuration file. Leaves out options at
// their default, and options whose name `is_wanted` refuses. Secrets are not masked. Loading the
// file gives the same values.
std::string ConfiguredYaml(const Schema& schema,
                           const std::function<bool(std::string_view name)>& is_wanted);

// The options as a list for --help.
std::string HelpText(const Schema& schema);

// docs/configuration.md.
std::string ReferencePage(const Schema& schema);

// A JSON Schema (draft 2020-12) of the configuration file, for editors and deployment checks.
std::string JsonSchema(const Schema& schema);

}  // namespace orbweaver::config
