#include "common/base/check.h"
#include "common/bus/embedded/embedded_bus.h"
#include "common/store/rocksdb/database.h"
#include "tests/contract/bus_contract.h"
#include "tests/support/scratch_folder.h"

namespace orbweaver {
namespace {

class EmbeddedBusEnv : public BusEnv {
 public:
  // Opened here and not on first use: a test's threads use it at once. The child of KillDuring
  // opens what its parent has closed.
  EmbeddedBusEnv() { Reopen(); }

  Bus& bus() override { return *bus_; }

  void Reopen() override {
    Close();
    auto database = Database::Open({.folder = path_});
    EXPECT_TRUE(database.ok()) << database.status();
    CHECK(database.ok());
    database_ = *std::move(database);
    auto bus = EmbeddedBus::Open(*database_, SystemClock());
    EXPECT_TRUE(bus.ok()) << bus.status();
    CHECK(bus.ok());
    bus_ = *std::move(bus);
  }

  // There is no server but this process, and clients live no longer than it: see KillDuring.
  void KillServer() override {}
  void StartServer() override {}

  uint64_t KillDuring(const Work& work, uint64_t kill_at) override {
    if (!IsKilledChild()) Close();
    const uint64_t acked =
        RunInKilledChild([&](const Acked& report) { work(bus(), report); }, kill_at);
    Reopen();
    return acked;
  }

  void CutLog(const std::string& topic, PartitionId partition, Offset start) override {
    const LogStart log{topic, partition, start};
    const absl::Status cut = bus_->DeleteBefore({&log, 1});
    EXPECT_TRUE(cut.ok()) << cut;
  }

  Duration ShortestSession() const override { return std::chrono::milliseconds(200); }

 private:
  void Close() {
    bus_.reset();
    database_.reset();
  }

  const ScratchFolder folder_;
  const std::filesystem::path path_ = SharedWithChild("folder", folder_.path() / "data");
  std::unique_ptr<Database> database_;
  std::unique_ptr<EmbeddedBus> bus_;
};

INSTANTIATE_TEST_SUITE_P(Embedded, BusContract,
                         ::testing::Values(BusEnvFactory{
                             "embedded", []() -> std::unique_ptr<BusEnv> {
                               return std::make_unique<EmbeddedBusEnv>();
                             }}));

}  // namespace
}  // namespace orbweaver
