#include <optional>

#include "common/base/check.h"
#include "common/store/rocksdb/database.h"
#include "common/store/rocksdb/rocksdb_store.h"
#include "tests/contract/store_contract.h"
#include "tests/support/scratch_folder.h"

namespace orbweaver {
namespace {

class RocksdbStoreEnv : public StoreEnv {
 public:
  // Opened here and not on first use: a test's threads use it at once. The child of KillDuring
  // opens what its parent has closed.
  RocksdbStoreEnv() { Reopen(); }

  Store& store() override { return *store_; }

  void Reopen() override {
    Close();
    auto opened = Database::Open({.folder = path_});
    EXPECT_TRUE(opened.ok()) << opened.status();
    CHECK(opened.ok());
    database_ = *std::move(opened);
    store_.emplace(*database_);
  }

  // There is no server but this process: see KillDuring.
  void KillServer() override {}
  void StartServer() override { Reopen(); }

  uint64_t KillDuring(const Work& work, uint64_t kill_at) override {
    if (!IsKilledChild()) Close();
    const uint64_t acked =
        RunInKilledChild([&](const Acked& report) { work(store(), report); }, kill_at);
    Reopen();
    return acked;
  }

 private:
  void Close() {
    store_.reset();
    database_.reset();
  }

  const ScratchFolder folder_;
  const std::filesystem::path path_ = SharedWithChild("folder", folder_.path() / "data");
  std::unique_ptr<Database> database_;
  std::optional<RocksdbStore> store_;
};

INSTANTIATE_TEST_SUITE_P(Rocksdb, StoreContract,
                         ::testing::Values(StoreEnvFactory{
                             "rocksdb", []() -> std::unique_ptr<StoreEnv> {
                               return std::make_unique<RocksdbStoreEnv>();
                             }}));

}  // namespace
}  // namespace orbweaver
