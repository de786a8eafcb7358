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

std::string ServicesAuthority() {
  const char* const file = std::getenv("ORBWEAVER_SERVICES_CA");
  return file == nullptr ? "" : file;
}

std::map<std::string, std::string> KafkaProperties() {
  const std::string authority = ServicesAuthority();
  if (authority.empty()) return {};
  return {{"security.protocol", "SASL_SSL"},
          {"ssl.ca.location", authority},
          {"sasl.mechanism", "SCRAM-SHA-512"},
          {"sasl.username", ServiceAddress("ORBWEAVER_KAFKA_USER")},
          {"sasl.password", ServiceAddress("ORBWEAVER_KAFKA_PASSWORD")}};
}

void RunServices(const std::string& arguments) {
  const std::string command = "'" + ServiceAddress("ORBWEAVER_SERVICES") + "' " + arguments;
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
}

}  // namespace orbweaver
