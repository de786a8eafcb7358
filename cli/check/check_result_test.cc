#include "cli/check/check_result.h"

#include "cli/check/host_memory.h"
#include <gtest/gtest.h>

namespace orbweaver {
namespace {

using std::chrono::seconds;
using Cause = FailureCause;

TEST(CheckResultTest, EveryStatusHasItsVerdict) {
  for (const uint32_t status : {200, 204, 299, 304}) {
    EXPECT_EQ(Judge(std::nullopt, status), CheckVerdict::kAlive) << status;
  }
  for (const uint32_t status : {400, 404, 405, 410, 418}) {
    EXPECT_EQ(Judge(std::nullopt, status), CheckVerdict::kDead) << status;
  }
  for (const uint32_t status : {300, 401, 403, 407, 408, 425, 429, 451, 500, 503, 600}) {
    EXPECT_EQ(Judge(std::nullopt, status), CheckVerdict::kUnclear) << status;
  }
}

TEST(CheckResultTest, OurOwnPolicyIsNoPropertyOfTheUrl) {
  for (const Cause cause : {Cause::kPrivateAddress, Cause::kPort, Cause::kRobots, Cause::kBadUrl}) {
    EXPECT_EQ(Judge(cause, 0), CheckVerdict::kSkipped);
    EXPECT_FALSE(IsTemporary(cause, 0));
  }
  EXPECT_EQ(Judge(Cause::kProxy, 0), CheckVerdict::kUnclear);
  EXPECT_EQ(Judge(Cause::kDnsTemporary, 0), CheckVerdict::kUnclear);
  EXPECT_EQ(Judge(Cause::kDns, 0), CheckVerdict::kDead);
}

TEST(CheckResultTest, GetIsAskedOnlyWhereHeadMayBeWrong) {
  for (const uint32_t status : {400, 403, 404, 405, 410, 500, 501, 502}) {
    EXPECT_TRUE(NeedsGet(std::nullopt, status)) << status;
  }
  for (const uint32_t status : {200, 301, 304, 401, 407, 429, 503}) {
    EXPECT_FALSE(NeedsGet(std::nullopt, status)) << status;
  }
  EXPECT_TRUE(NeedsGet(Cause::kReset, 0));
  EXPECT_FALSE(NeedsGet(Cause::kRefused, 0));
}

TEST(CheckResultTest, ALineHasAllItsKeysInOrder) {
  CheckResult result{.line = 7,
                     .url = "https://a.test/",
                     .verdict = CheckVerdict::kAlive,
                     .status = 200,
                     .redirects = {{.status = 301, .url = "https://a.test/x"}},
                     .times = {.total = std::chrono::microseconds(12'340)},
                     .checked_at = WallTime(seconds(1'763'870'405))};
  result.certificate_end = result.checked_at + std::chrono::hours(24 * 3 - 1);
  result.certificate_host = "a.test";
  std::string line;
  AppendResultLine(result, &line);
  EXPECT_EQ(line,
            R"({"line":7,"url":"https://a.test/","verdict":"alive","status":200,"cause":null,)"
            R"("message":"","final_url":"https://a.test/x","redirects":[{"status":301,)"
            R"("url":"https://a.test/x"}],"method":"HEAD","asked":true,"attempts":1,"address":"",)"
            R"("ms":{"dns":0,"connect":0,"tls":0,"first_byte":0,"total":12.3},)"
            R"("certificate_days":2,"certificate_end":"2025-11-26T03:00:05Z",)"
            R"("certificate_host":"a.test","tls_error":"","checked_at":"2025-11-23T04:00:05Z"})"
            "\n");
  result.certificate_end = result.checked_at - seconds(1);
  EXPECT_EQ(CertificateDays(result), -1);
}

TEST(HostMemoryTest, AHostIsGivenUpAfterAFewFailuresAndSomeTime) {
  HostMemory memory(100);
  const SteadyTime start{seconds(1000)};
  for (int i = 0; i < 5; ++i) memory.OnFailure("a.test", Cause::kRefused, start);
  EXPECT_FALSE(memory.GivenUp("a.test")) << "it may be back in a moment";
  memory.OnFailure("a.test", Cause::kTimeoutConnect, start + seconds(30));
  EXPECT_EQ(memory.GivenUp("a.test"), Cause::kTimeoutConnect);
  EXPECT_FALSE(memory.GivenUp("b.test"));
  memory.OnAnswer("a.test");
  EXPECT_FALSE(memory.GivenUp("a.test"));
  // Failures of an answer say nothing about connecting.
  for (int i = 0; i < 5; ++i)
    memory.OnFailure("c.test", Cause::kTimeoutFirstByte, start + i * seconds(60));
  EXPECT_FALSE(memory.GivenUp("c.test"));
}

TEST(HostMemoryTest, ItsMemoryIsBounded) {
  HostMemory memory(10);
  for (int i = 0; i < 1000; ++i) memory.OnHeadRefused("h" + std::to_string(i));
  EXPECT_LE(memory.hosts(), 10u);
  EXPECT_TRUE(memory.RefusesHead("h999"));
}

}  // namespace
}  // namespace orbweaver
