#include "cli/console/console_api.h"

#include <algorithm>
#include <memory>
#include <string>

#include "fmt/format.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/status.h"
#include "common/bus/embedded/embedded_bus.h"
#include "common/bus/topics.h"
#include "common/protocol/dead_letters.h"
#include "common/store/rocksdb/database.h"
#include "common/store/rocksdb/rocksdb_store.h"
#include "common/url/partition.h"
#include "db_worker/queue/columns.h"
#include "strategy_worker/states/domain_record.h"
#include "strategy_worker/states/shard.h"
#include "tests/support/expect_ok.h"
#include "tests/support/scratch_folder.h"

namespace orbweaver {
namespace {

using ::testing::HasSubstr;

constexpr Duration kLong = std::chrono::minutes(1);

class ConsoleApiTest : public ::testing::Test {
 protected:
  ConsoleApiTest() {
    database_ = *Database::Open({.folder = folder_.path() / "data"});
    store_ = std::make_unique<RocksdbStore>(*database_);
    bus_ = *EmbeddedBus::Open(*database_, SystemClock());
    TopicOptions topics;
    topics.partitions = 2;
    EXPECT_OK(bus_->EnsureTopics(*ProductTopics(topics), kLong));
    frontier_ = std::make_unique<Frontier>(*bus_, *store_);
    api_ = std::make_unique<ConsoleApi>(
        options_, *suffixes_, clock_,
        ConsoleSubject{.kind = "folder",
                       .name = "data",
                       .look = [this]() -> absl::StatusOr<const Frontier*> {
                         if (!trouble_.ok()) return trouble_;
                         return frontier_.get();
                       },
                       .queue = {},
                       .write_run = {}});
  }
  AdminResponse Get(std::string_view target, std::string_view method = "GET") {
    return api_->Handle({.method = method, .target = target});
  }
  void Append() {
    const auto producer = *bus_->NewProducer({}, [](const Ack&) {});
    ASSERT_OK(producer->Send({kSpiderLogTopic, PartitionId(0), "k", "v", {}}, 0));
    ASSERT_OK(producer->Flush(kLong));
  }

  const ScratchFolder folder_;
  const ProductOptions options_;
  const std::unique_ptr<const PublicSuffixes> suffixes_ = *PublicSuffixes::Load({});
  ManualClock clock_;
  std::unique_ptr<Database> database_;
  std::unique_ptr<RocksdbStore> store_;
  std::unique_ptr<EmbeddedBus> bus_;
  std::unique_ptr<Frontier> frontier_;
  absl::Status trouble_;
  std::unique_ptr<ConsoleApi> api_;
};

TEST_F(ConsoleApiTest, EveryQuestionIsAnsweredOfACrawlThatKnowsNothing) {
  EXPECT_THAT(Get("/api/v1/overview").body, HasSubstr(R"("bottleneck":{"name":"rest")"));
  EXPECT_THAT(Get("/api/v1/overview").body, HasSubstr(R"("run":null)"));
  EXPECT_THAT(Get("/api/v1/domains").body, HasSubstr(R"({"domains":[],"matches":0)"));
  EXPECT_THAT(Get("/api/v1/domain?name=www.a.test").body, HasSubstr(R"("domain":"a.test")"));
  EXPECT_THAT(Get("/api/v1/url?url=http://a.test/x%3Fy").body,
              HasSubstr(R"("answer":"unknown","says":"was never heard of)"));
  EXPECT_THAT(Get("/api/v1/domain?name=a.test").body,
              HasSubstr(R"("outcomes":[],"outcomes_read_back_to_ms":0})"));
  EXPECT_EQ(Get("/api/v1/workers").body, R"({"workers":[]})");
  EXPECT_EQ(Get("/api/v1/dead-letters").body, R"({"letters":[],"next":null})");
  EXPECT_THAT(
      Get("/api/v1/history?range=7d").body,
      HasSubstr(
          R"({"range":"7d","step_seconds":1800,"times":[],"series":{"pages_per_second":[],)"));
  EXPECT_THAT(Get("/api/v1/openapi.json").body, HasSubstr(R"("openapi": "3.1)"));
  EXPECT_EQ(Get("/api/v1/overview").content_type, "application/json");
}

TEST_F(ConsoleApiTest, AWrongQuestionIsToldWhatIsWrong) {
  const auto error = [this](std::string_view target, int status) {
    const AdminResponse answer = Get(target);
    EXPECT_EQ(answer.status, status) << target;
    EXPECT_EQ(answer.content_type, "application/json");
    return answer.body;
  };
  EXPECT_THAT(error("/api/v1/nothing", 404), HasSubstr("/api/v1/openapi.json"));
  EXPECT_THAT(error("/api/v1/url", 400), HasSubstr(R"({"error":"parameter 'url' is missing"})"));
  EXPECT_THAT(error("/api/v1/url?url=mailto:x", 400), HasSubstr("is no URL that is ever fetched"));
  EXPECT_THAT(error("/api/v1/domain?name=%00", 400), HasSubstr("error"));
  EXPECT_THAT(error("/api/v1/domains?phase=mad", 400),
              HasSubstr("expected one of idle, ready, paced, later, blocked"));
  EXPECT_THAT(error("/api/v1/domains?sort=x", 400), HasSubstr("expected one of domain, waiting"));
  EXPECT_THAT(error("/api/v1/domains?order=up", 400), HasSubstr("asc or desc"));
  EXPECT_THAT(error("/api/v1/domains?limit=501", 400), HasSubstr("from 0 to 500"));
  EXPECT_THAT(error("/api/v1/domains?offset=9951&limit=50", 400), HasSubstr("from 0 to 9950"));
  EXPECT_THAT(error("/api/v1/domains?offset=-1", 400), HasSubstr("from 0 to 9950"));
  EXPECT_THAT(error("/api/v1/domains?sortt=x", 400), HasSubstr("'sortt'"));
  EXPECT_THAT(error("/api/v1/history?range=1h", 400), HasSubstr("15m, 6h, 7d"));
  EXPECT_THAT(error("/api/v1/dead-letters?limit=501", 400), HasSubstr("from 0 to 500"));
  EXPECT_THAT(error("/api/v1/dead-letters?before=-1", 400), HasSubstr("'before'"));
  EXPECT_THAT(error("/api/v1/dead-letters?before=9223372036854775808", 400), HasSubstr("'before'"));
  EXPECT_THAT(error("/api/v1/domains?x=%", 400), HasSubstr("hexadecimal"));
  EXPECT_EQ(Get("/api/v1/overview", "POST").status, 405);
}

TEST_F(ConsoleApiTest, ManyWhoLookWithinASecondShareALook) {
  const auto lag = [this] {
    const std::string body = Get("/api/v1/overview").body;
    const std::string_view name = R"("topic":"spider-log","lag":)";
    return body.substr(body.find(name) + name.size(), 1);
  };
  EXPECT_EQ(lag(), "0");
  Append();
  clock_.Advance(std::chrono::milliseconds(999));
  EXPECT_EQ(lag(), "0");
  clock_.Advance(std::chrono::milliseconds(1));
  EXPECT_EQ(lag(), "1");
}

TEST_F(ConsoleApiTest, DomainsAreReadAnewWhenTheyAreOldAndNotForEachPage) {
  const auto put = [this](const std::string& domain) {
    std::string head;
    EncodeHead({}, &head);
    const std::string row = DomainRow(domain);
    const CellPut cell{kHeadColumn, head};
    const RowPut put{row, Version(1), {&cell, 1}};
    std::vector<uint32_t> remaining;
    ASSERT_OK(store_->Write(Table::kQueue, {&put, 1}, kLong, &remaining));
  };
  const auto matches = [this](std::string_view query) {
    const std::string body = Get(fmt::format("/api/v1/domains{}", query)).body;
    const std::string_view name = R"("matches":)";
    return body.substr(body.find(name) + name.size(), 1);
  };
  const auto counted = [this] {
    const std::string body = Get("/api/v1/overview").body;
    const std::string_view name = R"("domains_read":)";
    return body.substr(body.find(name) + name.size(), 1);
  };
  put("a.test");
  EXPECT_EQ(matches(""), "1");
  EXPECT_EQ(counted(), "1");
  put("b.test");
  clock_.Advance(std::chrono::milliseconds(4999));
  EXPECT_EQ(matches("?sort=failed&order=asc"), "1");
  clock_.Advance(std::chrono::milliseconds(1));
  EXPECT_EQ(matches("?contains=test"), "2");
  EXPECT_EQ(counted(), "1");
  clock_.Advance(std::chrono::seconds(5));
  EXPECT_EQ(counted(), "2");
}

TEST_F(ConsoleApiTest, ADomainsRateIsOfTheTimeSinceTheTableBefore) {
  uint64_t version = 0;
  const auto put = [&](uint64_t fetched) {
    const std::string record = EncodeDomainRecord({.fetched = fetched});
    const std::string row = ShardRow(DomainRow("a.test"), 0);
    const CellPut cell{kRecordColumn, record};
    const RowPut put{row, Version(++version), {&cell, 1}};
    std::vector<uint32_t> remaining;
    ASSERT_OK(store_->Write(Table::kDomains, {&put, 1}, kLong, &remaining));
  };
  const auto rate = [this] {
    const std::string body = Get("/api/v1/domains").body;
    const std::string_view name = R"("pages_per_second":)";
    const size_t begin = body.find(name) + name.size();
    return body.substr(begin, body.find(',', begin) - begin);
  };
  put(10);
  EXPECT_EQ(rate(), "null");
  put(30);
  clock_.Advance(std::chrono::seconds(10));
  EXPECT_EQ(rate(), "2");
  put(31);
  clock_.Advance(std::chrono::seconds(4));
  EXPECT_EQ(rate(), "2");  // of the same table
  clock_.Advance(std::chrono::minutes(3));
  EXPECT_EQ(rate(), "null");
  put(36);
  clock_.Advance(std::chrono::seconds(5));
  EXPECT_EQ(rate(), "1");
}

TEST_F(ConsoleApiTest, DeadLettersArePagedByTheCursorOfThePageBefore) {
  DeadLetters letters(*bus_);
  for (const char* const key : {"a", "b", "c"}) {
    ASSERT_OK(letters.Bury(kSpiderLogTopic, {.key = key, .value = "\xff"}, "why <b>\"", kLong));
  }
  ASSERT_OK(letters.Settle(kLong));
  const std::string first = Get("/api/v1/dead-letters?limit=2").body;
  EXPECT_THAT(first, HasSubstr(R"({"letters":[{"partition":0,"offset":2,"time_ms":)"));
  EXPECT_THAT(first, HasSubstr(R"("topic":"spider-log","cause":"why <b>\"","key":"c")"));
  EXPECT_THAT(first, HasSubstr(R"("next":"1"})"));
  const std::string second = Get("/api/v1/dead-letters?limit=2&before=1").body;
  EXPECT_THAT(second, HasSubstr(R"("key":"a")"));
  EXPECT_THAT(second, HasSubstr(R"("next":null})"));
}

TEST_F(ConsoleApiTest, AStoreThatIsAwayIsToldAndAskedAgain) {
  trouble_ = RetryError("read: connection refused");
  for (const char* const target : {"/api/v1/overview", "/api/v1/domains",
                                   "/api/v1/domain?name=a.test", "/api/v1/url?url=a.test"}) {
    const AdminResponse answer = Get(target);
    EXPECT_EQ(answer.status, 503) << target;
    EXPECT_EQ(answer.body, R"({"error":"read: connection refused"})");
  }
  trouble_ = absl::OkStatus();
  EXPECT_EQ(Get("/api/v1/overview").status, 200);
}

}  // namespace
}  // namespace orbweaver
