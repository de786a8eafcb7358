#include "common/base/check.h"
#include "common/bus/memory/memory_bus.h"
#include "tests/contract/bus_contract.h"

namespace orbweaver {
namespace {

class MemoryBusEnv : public BusEnv {
 public:
  Bus& bus() override {
    if (bus_ == nullptr) Reopen();
    return *bus_;
  }
  void Reopen() override { bus_ = std::make_unique<MemoryBus>(&broker_, kOptions); }

  void KillServer() override { broker_.SetAvailable(false); }
  void StartServer() override { broker_.SetAvailable(true); }
  void FreezeServer() override { broker_.SetAvailable(false); }
  void ThawServer() override { broker_.SetAvailable(true); }

  // A process that dies between two sends.
  uint64_t KillDuring(const Work& work, uint64_t kill_at) override {
    uint64_t acked = 0, sends_since = 0;
    SimulatedProcess process([&](std::string_view point) {
      return acked >= kill_at && point == "after send" && ++sends_since > 500;
    });
    MemoryBusOptions options = kOptions;
    options.process = &process;
    MemoryBus doomed(&broker_, options);
    EXPECT_THROW(work(doomed, [&](uint64_t count) { acked = count; }), SimulatedCrash);
    return acked;
  }

  void CutLog(const std::string& topic, PartitionId partition, Offset start) override {
    CHECK(broker_.CutLog(topic, partition, start).ok());
  }

  Duration ShortestSession() const override { return std::chrono::milliseconds(200); }

 private:
  // Delays and mixtures that keep to the contract; the faults that do not are for the simulator.
  inline static const MemoryBusOptions kOptions{
      .faults = {.seed = 1,
                 .max_append_delay = std::chrono::microseconds(500),
                 .max_ack_delay = std::chrono::microseconds(500),
                 .mix_partitions = true}};

  MemoryBroker broker_;
  std::unique_ptr<MemoryBus> bus_;
};

INSTANTIATE_TEST_SUITE_P(Memory, BusContract,
                         ::testing::Values(BusEnvFactory{"memory", []() -> std::unique_ptr<BusEnv> {
                                                           return std::make_unique<MemoryBusEnv>();
                                                         }}));

}  // namespace
}  // namespace orbweaver
