#include "db_worker/worker.h"

#include <utility>

#include "common/base/status.h"

namespace orbweaver {
namespace {

// How long a step waits for messages. A stop is seen this much later.
constexpr Duration kWait = std::chrono::milliseconds(200);

class QueueWorker : public Stepped {
 public:
  QueueWorker(QueueAdmin& admin, std::unique_ptr<DbWorkerCore> core, Duration wait)
      : admin_(admin), core_(std::move(core)), wait_(wait) {}
  ~QueueWorker() override { admin_.Leave(); }

  absl::Status Step() override {
    admin_.Serve(*core_);
    return core_->Step(wait_);
  }
  absl::Status Close() override {
    core_->Close();
    return absl::OkStatus();
  }

 private:
  QueueAdmin& admin_;
  const std::unique_ptr<DbWorkerCore> core_;
  const Duration wait_;
};

class PagesWorker : public Stepped {
 public:
  explicit PagesWorker(std::unique_ptr<PagesCore> core) : core_(std::move(core)) {}

  absl::Status Step() override { return core_->Step(kWait); }
  absl::Status Close() override {
    core_->Close();
    return absl::OkStatus();
  }

 private:
  const std::unique_ptr<PagesCore> core_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Stepped>> NewQueueWorker(const QueueWorkerParts& parts) {
  ASSIGN_OR_RETURN(auto core, DbWorkerCore::Create(parts.bus, parts.store, SystemClock(),
                                                   parts.metrics, parts.setup));
  return std::make_unique<QueueWorker>(parts.admin, std::move(core), parts.wait);
}

absl::StatusOr<std::unique_ptr<Stepped>> NewPagesWorker(const PagesWorkerParts& parts) {
  ASSIGN_OR_RETURN(auto core, PagesCore::Create(parts.bus, parts.store, SystemClock(),
                                                parts.metrics, parts.setup));
  return std::make_unique<PagesWorker>(std::move(core));
}

}  // namespace orbweaver
