#include "spider/crawl/membership.h"

#include "common/base/status.h"

namespace orbweaver {
namespace {

// How long a step waits for requests. A stop is seen this much later.
constexpr Duration kWait = std::chrono::milliseconds(200);

class Membership : public Stepped {
 public:
  explicit Membership(SpiderCore& core) : core_(core) {}
  ~Membership() override { core_.Leave(); }

  absl::Status Step() override { return core_.Step(kWait); }
  absl::Status Close() override { return core_.Close(); }

 private:
  SpiderCore& core_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Stepped>> JoinSpiders(SpiderCore& core) {
  RETURN_IF_ERROR(core.Join());
  return std::make_unique<Membership>(core);
}

}  // namespace orbweaver
