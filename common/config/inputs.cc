#include <string_view>
#include <unistd.h>
#include <utility>

#include "common/base/status.h"
#include "common/config/load.h"

namespace orbweaver::config {

std::vector<std::string> ProcessEnvironment() {
  std::vector<std::string> environment;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    environment.emplace_back(*variable);
  }
  return environment;
}

absl::StatusOr<Inputs> TakeInputs(std::vector<std::string>* args) {
  Inputs inputs;
  inputs.environment = ProcessEnvironment();
  bool has_file = false;
  std::vector<std::string> rest;
  for (size_t i = 0; i < args->size(); ++i) {
    std::string& arg = (*args)[i];
    const std::string name = arg.substr(0, arg.find('='));
    if (name != "--config" && name != "--set") {
      rest.push_back(std::move(arg));
      continue;
    }
    std::string operand;
    if (name.size() < arg.size()) {
      operand = arg.substr(name.size() + 1);
    } else if (i + 1 < args->size()) {
      operand = std::move((*args)[++i]);
    }
    if (operand.empty()) {
      return FatalError("{}: expected {} after it", name,
                        name == "--config" ? "a file" : "NAME=VALUE");
    }
    if (name == "--set") {
      inputs.sets.push_back(std::move(operand));
    } else if (std::exchange(has_file, true)) {
      return FatalError("--config: given twice. Put all into one file");
    } else {
      inputs.file = std::move(operand);
    }
  }
  *args = std::move(rest);
  return inputs;
}

}  // namespace orbweaver::config
