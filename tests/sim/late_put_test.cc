// Named schedules in which a put of a replaced db worker reaches the store late: after its
// successor has read the row, or after two successors have.
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "common/base/log.h"
#include "common/store/memory/memory_store.h"
#include "tests/support/db_worker_harness.h"
#include "tests/support/late_store.h"

namespace orbweaver {
namespace {

// The worker whose puts are late, on the harness's bus. It dies with them on their way.
class LateWorker {
 public:
  LateWorker(DbWorkerHarness& harness, MemoryTables* tables) : harness_(harness), store_(tables) {}

  // Of two steps the first joins the group, the second takes over.
  void Start(Bus& bus, int steps) {
    harness_.clock().Advance(std::chrono::minutes(1));
    auto made =
        DbWorkerCore::Create(bus, store_, harness_.clock(), harness_.metrics(), harness_.setup());
    CHECK_OK(made.status());
    core_ = *std::move(made);
    for (int i = 0; i < steps; ++i) CHECK_OK(core_->Step(Duration::zero()));
  }
  void Start() { Start(harness_.bus(), 5); }
  LateStore& store() { return store_; }

  // Its next put is late, and it dies before it has its answer.
  void DieInItsNextPut() {
    store_.Hold();
    for (int i = 0; i < 10 && !store_.holds_something(); ++i) {
      (void)core_->Step(Duration::zero()).ok();
    }
    EXPECT_TRUE(store_.holds_something());
    core_.reset();
  }

 private:
  DbWorkerHarness& harness_;
  LateStore store_;
  std::unique_ptr<DbWorkerCore> core_;
};

class LatePut : public ::testing::Test {
 protected:
  LatePut() {
    ConfigureLog({.level = LogLevel::kError, .repeats_per_ten_seconds = 1});
    // Heads reach the store by enqueue, or at the end.
    worker_.options().checkpoint_interval = std::chrono::hours(1);
  }

  static ScheduledRequest Raise(std::string_view url) {
    ScheduledRequest request = DbWorkerHarness::RequestTo(url, 1);
    request.action = ScheduleAction::kRaise;
    return request;
  }
  // A worker that takes over and sends all it finds before it sees the scoring log.
  void SendByNextOwnerAndKillIt() {
    worker_.feed().low_lag = 100;
    worker_.politeness().delay = std::chrono::milliseconds(0);
    worker_.Restart(slow_bus_);
    for (int i = 0; i < 2; ++i) CHECK_OK(worker_.core().Step(Duration::zero()));
    worker_.Kill();
    worker_.feed().low_lag = 1;
    for (const auto& sent : worker_.NewInFeed()) ++left_[sent.url];
  }
  // How often each URL has left the queue, when all has.
  const std::map<std::string, int>& Left() {
    worker_.Restart();
    worker_.Settle();
    for (int looks = 0; looks < 100; ++looks) {
      worker_.CommitFeed();
      worker_.StepOnce();
      for (const auto& sent : worker_.NewInFeed()) ++left_[sent.url];
    }
    return left_;
  }

  MemoryTables tables_;
  MemoryStore store_{&tables_, {}};
  DbWorkerHarness worker_{store_};
  LateWorker first_{worker_, &tables_};
  LateWorker second_{worker_, &tables_};
  // Gives nothing at first after a pause, so that a new owner sends before it enqueues.
  MemoryBus slow_bus_{&worker_.broker(), {.faults = {.seed = 2, .late_resume = 1}}};
  std::map<std::string, int> left_;
};

TEST_F(LatePut, OfMergedChunksSendsNothingTwice) {
  worker_.Schedule("one.com", {DbWorkerHarness::RequestTo("http://one.com/a"),
                               DbWorkerHarness::RequestTo("http://one.com/b")});
  first_.Start();
  worker_.Schedule("one.com", {DbWorkerHarness::RequestTo("http://one.com/c")});
  first_.DieInItsNextPut();
  SendByNextOwnerAndKillIt();
  EXPECT_EQ(left_.size(), 2u);
  first_.store().Land();
  EXPECT_EQ(Left(),
            (std::map<std::string, int>{
                {"http://one.com/a", 1}, {"http://one.com/b", 1}, {"http://one.com/c", 1}}));
}

TEST_F(LatePut, OfARaisedRequestDoesNotSendItTwice) {
  worker_.Schedule("one.com", {DbWorkerHarness::RequestTo("http://one.com/a", 0.1F),
                               DbWorkerHarness::RequestTo("http://one.com/b", 0.1F)});
  first_.Start();
  worker_.Schedule("one.com", {Raise("http://one.com/b")});
  first_.DieInItsNextPut();
  SendByNextOwnerAndKillIt();
  EXPECT_EQ(left_.size(), 2u);
  first_.store().Land();
  EXPECT_EQ(Left(), (std::map<std::string, int>{{"http://one.com/a", 1}, {"http://one.com/b", 1}}));
}

TEST_F(LatePut, OfARaisedRequestDoesNotHideItFromTheNextOwner) {
  worker_.options().chunk_cache_bytes = 0;  // chunks are read from the store
  worker_.Schedule("one.com", {DbWorkerHarness::RequestTo("http://one.com/a", 0.1F),
                               DbWorkerHarness::RequestTo("http://one.com/b", 0.1F)});
  first_.Start();
  worker_.Schedule("one.com", {Raise("http://one.com/b")});
  first_.DieInItsNextPut();
  // Its successor knows the row as it was, and reads its chunks as they are now.
  worker_.Restart(slow_bus_);
  CHECK_OK(worker_.core().Step(Duration::zero()));
  CHECK_OK(worker_.core().Step(Duration::zero()));
  first_.store().Land();
  worker_.Settle();
  for (int looks = 0; looks < 100; ++looks) {
    worker_.CommitFeed();
    worker_.StepOnce();
    for (const auto& sent : worker_.NewInFeed()) ++left_[sent.url];
  }
  EXPECT_EQ(left_, (std::map<std::string, int>{{"http://one.com/a", 1}, {"http://one.com/b", 1}}));
}

// The successor passes over a message that the row has already, and commits it; then the row
// becomes one that does not have it.
TEST_F(LatePut, OfAnOwnerInBetweenLosesNothingThatItsSuccessorPassedOver) {
  worker_.Schedule("one.com", {DbWorkerHarness::RequestTo("http://one.com/a")});
  first_.Start();
  worker_.Schedule("one.com", {DbWorkerHarness::RequestTo("http://one.com/b")});
  first_.DieInItsNextPut();
  // It dies claiming the row, before anything leaves.
  worker_.feed().low_lag = 100;
  second_.Start(slow_bus_, 1);
  second_.DieInItsNextPut();
  EXPECT_TRUE(worker_.NewInFeed().empty());
  worker_.feed().low_lag = 1;
  first_.store().Land();
  worker_.Restart();
  worker_.Settle();
  worker_.Kill();
  second_.store().Land();
  EXPECT_EQ(Left(), (std::map<std::string, int>{{"http://one.com/a", 1}, {"http://one.com/b", 1}}));
}

// Both gave a chunk the same number, and put other requests into it: the first merged, the second
// had nothing cached. The first's head is read, and the second's chunk must not take the place of
// the one that it names.
TEST_F(LatePut, OfTwoOwnersInARowDoesNotReplaceAChunkThatTheHeadNames) {
  worker_.feed().low_lag = 0;  // nothing leaves
  worker_.Schedule("one.com", {DbWorkerHarness::RequestTo("http://one.com/a")});
  first_.Start();
  worker_.Schedule("one.com", {DbWorkerHarness::RequestTo("http://one.com/b")});
  first_.DieInItsNextPut();
  second_.Start(slow_bus_, 2);
  second_.DieInItsNextPut();
  first_.store().Land();
  worker_.Restart();
  worker_.Settle();
  worker_.Kill();
  second_.store().Land();
  worker_.feed().low_lag = 1;
  EXPECT_EQ(Left(), (std::map<std::string, int>{{"http://one.com/a", 1}, {"http://one.com/b", 1}}));
}

// The same in a bucket of delayed requests: the second had only a part of the messages yet.
TEST_F(LatePut, OfTwoOwnersInARowDoesNotReplaceADelayedChunkThatTheHeadNames) {
  worker_.feed().low_lag = 0;
  first_.Start();
  const WallTime due = worker_.clock().Wall() + std::chrono::hours(24);
  worker_.ScheduleMany("one.com", 1000, 0.5, due);
  first_.DieInItsNextPut();
  MemoryBus bus(&worker_.broker(),
                {.faults = {.seed = 1, .mix_partitions = true, .late_resume = 1}});
  second_.Start(bus, 2);
  second_.DieInItsNextPut();
  first_.store().Land();
  worker_.Restart();
  worker_.Settle();
  worker_.Kill();
  second_.store().Land();
  worker_.feed() = {.low_lag = 100};
  worker_.politeness().delay = {};
  worker_.clock().Advance(std::chrono::hours(25));
  EXPECT_EQ(Left().size(), 1000u);
}

}  // namespace
}  // namespace orbweaver
