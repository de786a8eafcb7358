#include "tests/support/real_services.h"

#include <cstdio>
#include <cstdlib>

#include <gtest/gtest.h>

namespace orbweaver {

std::string ServiceAddress(const char* name) {
  const char* const value = std::getenv(name);
  if (value == nullptr) {
    std::fprintf(
        stderr,
        "%s is not set. `./run test integration` starts the services and sets it; by hand: "
        "`./run services up`, then `set -a; eval \"$(deploy/local/services env)\"`.\n",
        name);
    std::exit(1);
  }
  return value;
}

void RunServices(const std::string& arguments) {
  const std::string command = "'" + ServiceAddress("ORBWEAVER_SERVICES") + "' " + arguments;
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
}

}  // namespace orbweaver
