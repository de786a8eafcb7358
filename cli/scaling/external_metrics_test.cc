#include "cli/scaling/external_metrics.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace orbweaver {
namespace {

using ::testing::HasSubstr;

const WantedByKind kWanted = {{WorkerKind::kSpider, 3}, {WorkerKind::kDbWorker, 1}};
constexpr char kRoot[] = "/apis/external.metrics.k8s.io/v1beta1";

AdminResponse Ask(const std::string& target, const char* method = "GET") {
  return AnswerMetrics({.method = method, .target = target}, kWanted,
                       WallTime(std::chrono::hours(500'000)));
}

TEST(ExternalMetricsTest, TheListNamesEveryMetric) {
  const AdminResponse list = Ask(kRoot);
  EXPECT_EQ(list.status, 200);
  EXPECT_EQ(list.content_type, "application/json");
  EXPECT_THAT(list.body, HasSubstr(R"("kind":"APIResourceList","apiVersion":"v1")"));
  for (const char* const name : {"orbweaver_wanted_spiders", "orbweaver_wanted_strategy_workers",
                                 "orbweaver_wanted_db_workers"}) {
    EXPECT_THAT(list.body, HasSubstr(std::string(R"("name":")") + name + '"'));
  }
}

TEST(ExternalMetricsTest, AValueIsAQuantityWithItsTime) {
  const AdminResponse value =
      Ask(std::string(kRoot) + "/namespaces/crawl/orbweaver_wanted_spiders?labelSelector=a%3Db");
  EXPECT_EQ(value.status, 200);
  EXPECT_EQ(value.body, R"({"kind":"ExternalMetricValueList",)"
                        R"("apiVersion":"external.metrics.k8s.io/v1beta1","metadata":{},"items":[)"
                        R"({"metricName":"orbweaver_wanted_spiders","metricLabels":{},)"
                        R"("timestamp":"2027-01-15T08:00:00Z","value":"3"}]})");
}

TEST(ExternalMetricsTest, AMetricOfWhichNothingIsKnownHasNoItems) {
  const AdminResponse value =
      Ask(std::string(kRoot) + "/namespaces/crawl/orbweaver_wanted_strategy_workers");
  EXPECT_EQ(value.status, 200);
  EXPECT_THAT(value.body, HasSubstr(R"("items":[])"));
}

TEST(ExternalMetricsTest, AllThatIsKnownIsToldAtOnce) {
  EXPECT_EQ(Ask("/wanted").body, R"({"spider":3,"dbWorker":1})");
}

TEST(ExternalMetricsTest, AnythingElseIsNotThere) {
  const std::string root = kRoot;
  for (const std::string& target :
       {std::string("/"), root + "/", root + "x", root + "/namespaces/crawl",
        root + "/namespaces/orbweaver_wanted_spiders", root + "/namespaces/crawl/other",
        root + "/namespaces/crawl/orbweaver_wanted_spiders/x", std::string("/metrics")}) {
    EXPECT_EQ(Ask(target).status, 404) << target;
  }
  EXPECT_EQ(Ask(root, "DELETE").status, 405);
  EXPECT_EQ(Ask("/healthz").status, 200);
}

}  // namespace
}  // namespace orbweaver
