// The memory that link states and RocksDB's write buffers share in a crawl on one machine.
//
// States come slowly and stay; write buffers serve from the first page on. They have what the
// states do not need yet, so that the peak of a crawl does not grow with what it knows before it
// knows a lot.
#pragma once

#include <cstddef>
#include <memory>

#include "absl/status/status.h"

#include "common/metrics/metric.h"
#include "common/runtime/step_loop.h"
#include "common/store/rocksdb/database.h"

namespace orbweaver {

// The bytes that the write buffers of all tables and the log may take beside so many bytes of
// states.
size_t WriteBuffersBeside(size_t state_bytes);

// Place: around the strategy worker, whose states `state_bytes` counts. Bounds the database's write
// buffers anew after each step.
class SharingMemory : public Stepped {
 public:
  SharingMemory(std::unique_ptr<Stepped> worker, Database& database, const Gauge& state_bytes)
      : worker_(std::move(worker)), database_(database), state_bytes_(state_bytes) {}

  absl::Status Step() override;
  absl::Status Close() override { return worker_->Close(); }

 private:
  const std::unique_ptr<Stepped> worker_;
  Database& database_;
  const Gauge& state_bytes_;
};

}  // namespace orbweaver
