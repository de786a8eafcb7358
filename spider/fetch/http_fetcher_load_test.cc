// A fetcher with more to do than it has time for must not take that for a fault of servers. The
// clock that deadlines are held against is the test's, so that nothing depends on how fast it runs.
#include <atomic>
#include <string>
#include <thread>

#include "fmt/format.h"
#include <gtest/gtest.h>

#include "spider/fetch/handshake_gate.h"
#include "tests/support/http_fetcher_fixture.h"
#include "tests/support/raw_server.h"

namespace orbweaver {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

class HttpFetcherLoadTest : public HttpFetcherTest {
 protected:
  HttpFetcherLoadTest() { clock_ = &time_; }

  void Begin(const std::string& url) { fetcher().Fetch(FetchId(++last_id_), {.url = url}); }
  // Does what is ready, but waits for nothing.
  void Look() { fetcher().Run(time_.Now(), collector_); }

  ManualClock time_;
};

// Answers nobody before it is told to.
class HeldServer {
 public:
  int port() const { return server_.port(); }
  int asked() const { return asked_; }
  // Until so many answers are sent.
  void Answer(int count) {
    may_answer_ = true;
    may_answer_.notify_all();
    while (answered_ < count) std::this_thread::yield();
  }

 private:
  std::atomic<bool> may_answer_ = false;
  std::atomic<int> asked_ = 0;
  std::atomic<int> answered_ = 0;
  RawServer server_{[this](RawConnection& connection, int) {
    connection.ReadHead();
    ++asked_;
    may_answer_.wait(false);
    connection.Send("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx");
    ++answered_;
    connection.WaitForEnd();
  }};
};

TEST_F(HttpFetcherLoadTest, TimeInWhichNobodyLookedIsNotTheServers) {
  HeldServer server;
  LeadTo(server.port());
  Begin("http://a.test/");
  while (server.asked() == 0) Look();
  for (int i = 0; i < 3; ++i) {
    time_.Advance(hours(1));
    Look();
  }
  EXPECT_TRUE(collector_.fetched.empty());
  server.Answer(1);
  RunUntil(1);
  EXPECT_EQ(OutcomeOf(collector_.fetched[FetchId(1)]), "200");
  fetcher_.reset();
}

TEST_F(HttpFetcherLoadTest, AServerThatIsLookedAtAllTheTimeHasItsTimeAndNoMore) {
  HeldServer server;
  LeadTo(server.port());
  Begin("http://a.test/");
  while (server.asked() == 0) Look();
  Duration waited{};
  while (collector_.fetched.empty()) {
    time_.Advance(milliseconds(50));
    waited += milliseconds(50);
    Look();
    ASSERT_LT(waited, 2 * options_.first_byte_timeout);
  }
  EXPECT_EQ(OutcomeOf(collector_.fetched[FetchId(1)]), "timeout_first_byte");
  EXPECT_GE(waited, options_.first_byte_timeout);
  fetcher_.reset();
  server.Answer(1);
}

// More answers than are read between two looks at the deadlines.
TEST_F(HttpFetcherLoadTest, AnAnswerThatIsThereIsReadHoweverLateItIs) {
  constexpr int kFetches = 60;
  options_.first_byte_timeout = milliseconds(50);
  HeldServer server;
  LeadTo(server.port());
  for (int i = 0; i < kFetches; ++i) Begin(fmt::format("http://a{}.test/", i));
  while (server.asked() < kFetches) Look();
  server.Answer(kFetches);
  while (collector_.fetched.size() < kFetches) {
    time_.Advance(milliseconds(100));
    Look();
  }
  for (const auto& [id, result] : collector_.fetched) EXPECT_EQ(OutcomeOf(result), "200");
  fetcher_.reset();
}

TEST_F(HttpFetcherLoadTest, OfManyHandshakesSomeAreBegunAtOnceAndTheOthersWaitUnconnected) {
  RawServer server([](RawConnection& connection, int) { connection.WaitForEnd(); });
  LeadTo(server.port());
  constexpr int kFirst = HandshakeGate::kFirst;
  constexpr int kMore = HandshakeGate::kMore;
  Look();  // the first look at the deadlines is over
  for (int i = 0; i < 2 * kFirst; ++i) Begin(fmt::format("https://a{}.test/", i));
  while (server.connections() < kFirst) Look();
  for (int i = 0; i < 1000; ++i) Look();
  EXPECT_EQ(server.connections(), kFirst);
  EXPECT_EQ(fetcher_->stats().waiting_handshakes, static_cast<size_t>(kFirst));
  // Nobody answers, and the thread has nothing else to do.
  time_.Advance(milliseconds(50));
  while (server.connections() < kFirst + kMore) Look();
  for (int i = 0; i < 1000; ++i) Look();
  EXPECT_EQ(server.connections(), kFirst + kMore);
  // Those that have waited for their turn have all of their time.
  Duration waited{};
  while (collector_.fetched.size() < 2 * kFirst) {
    time_.Advance(milliseconds(50));
    waited += milliseconds(50);
    Look();
    ASSERT_LT(waited, options_.tls_timeout + std::chrono::seconds(5));
  }
  while (server.connections() < 2 * kFirst) std::this_thread::yield();
  for (const auto& [id, result] : collector_.fetched) EXPECT_EQ(OutcomeOf(result), "timeout_tls");
  fetcher_.reset();
}

TEST_F(HttpFetcherLoadTest, AHandshakeThatWaitsForItsTurnMayBeDropped) {
  RawServer server([](RawConnection& connection, int) { connection.WaitForEnd(); });
  LeadTo(server.port());
  for (size_t i = 0; i < HandshakeGate::kFirst + 10; ++i)
    Begin(fmt::format("https://a{}.test/", i));
  while (server.connections() < static_cast<int>(HandshakeGate::kFirst)) Look();
  fetcher_.reset();
  EXPECT_TRUE(collector_.fetched.empty());
}

}  // namespace
}  // namespace orbweaver
