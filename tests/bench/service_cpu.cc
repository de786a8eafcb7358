#include "tests/bench/service_cpu.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <sstream>
#include <string>
#include <unistd.h>

#include "fmt/format.h"

namespace orbweaver {

ServiceCpu::ServiceCpu(std::string_view service) {
  const char* const services = std::getenv("ORBWEAVER_SERVICES");
  if (services == nullptr) return;
  const std::string command =
      fmt::format("'{}' status | sed -n 's/^{}.* pid \\([0-9]*\\) .*/\\1/p'", services, service);
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  int pid = 0;
  if (pipe != nullptr && std::fscanf(pipe.get(), "%d", &pid) == 1) pid_ = pid;
}

double ServiceCpu::Seconds() const {
  if (!found()) return 0;
  std::ifstream file(fmt::format("/proc/{}/stat", pid_));
  std::string text((std::istreambuf_iterator<char>(file)), {});
  // After the name, which may hold anything but ends with the last ')': user and system time are
  // the 12th and 13th.
  std::istringstream fields(text.substr(text.rfind(')') + 1));
  std::string skipped;
  for (int i = 0; i < 11; ++i) fields >> skipped;
  double user = 0, system = 0;
  fields >> user >> system;
  return (user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

}  // namespace orbweaver
