// The store's suite on a real HBase: ORBWEAVER_THRIFT says where its Thrift server is, and
// ORBWEAVER_SERVICES is the program that kills and restarts it (`./run test` sets both).
#include <arpa/inet.h>
#include <cstdlib>
#include <string>
#include <sys/socket.h>

#include "fmt/format.h"

#include "common/store/hbase/hbase_store.h"
#include "common/store/hbase/hbase_tables.h"
#include "tests/contract/store_contract.h"

namespace orbweaver {
namespace {

// Stops the process, since no test could say anything without it.
std::string FromEnvironment(const char* name) {
  const char* const value = std::getenv(name);
  if (value == nullptr) {
    fmt::print(stderr,
               "{} is not set. `./run test integration` starts the services and sets it; by hand: "
               "`eval \"$(deploy/local/services env)\"`.\n",
               name);
    std::exit(1);
  }
  return value;
}

HBaseOptions TestOptions() {
  HBaseOptions options;
  options.hosts = {FromEnvironment("ORBWEAVER_THRIFT")};
  options.framed = options.compact = std::getenv("ORBWEAVER_THRIFT_FRAMED") != nullptr;
  // Framed servers of HBase 2.6 cannot split a table that they make (HBaseTables::Make).
  options.tables.regions = options.framed ? 1 : 4;
  if (const char* const authority = std::getenv("ORBWEAVER_SERVICES_CA")) {
    options.http = true;
    options.tls = {.enabled = true, .ca_file = authority};
  }
  options.table_prefix = "contract_";  // apart from tables that somebody works with
  return options;
}

class HBaseStoreEnv : public StoreEnv {
 public:
  HBaseStoreEnv() : options_(TestOptions()) {
    auto tables = HBaseTables::Create(options_);
    EXPECT_OK(tables);
    for (const Table table : kTables) {
      EXPECT_OK((*tables)->Make(table, kStorePatience));
    }
    Reopen();
  }

  Store& store() override { return *store_; }

  void Reopen() override {
    auto store = HBaseStore::Create(options_);
    EXPECT_OK(store);
    store_ = std::move(*store);
  }

  void KillServer() override { Services("kill hbase"); }
  void StartServer() override { Services("restart hbase"); }
  void FreezeServer() override { Services("freeze hbase"); }
  void ThawServer() override { Services("thaw hbase"); }

  // As when a firewall drops them: the client only sees them end.
  void BreakConnections() override {
    for (int fd = 3; fd < 256; ++fd) {
      sockaddr_in peer{};
      socklen_t size = sizeof peer;
      if (getpeername(fd, reinterpret_cast<sockaddr*>(&peer), &size) == 0 &&
          ntohs(peer.sin_port) == ParseHostPort(options_.hosts[0])->port) {
        shutdown(fd, SHUT_RDWR);
        ++broken_;
      }
    }
    EXPECT_GT(broken_, 0);
  }

 private:
  static void Services(const std::string& arguments) {
    const std::string command = "'" + FromEnvironment("ORBWEAVER_SERVICES") + "' " + arguments;
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
  }

  const HBaseOptions options_;
  std::unique_ptr<HBaseStore> store_;
  int broken_ = 0;
};

INSTANTIATE_TEST_SUITE_P(HBase, StoreContract,
                         ::testing::Values(StoreEnvFactory{
                             "hbase", []() -> std::unique_ptr<StoreEnv> {
                               return std::make_unique<HBaseStoreEnv>();
                             }}));

}  // namespace
}  // namespace orbweaver
