#include "cli/crawl/sharing_memory.h"

#include <utility>

#include <gtest/gtest.h>

#include "common/base/status.h"
#include "tests/support/expect_ok.h"
#include "tests/support/scratch_folder.h"

namespace orbweaver {
namespace {

constexpr size_t kMiB = size_t{1} << 20;

class LearningWorker : public Stepped {
 public:
  LearningWorker(Gauge& state_bytes, double bytes) : state_bytes_(state_bytes), bytes_(bytes) {}
  absl::Status Step() override {
    state_bytes_.Add(bytes_);
    return RetryError("the store is away");
  }
  absl::Status Close() override { return absl::OkStatus(); }

 private:
  Gauge& state_bytes_;
  const double bytes_;
};

TEST(SharingMemoryTest, WriteBuffersHaveWhatTheStatesDoNotTake) {
  EXPECT_EQ(WriteBuffersBeside(40 * kMiB), 132 * kMiB);
  EXPECT_EQ(WriteBuffersBeside(80 * kMiB), 72 * kMiB);
}

TEST(SharingMemoryTest, HoweverFewTheStatesAreTheyHaveNoMoreThanTheyNeed) {
  EXPECT_EQ(WriteBuffersBeside(0), 160 * kMiB);
  EXPECT_EQ(WriteBuffersBeside(10 * kMiB), 160 * kMiB);
}

TEST(SharingMemoryTest, HoweverMuchTheStatesTakeSomeIsLeft) {
  EXPECT_EQ(WriteBuffersBeside(110 * kMiB), 32 * kMiB);
  EXPECT_EQ(WriteBuffersBeside(10'000 * kMiB), 32 * kMiB);
}

TEST(SharingMemoryTest, EachStepBoundsTheWriteBuffersAlsoOneThatFails) {
  const ScratchFolder folder;
  auto database = Database::Open(
      {.folder = folder.path() / "crawl-data", .all_write_buffers_bytes = WriteBuffersBeside(0)});
  ASSERT_OK(database.status());
  Gauge state_bytes;
  SharingMemory worker(std::make_unique<LearningWorker>(state_bytes, 40.0 * kMiB), **database,
                       state_bytes);
  EXPECT_EQ((*database)->write_buffers_bound(), 160 * kMiB);
  EXPECT_TRUE(absl::IsUnavailable(worker.Step()));
  EXPECT_EQ((*database)->write_buffers_bound(), WriteBuffersBeside(40 * kMiB));
  EXPECT_TRUE(absl::IsUnavailable(worker.Step()));
  EXPECT_EQ((*database)->write_buffers_bound(), WriteBuffersBeside(80 * kMiB));
}

}  // namespace
}  // namespace orbweaver
