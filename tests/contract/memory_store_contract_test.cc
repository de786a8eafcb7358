#include "common/store/memory/memory_store.h"
#include "tests/contract/store_contract.h"

namespace orbweaver {
namespace {

class MemoryStoreEnv : public StoreEnv {
 public:
  Store& store() override {
    if (store_ == nullptr) Reopen();
    return *store_;
  }
  // Writes are shuffled, since the contract promises no order between rows.
  void Reopen() override {
    store_ = std::make_unique<MemoryStore>(&tables_,
                                           MemoryStoreOptions{.faults = {.shuffle_writes = true}});
  }

  // The servers that it pretends to have.
  void KillServer() override { tables_.SetAvailable(false); }
  void StartServer() override { tables_.SetAvailable(true); }
  void FreezeServer() override { tables_.SetAvailable(false); }
  void ThawServer() override { tables_.SetAvailable(true); }

  // A process that dies between two puts.
  uint64_t KillDuring(const Work& work, uint64_t kill_at) override {
    uint64_t acked = 0, puts_since = 0;
    SimulatedProcess process([&](std::string_view point) {
      return acked >= kill_at && point == "before put" && ++puts_since > 500;
    });
    MemoryStore doomed(&tables_, {.process = &process, .faults = {.shuffle_writes = true}});
    EXPECT_THROW(work(doomed, [&](uint64_t count) { acked = count; }), SimulatedCrash);
    return acked;
  }

  std::optional<uint64_t> CellsRead() override { return tables_.cells_read(); }

 private:
  MemoryTables tables_;
  std::unique_ptr<MemoryStore> store_;
};

INSTANTIATE_TEST_SUITE_P(Memory, StoreContract,
                         ::testing::Values(StoreEnvFactory{
                             "memory", []() -> std::unique_ptr<StoreEnv> {
                               return std::make_unique<MemoryStoreEnv>();
                             }}));

}  // namespace
}  // namespace orbweaver
