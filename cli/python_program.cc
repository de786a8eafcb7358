#include "cli/python_program.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <unistd.h>
#include <vector>

#include "common/base/status.h"

namespace orbweaver {

const char* const kOwnPython = ORBWEAVER_PYTHON;

absl::Status BecomePython(std::string program, const std::filesystem::path& directory,
                          std::span<const std::string> arguments) {
  std::string path = (directory.parent_path() / "python").string();
  if (const char* const own = std::getenv("PYTHONPATH"); own != nullptr && *own != '\0') {
    path += std::string(":") + own;
  }
  setenv("PYTHONPATH", path.c_str(), 1);
  setenv("ORBWEAVER_STRATEGIES", directory.c_str(), 1);
  std::vector<char*> all = {program.data()};
  std::vector<std::string> kept(arguments.begin(), arguments.end());
  for (std::string& argument : kept) all.push_back(argument.data());
  all.push_back(nullptr);
  execvp(program.c_str(), all.data());
  return FatalError("{} cannot be started: {}. Install {}", program, std::strerror(errno),
                    program == kOwnPython ? "Python of that version" : "Python");
}

}  // namespace orbweaver
