// usage: orbweaver-many-domains DIR COUNT
//
// Puts COUNT domains into DIR, the folder of an `orbweaver crawl` that rests (many_domains.h).
#include <cstdint>
#include <span>

#include "fmt/format.h"

#include "common/base/status.h"
#include "common/config/value_text.h"
#include "common/store/rocksdb/database.h"
#include "common/store/rocksdb/rocksdb_store.h"
#include "tests/support/many_domains.h"

namespace orbweaver {
namespace {

absl::Status Put(const char* folder, uint64_t count) {
  ASSIGN_OR_RETURN(const auto database, Database::Open({.folder = folder, .sync = false}));
  RocksdbStore store(*database);
  return PutManyDomains(store, count);
}

int Main(std::span<char*> arguments) {
  uint64_t count = 0;
  if (arguments.size() != 3 || !config::ParseNumber(arguments[2], &count)) {
    fmt::print(stderr, "usage: orbweaver-many-domains DIR COUNT\n");
    return 2;
  }
  const absl::Status put = Put(arguments[1], count);
  if (!put.ok()) fmt::print(stderr, "orbweaver-many-domains: {}\n", MessageOf(put));
  return put.ok() ? 0 : 1;
}

}  // namespace
}  // namespace orbweaver

int main(int argc, char** argv) { return orbweaver::Main({argv, static_cast<size_t>(argc)}); }
