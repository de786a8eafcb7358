// The cost of a request for the server: the CPU time of Kafka's or HBase's JVM on this machine.
#pragma once

#include <string_view>

namespace orbweaver {

class ServiceCpu {
 public:
  // "kafka" or "hbase", of the set that ORBWEAVER_SERVICES leads to.
  explicit ServiceCpu(std::string_view service);

  // False when there is no such process here: the servers are elsewhere.
  bool found() const { return pid_ != 0; }

  // So far; 0 when it was not found.
  double Seconds() const;

 private:
  int pid_ = 0;
};

}  // namespace orbweaver
