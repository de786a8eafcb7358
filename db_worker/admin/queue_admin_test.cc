#include "db_worker/admin/queue_admin.h"

#include <atomic>
#include <string>
#include <thread>

#include "absl/synchronization/notification.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/store/memory/memory_store.h"
#include "tests/support/db_worker_harness.h"

namespace orbweaver {
namespace {

using ::testing::HasSubstr;

// Holds the next write back until it is let go.
class HeldStore : public MemoryStore {
 public:
  using MemoryStore::MemoryStore;
  absl::Status Write(Table table, std::span<const RowPut> puts, Duration timeout,
                     std::vector<uint32_t>* remaining) override {
    if (holds.exchange(false)) {
      entered.Notify();
      leave.WaitForNotification();
    }
    return MemoryStore::Write(table, puts, timeout, remaining);
  }

  std::atomic<bool> holds = false;
  absl::Notification entered;
  absl::Notification leave;
};

class QueueAdminTest : public ::testing::Test {
 protected:
  // As the admin server's thread does it, while the core's serves.
  AdminResponse Act(const std::string& name, const std::string& parameters) {
    AdminResponse response;
    std::atomic<bool> answered = false;
    std::thread server([&] {
      response = site_.Handle({.method = "POST",
                               .target = "/actions/" + name,
                               .authorization = "Bearer token",
                               .body = parameters});
      answered = true;
    });
    while (!answered) admin_.Serve(worker_.core());
    server.join();
    return response;
  }
  std::string Get(const std::string& path) {
    return site_.Handle({.method = "GET", .target = path}).body;
  }

  MemoryTables tables_;
  HeldStore store_{&tables_, {}};
  DbWorkerHarness worker_{store_};
  AdminSite site_{"token"};
  MetricRegistry metrics_;
  const UrlOptions urls_;
  const std::unique_ptr<const PublicSuffixes> suffixes_ = PublicSuffixes::Load({}).value();
  QueueAdmin admin_{site_, metrics_, worker_.clock(), urls_, *suffixes_, std::chrono::minutes(10)};
};

TEST_F(QueueAdminTest, ShowsWhatWaitsOnlyOnceThereIsACore) {
  EXPECT_THAT(Get("/readyz"), HasSubstr("queue: has not joined"));
  worker_.ScheduleMany("one.com", 3);
  worker_.Settle();
  admin_.Serve(worker_.core());
  EXPECT_EQ(Get("/readyz"), "ready\n");
  EXPECT_THAT(Get("/status"), HasSubstr("\"waiting_by_band\":[0,0,0,0,3,0,0,0]"));
  EXPECT_THAT(metrics_.Text(), HasSubstr("orbweaver_queue_requests_waiting{band=\"4\"} 3\n"));
  EXPECT_THAT(metrics_.Text(), HasSubstr("orbweaver_queue_partitions 1\n"));
  admin_.Leave();
  EXPECT_THAT(Get("/readyz"), HasSubstr("queue: has not joined"));
  EXPECT_THAT(metrics_.Text(), HasSubstr("orbweaver_queue_partitions 0\n"));
}

TEST_F(QueueAdminTest, BlocksUnblocksAndPurgesADomain) {
  worker_.ScheduleMany("one.com", 3);
  worker_.Settle();
  EXPECT_EQ(Act("block", "domain=one.com&for=2h").status, 200);
  const WallTime until = worker_.clock().Wall() + std::chrono::hours(2);
  EXPECT_EQ(worker_.core().Inspect("one.com")->blocked_until, until);
  EXPECT_THAT(Act("inspect", "domain=one.com").body, HasSubstr("\"domain\":\"one.com\""));
  EXPECT_EQ(Act("unblock", "domain=one.com").status, 200);
  EXPECT_EQ(worker_.core().Inspect("one.com")->blocked_until, WallTime());
  EXPECT_EQ(Act("purge", "domain=one.com").status, 200);
  EXPECT_EQ(worker_.core().Inspect("one.com")->waiting[4], 0u);
}

TEST_F(QueueAdminTest, AHostOrUrlIsTakenForItsRegisteredDomainAndTheAnswerSaysSo) {
  worker_.ScheduleMany("one.co.uk", 3);
  worker_.Settle();
  const AdminResponse blocked = Act("block", "domain=WWW.One.co.uk&for=2h");
  EXPECT_EQ(blocked.status, 200);
  EXPECT_THAT(blocked.body, HasSubstr("one.co.uk (of 'WWW.One.co.uk') is blocked until"));
  EXPECT_GT(worker_.core().Inspect("one.co.uk")->blocked_until, WallTime());
  EXPECT_EQ(Act("unblock", "domain=https%3A%2F%2Fa.one.co.uk%2Fb").status, 200);
  EXPECT_EQ(worker_.core().Inspect("one.co.uk")->blocked_until, WallTime());
  EXPECT_THAT(Act("inspect", "domain=www.one.co.uk").body, HasSubstr("\"domain\":\"one.co.uk\""));
  EXPECT_EQ(Act("purge", "domain=www.one.co.uk").status, 200);
  EXPECT_EQ(worker_.core().Inspect("one.co.uk")->waiting[4], 0u);
}

TEST_F(QueueAdminTest, NoNameEndsTheWorker) {
  worker_.Settle();
  for (const std::string& name :
       {std::string(256, 'a'), std::string(60'000, 'a'), std::string("a%00b.com"),
        std::string("%FF%FE"), std::string("."), std::string("a..b"), std::string("a+b.com")}) {
    for (const char* const action : {"inspect", "block", "unblock", "purge"}) {
      const AdminResponse response = Act(action, "for=1h&domain=" + name);
      EXPECT_EQ(response.status, 400) << action << " " << name.substr(0, 300);
      EXPECT_THAT(response.body, HasSubstr("is not a valid domain"));
    }
  }
}

TEST_F(QueueAdminTest, PausesAndResumesAPartition) {
  worker_.Settle();
  EXPECT_EQ(Act("pause", "partition=0").status, 200);
  EXPECT_TRUE(worker_.core().Report().front().paused);
  EXPECT_EQ(Act("resume", "partition=0").status, 200);
  EXPECT_FALSE(worker_.core().Report().front().paused);
  EXPECT_EQ(Act("pause", "partition=9").status, 404);
}

TEST_F(QueueAdminTest, WrongParametersAreNamed) {
  worker_.Settle();
  for (const char* const wrong :
       {"", "domain=one.com", "domain=one.com&for=2", "domain=one.com&until=5",
        "domain=one.com&until=x", "domain=one.com&for=1h&until=99999999999999"}) {
    EXPECT_EQ(Act("block", wrong).status, 400) << wrong;
  }
  EXPECT_EQ(Act("pause", "partition=-1").status, 400);
  EXPECT_EQ(Act("inspect", "domain=nobody.com").status, 404);
}

TEST_F(QueueAdminTest, IsShownAndReadyWhileAnActionWaitsForTheStore) {
  worker_.ScheduleMany("one.com", 3);
  worker_.Settle();
  AdminSite site("token");
  MetricRegistry metrics;
  // An action that has begun is waited for, whatever the patience.
  QueueAdmin admin(site, metrics, worker_.clock(), urls_, *suffixes_, std::chrono::milliseconds(1));
  store_.holds = true;
  std::atomic<bool> ended = false;
  std::thread core([&] {
    while (!ended) admin.Serve(worker_.core());
  });
  AdminResponse response;
  std::thread server([&] {
    // Refused when the core was not quick enough to begin.
    do {
      response = site.Handle({.method = "POST",
                              .target = "/actions/purge?domain=one.com",
                              .authorization = "Bearer token"});
    } while (response.status == 503);
    ended = true;
  });
  store_.entered.WaitForNotification();
  for (const char* const page : {"/healthz", "/readyz", "/status", "/actions"}) {
    EXPECT_EQ(site.Handle({.method = "GET", .target = page}).status, 200) << page;
  }
  EXPECT_THAT(site.Handle({.method = "GET", .target = "/status"}).body, HasSubstr("[0,0,0,0,3"));
  store_.leave.Notify();
  server.join();
  core.join();
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(worker_.core().Inspect("one.com")->waiting[4], 0u);
}

TEST_F(QueueAdminTest, AnActionThatNoCoreTakesIsNotDoneLater) {
  worker_.ScheduleMany("one.com", 3);
  worker_.Settle();
  AdminSite site("token");
  MetricRegistry metrics;
  QueueAdmin impatient(site, metrics, worker_.clock(), urls_, *suffixes_, Duration::zero());
  EXPECT_EQ(site.Handle({.method = "POST",
                         .target = "/actions/purge?domain=one.com",
                         .authorization = "Bearer token"})
                .status,
            503);
  impatient.Serve(worker_.core());
  EXPECT_EQ(worker_.core().Inspect("one.com")->waiting[4], 3u);
}

}  // namespace
}  // namespace orbweaver
