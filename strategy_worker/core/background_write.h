// Runs a write to the store while the core goes on with the next batch.
#pragma once

#include <functional>
#include <memory>

#include "absl/status/status.h"

namespace orbweaver {

// Place: made by a worker's main or by a simulation, handed to the core. Used by the core's thread;
// one write at a time. The caller leaves the write's data alone until Await returns.
class BackgroundWrite {
 public:
  virtual ~BackgroundWrite() = default;

  // Runs `write`, which bounds itself by its own timeout. Await comes before the next Start.
  virtual void Start(std::function<absl::Status()> write) = 0;

  // Waits until it has run; its result. OK when nothing was started since the last Await.
  virtual absl::Status Await() = 0;
};

// Start runs it at once: for simulations, which are one thread, and where the store is this
// process's memory.
class DirectWrite : public BackgroundWrite {
 public:
  void Start(std::function<absl::Status()> write) override { result_ = write(); }
  absl::Status Await() override;

 private:
  absl::Status result_;
};

// A thread that runs it, for stores that answer over the network or from a disk.
std::unique_ptr<BackgroundWrite> NewThreadWrite();

}  // namespace orbweaver
