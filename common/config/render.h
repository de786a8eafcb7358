// What the declarations are turned into for people and programs to read.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "common/config/schema.h"

namespace orbweaver::config {

// What is in effect, with where each value comes from; secrets are masked (`Option::Shown`).
// {"admin.port": {"value": 8080, "source": "--set"}, …}: one member an option, or an entry of a
// map.
std::string EffectiveJson(const Schema& schema);
// As a configuration file, the sources as comments. Loading it gives the same values; a mask in it
// is refused.
std::string EffectiveYaml(const Schema& schema);

// What was configured, wherever it came from, as a configuration file: what stands at its default
// is left out, and so is an option of which `is_wanted` says no by its name. Secrets stand in it as
// they are. Loading it gives the same values.
std::string ConfiguredYaml(const Schema& schema,
                           const std::function<bool(std::string_view name)>& is_wanted);

// The options as a list for --help.
std::string HelpText(const Schema& schema);

// docs/configuration.md.
std::string ReferencePage(const Schema& schema);

// A JSON Schema (draft 2020-12) of the configuration file, for editors and deployment checks.
std::string JsonSchema(const Schema& schema);

}  // namespace orbweaver::config
