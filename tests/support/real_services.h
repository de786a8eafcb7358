// The real Kafka and HBase of `./run services`, for tests that need them.
#pragma once

#include <map>
#include <string>

namespace orbweaver {

// The address in the environment variable `name`: ORBWEAVER_KAFKA or ORBWEAVER_THRIFT. Ends the
// process with a word on how to start them when it is not set, since no test could say anything
// without it.
std::string ServiceAddress(const char* name);

// Of librdkafka, to reach that Kafka. Empty where it speaks no TLS.
std::map<std::string, std::string> KafkaProperties();

// The file of the authority that both services' certificates are signed by; empty where they speak
// no TLS.
std::string ServicesAuthority();

// Runs `services ARGUMENTS`, e.g. "kill kafka" or "restart hbase", on the set that the addresses
// belong to. A failure is the running test's.
void RunServices(const std::string& arguments);

}  // namespace orbweaver
