// The embedded bus, every group commit synced.
#include "common/base/status.h"
#include "common/bus/embedded/embedded_bus.h"
#include "common/store/rocksdb/database.h"
#include "tests/bench/bench.h"
#include "tests/bench/bus_cases.h"
#include "tests/support/scratch_folder.h"

namespace orbweaver {
namespace {

absl::Status Run(BenchReport& report) {
  const ScratchFolder folder;
  ASSIGN_OR_RETURN(const auto database, Database::Open({.folder = folder.path() / "data"}));
  ASSIGN_OR_RETURN(const auto bus, EmbeddedBus::Open(*database, SystemClock()));
  return BenchBus(*bus, "embedded", 2'000'000,
                  {.produce = "CPU: copies into the log, LZ4 at flush",
                   .consume = "CPU: reading and LZ4 of blob files"},
                  report);
}

void EmbeddedBusBench(BenchReport& report) {
  const absl::Status status = Run(report);
  if (!status.ok()) report.Fail("embedded", MessageOf(status));
}

}  // namespace

ORBWEAVER_BENCH("bus", EmbeddedBusBench);

}  // namespace orbweaver
