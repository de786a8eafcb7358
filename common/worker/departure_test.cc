#include "common/worker/departure.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "fmt/format.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/status.h"
#include "common/runtime/admin_server.h"
#include "tests/support/certificate.h"
#include "tests/support/expect_ok.h"

namespace orbweaver {
namespace {

using ::testing::HasSubstr;

constexpr Duration kLong = std::chrono::minutes(1);
constexpr char kScale[] =
    R"({"kind":"Scale","apiVersion":"autoscaling/v1","metadata":{"name":"crawl-spider",)"
    R"("namespace":"crawl","uid":"1","resourceVersion":"2"},"spec":{"replicas":2},)"
    R"("status":{"replicas":3,"selector":"a=b"}})";

TEST(ReplicasOfTest, ReadsWhatIsWantedAndNotWhatIsThere) { EXPECT_EQ(*ReplicasOf(kScale), 2); }

TEST(ReplicasOfTest, KubernetesLeavesOutAZero) {
  EXPECT_EQ(*ReplicasOf(R"({"kind":"Scale","spec":{},"status":{"replicas":3}})"), 0);
}

TEST(ReplicasOfTest, AnythingElseIsNoAnswer) {
  for (const char* const other :
       {"", "{}", R"({"kind":"Status","spec":{}})", R"({"kind":"Scale"})",
        R"({"kind":"Scale","spec":{"replicas":-1}})", R"({"kind":"Scale","spec":{"replicas":2)",
        R"({"kind":"Scale","spec":{"replicas":two}})", R"({"kind":"Scale","spec":{"other":2}})"}) {
    EXPECT_TRUE(IsPoison(ReplicasOf(other).status())) << other;
  }
}

class ThisPodTest : public ::testing::Test {
 protected:
  ThisPodTest() {
    setenv("KUBERNETES_SERVICE_HOST", "10.96.0.1", 1);
    setenv("KUBERNETES_SERVICE_PORT", "443", 1);
  }
  ~ThisPodTest() override {
    unsetenv("KUBERNETES_SERVICE_HOST");
    unsetenv("KUBERNETES_SERVICE_PORT");
  }
};

TEST_F(ThisPodTest, SetAndOrdinalStandInItsName) {
  const auto pod = ThisPod("crawl-db-worker-12");
  ASSERT_OK(pod);
  EXPECT_EQ(pod->set, "crawl-db-worker");
  EXPECT_EQ(pod->ordinal, 12);
  EXPECT_EQ(pod->server, "10.96.0.1:443");
}

TEST_F(ThisPodTest, AnAddressOfVersion6StandsInBrackets) {
  setenv("KUBERNETES_SERVICE_HOST", "fd00::1", 1);
  EXPECT_EQ(ThisPod("a-0")->server, "[fd00::1]:443");
}

TEST_F(ThisPodTest, AnyOtherWorkerIsRefusedAtItsStart) {
  for (const char* const name : {"", "spider", "spider-", "spider-x", "-1", "spider-1x"}) {
    const auto refused = DepartureOn(OnStop::kKubernetes, name);
    EXPECT_TRUE(IsFatal(refused.status())) << name;
    EXPECT_THAT(std::string(MessageOf(refused.status())), HasSubstr("worker.name")) << name;
  }
  unsetenv("KUBERNETES_SERVICE_HOST");
  const auto outside = DepartureOn(OnStop::kKubernetes, "spider-1");
  EXPECT_TRUE(IsFatal(outside.status()));
  EXPECT_THAT(std::string(MessageOf(outside.status())), HasSubstr("KUBERNETES_SERVICE_HOST"));
}

TEST(DepartureOnTest, TheOtherTwoAskNobody) {
  EXPECT_EQ((*DepartureOn(OnStop::kStay, ""))(), Departure::kForNow);
  EXPECT_EQ((*DepartureOn(OnStop::kLeave, "any"))(), Departure::kForGood);
}

// An API server on loopback that knows one StatefulSet, crawl-spider of two pods.
class DepartureTest : public ::testing::Test {
 protected:
  DepartureTest() {
    EXPECT_OK(server_.Start());
    std::filesystem::copy(certificate_.certificate_file, account() + "/ca.crt");
    std::ofstream(account() + "/token") << "secret";
    std::ofstream(account() + "/namespace") << "crawl";
  }

  std::string account() const { return certificate_.folder.path(); }
  StatefulPod Pod(int ordinal) const {
    return {.set = "crawl-spider",
            .ordinal = ordinal,
            .server = fmt::format("127.0.0.1:{}", server_.port()),
            .account = account()};
  }

  static AdminResponse Answer(const AdminRequest& request) {
    AdminResponse response;
    const bool is_known =
        request.target == "/apis/apps/v1/namespaces/crawl/statefulsets/crawl-spider/scale";
    response.status = request.authorization != "Bearer secret" ? 403 : is_known ? 200 : 404;
    response.body = kScale;
    return response;
  }

  const Certificate certificate_{"IP:127.0.0.1"};
  AdminServer server_{[this] {
                        AdminServerOptions options;
                        options.tls_certificate = certificate_.certificate_file;
                        options.tls_key = certificate_.key_file;
                        return options;
                      }(),
                      Answer};
};

TEST_F(DepartureTest, APodBeyondWhatItsSetIsToHaveGoesForGood) {
  EXPECT_EQ(DepartureOf(Pod(2), kLong), Departure::kForGood);
  EXPECT_EQ(DepartureOf(Pod(1), kLong), Departure::kForNow);
}

TEST_F(DepartureTest, APodThatIsNotToldComesBack) {
  std::ofstream(account() + "/token") << "another's";
  EXPECT_EQ(DepartureOf(Pod(2), kLong), Departure::kForNow);
  std::filesystem::remove(account() + "/token");
  EXPECT_EQ(DepartureOf(Pod(2), kLong), Departure::kForNow);
}

TEST_F(DepartureTest, AServerThatShowsAnothersCertificateIsNotBelieved) {
  const Certificate other("IP:127.0.0.1");
  std::filesystem::copy(other.certificate_file, account() + "/ca.crt",
                        std::filesystem::copy_options::overwrite_existing);
  EXPECT_EQ(DepartureOf(Pod(2), kLong), Departure::kForNow);
}

}  // namespace
}  // namespace orbweaver
