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
  absl::Status MultiGet(Table table, std::span<const RowGet> gets, Duration timeout,
                        Rows* rows) override {
    if (holds.exchange(false)) {
      entered.Notify();
      leave.WaitForNotification();
    }
    return MemoryStore::MultiGet(table, gets, timeout, rows);
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

TEST_F(QueueAdminTest, AHostOrUrlIsTakenForItsRegisteredDomain) {
  worker_.ScheduleMany("one.co.uk", 3);
  worker_.Settle();
  for (const char* const name :
       {"one.co.uk", "WWW.One.co.uk", "https%3A%2F%2Fa.one.co.uk%2Fb", "www.one.co.uk"}) {
    EXPECT_THAT(Act("inspect", std::string("domain=") + name).body,
                HasSubstr("\"domain\":\"one.co.uk\""));
  }
}

// The strategy worker would not know of it.
TEST_F(QueueAdminTest, TakesNoOrdersAboutADomain) {
  worker_.ScheduleMany("one.com", 3);
  worker_.Settle();
  for (const char* const action : {"block", "unblock", "purge"}) {
    EXPECT_EQ(Act(action, "for=1h&domain=one.com").status, 404) << action;
  }
  EXPECT_EQ(worker_.core().Inspect("one.com")->waiting[4], 3u);
}

TEST_F(QueueAdminTest, NoNameEndsTheWorker) {
  worker_.Settle();
  for (const std::string& name :
       {std::string(256, 'a'), std::string(60'000, 'a'), std::string("a%00b.com"),
        std::string("%FF%FE"), std::string("."), std::string("a..b"), std::string("a+b.com")}) {
    const AdminResponse response = Act("inspect", "domain=" + name);
    EXPECT_EQ(response.status, 400) << name.substr(0, 300);
    EXPECT_THAT(response.body, HasSubstr("is not a valid domain"));
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
  for (const char* const wrong : {"", "partition=-1", "partition=x", "partition=2147483648"}) {
    EXPECT_EQ(Act("pause", wrong).status, 400) << wrong;
  }
  EXPECT_EQ(Act("inspect", "").status, 400);
  EXPECT_EQ(Act("inspect", "domain=nobody.com").status, 404);
}

TEST_F(QueueAdminTest, IsShownAndReadyWhileAnActionWaitsForTheStore) {
  // A domain that has been idle is forgotten, and asking for it reads the store.
  worker_.options().index_bytes = 1;
  worker_.Schedule("idle.com", {}, DomainUpdate{.blocked_until = WallTime()});
  worker_.ScheduleMany("one.com", 3);
  worker_.Settle();
  worker_.clock().Advance(std::chrono::seconds(11));
  worker_.StepOnce();
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
                              .target = "/actions/inspect?domain=idle.com",
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
}

TEST_F(QueueAdminTest, AnActionThatNoCoreTakesIsNotDoneLater) {
  worker_.Settle();
  AdminSite site("token");
  MetricRegistry metrics;
  QueueAdmin impatient(site, metrics, worker_.clock(), urls_, *suffixes_, Duration::zero());
  EXPECT_EQ(site.Handle({.method = "POST",
                         .target = "/actions/pause?partition=0",
                         .authorization = "Bearer token"})
                .status,
            503);
  impatient.Serve(worker_.core());
  EXPECT_FALSE(worker_.core().Report().front().paused);
}

}  // namespace
}  // namespace orbweaver
