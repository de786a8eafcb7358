// Puts the configuration together: the defaults, then what was kept of an earlier run, the file,
// the environment and --set, of which the later win. Options and lists are replaced, maps are
// merged key by key.
//
// Place: called once by a program's main, before anything is started. The values then stand in the
// members that the schema's declarations named, and never change again.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "common/config/schema.h"

namespace orbweaver::config {

// Where the values are taken from. Empty: from the defaults.
struct Inputs {
  std::string kept;                      // path of a YAML file that ConfiguredYaml made (render.h)
  std::string file;                      // path of a YAML file
  std::vector<std::string> environment;  // "ORBWEAVER_ADMIN__PORT=8080"; others are not looked at
  std::vector<std::string> sets;         // "admin.port=8080"
  // Of sets that stand for options of the command line's own: as the user wrote those. A message
  // then names "--depth -5", and the option's source is "--depth".
  std::map<std::string, std::string> flags;
};

// Whether the source of a value is such an option.
bool IsFlag(std::string_view source);
// "--depth -5"; a flag that ends with '=' is not parted from the value: "--param max_depth=-5".
std::string FlagWithValue(std::string_view flag, std::string_view value);

// All of this process's environment.
std::vector<std::string> ProcessEnvironment();

// Takes `--config FILE` and `--set NAME=VALUE` (also `--config=…`, `--set=…`) out of `args`, and
// the environment from the process. Fails when their operand is missing or --config is given twice.
absl::StatusOr<Inputs> TakeInputs(std::vector<std::string>* args);

// Fills the declared members. Blocks to read the file. The first thing that is wrong, in the order
// of the sources, is returned as a fatal error of one line that names where it stands, what was
// expected and, for an unknown name, the nearest known one; the members then hold some of the
// values and must not be used. A program ends with exit code 2 on it.
absl::Status Load(const Inputs& inputs, Schema* schema);

}  // namespace orbweaver::config
