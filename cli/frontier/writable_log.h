// The logs of a cluster, or of a crawl that rests, opened for writing, and its store.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "absl/status/statusor.h"
#include "cli/product_options.h"

#include "common/base/clock.h"
#include "common/bus/bus.h"
#include "common/store/rocksdb/database.h"
#include "common/store/store.h"

namespace orbweaver {

// Place: commands that write to the spider log. A folder is locked as long as this lives.
struct WritableLog {
  std::unique_ptr<Database> database;  // of a folder; the two below use it
  std::unique_ptr<Store> store;        // a cluster's server is asked by the first call to it
  std::unique_ptr<Bus> bus;
};

// With a `folder` that one, whose crawl must not be running; else the cluster of the options. A
// folder's records are dated by `clock`, which must outlive the log; a cluster dates them itself.
absl::StatusOr<WritableLog> OpenWritableLog(const ProductOptions& options,
                                            const std::optional<std::filesystem::path>& folder,
                                            const Clock& clock = SystemClock());

}  // namespace orbweaver
