// Names asked of a name server of the test's own, over UDP.
#include <algorithm>
#include <arpa/inet.h>
#include <atomic>
#include <map>
#include <mutex>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

#include "fmt/format.h"
#include <gtest/gtest.h>

#include "spider/fetch/dns_answer.h"
#include "spider/fetch/http_fetcher.h"
#include "tests/support/expect_ok.h"
#include "tests/support/raw_server.h"

namespace orbweaver {
namespace {

constexpr int kNoSuchName = 3, kServerFailure = 2;

void AppendNumber(uint64_t number, int bytes, std::string* out) {
  for (int i = bytes - 1; i >= 0; --i) out->push_back(static_cast<char>(number >> (8 * i)));
}

// An answer (RFC 1035, section 4.1) to `query`: its header, its question, a record for each
// address.
std::string AnswerTo(std::string_view query, int code, const std::vector<IpAddress>& addresses,
                     uint32_t age_s) {
  std::string answer(query);
  answer[2] = static_cast<char>(0x85);
  answer[3] = static_cast<char>(0x80 | code);
  answer[7] = static_cast<char>(addresses.size());
  for (const IpAddress& address : addresses) {
    AppendNumber(0xc00c, 2, &answer);
    AppendNumber(address.is_v4() ? 1 : 28, 2, &answer);
    AppendNumber(1, 2, &answer);
    AppendNumber(age_s, 4, &answer);
    AppendNumber(address.bytes().size(), 2, &answer);
    answer.append(address.bytes().begin(), address.bytes().end());
  }
  return answer;
}

// "www.a.test" out of a query, whose last bytes are type and class.
std::string NameIn(std::string_view query) {
  std::string name;
  for (size_t at = 12; at < query.size() && query[at] != 0;
       at += static_cast<size_t>(query[at]) + 1) {
    if (!name.empty()) name += '.';
    name += query.substr(at + 1, static_cast<size_t>(query[at]));
  }
  return name;
}

// Knows what it is told before the first question; answers others with "no such name".
class NameServer {
 public:
  struct Entry {
    std::vector<IpAddress> addresses;
    int code = 0;
    bool silent = false;
    bool garbage = false;
  };

  explicit NameServer(std::map<std::string, Entry> entries)
      : entries_(std::move(entries)), fd_(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    EXPECT_EQ(bind(fd_, reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(getsockname(fd_, reinterpret_cast<sockaddr*>(&address), &size), 0);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { Serve(); });
  }
  ~NameServer() {
    stop_ = true;
    thread_.join();
    close(fd_);
  }

  std::string address() const { return fmt::format("127.0.0.1:{}", port_); }
  int QuestionsFor(const std::string& name) {
    const std::lock_guard lock(mutex_);
    return questions_[name];
  }

 private:
  void Serve() {
    while (!stop_) {
      pollfd wanted{.fd = fd_, .events = POLLIN, .revents = 0};
      if (poll(&wanted, 1, 20) != 1) continue;
      char bytes[512];
      sockaddr_in from{};
      socklen_t from_size = sizeof from;
      const ssize_t n =
          recvfrom(fd_, bytes, sizeof bytes, 0, reinterpret_cast<sockaddr*>(&from), &from_size);
      if (n < 17) continue;
      const std::string_view query(bytes, static_cast<size_t>(n));
      const bool v6 = query[query.size() - 3] == 28;
      const std::string name = NameIn(query);
      {
        const std::lock_guard lock(mutex_);
        ++questions_[name];
      }
      const auto found = entries_.find(name);
      const Entry entry = found == entries_.end() ? Entry{.code = kNoSuchName} : found->second;
      if (entry.silent) continue;
      std::vector<IpAddress> addresses;
      std::ranges::copy_if(entry.addresses, std::back_inserter(addresses),
                           [&](const IpAddress& a) { return a.is_v6() == v6; });
      std::string answer = AnswerTo(query, entry.code, addresses, 300);
      if (entry.garbage) answer.replace(12, std::string::npos, "\xff\xff\xff\xff");
      sendto(fd_, answer.data(), answer.size(), 0, reinterpret_cast<sockaddr*>(&from), from_size);
    }
  }

  const std::map<std::string, Entry> entries_;
  const int fd_;
  int port_ = 0;
  std::atomic<bool> stop_{false};
  std::mutex mutex_;
  std::map<std::string, int> questions_;
  std::thread thread_;
};

IpAddress At(const char* text) { return *IpAddress::Parse(text); }

class Answers : public FetchListener {
 public:
  void OnResolved(const Resolution& resolution) override {
    addresses[resolution.id] = resolution.address;
    failures[resolution.id] = resolution.failure;
  }
  void OnFetched(FetchResult& result) override { fetched.push_back(std::move(result)); }
  std::map<FetchId, IpAddress> addresses;
  std::map<FetchId, std::optional<FailureCause>> failures;
  std::vector<FetchResult> fetched;
};

class DnsClientTest : public testing::Test {
 protected:
  void Ask(const NameServer& server) {
    network_.dns_servers = {server.address()};
    network_.allow_networks.push_back("127.0.0.0/8");
    auto fetcher = HttpFetcher::Create(network_, {});
    ASSERT_OK(fetcher);
    fetcher_ = std::move(fetcher).value();
  }
  void RunUntil(size_t answers) {
    const auto deadline = SystemClock().Now() + std::chrono::seconds(60);
    while (answers_.addresses.size() + answers_.fetched.size() < answers &&
           SystemClock().Now() < deadline) {
      fetcher_->Run(deadline, answers_);
    }
  }

  NetworkOptions network_;
  std::unique_ptr<HttpFetcher> fetcher_;
  Answers answers_;
};

TEST_F(DnsClientTest, NamesAreFoundMissingBrokenOrPrivate) {
  NameServer server({{"v4.test", {.addresses = {At("8.8.8.8"), At("9.9.9.9")}}},
                     {"v6.test", {.addresses = {At("2001:4860::1")}}},
                     {"both.test", {.addresses = {At("2001:4860::1"), At("8.8.8.8")}}},
                     {"empty.test", {}},
                     {"inside.test", {.addresses = {At("10.0.0.1")}}},
                     {"metadata.test", {.addresses = {At("169.254.169.254")}}},
                     {"mapped.test", {.addresses = {At("::ffff:10.0.0.1")}}},
                     {"broken.test", {.code = kServerFailure}}});
  Ask(server);
  const char* const names[] = {"v4.test",       "v6.test",     "both.test",
                               "empty.test",    "nobody.test", "inside.test",
                               "metadata.test", "mapped.test", "broken.test"};
  for (size_t i = 0; i < std::size(names); ++i) fetcher_->Resolve(FetchId(i), names[i]);
  RunUntil(std::size(names));
  ASSERT_EQ(answers_.addresses.size(), std::size(names));
  const auto failure = [&](size_t i) { return answers_.failures[FetchId(i)]; };
  EXPECT_EQ(answers_.addresses[FetchId(0)], At("8.8.8.8"));
  EXPECT_EQ(answers_.addresses[FetchId(1)], At("2001:4860::1"));
  EXPECT_EQ(answers_.addresses[FetchId(2)], At("8.8.8.8")) << "IPv4 first";
  EXPECT_EQ(failure(3), FailureCause::kDns);
  EXPECT_EQ(failure(4), FailureCause::kDns);
  EXPECT_EQ(failure(5), FailureCause::kPrivateAddress);
  EXPECT_EQ(failure(6), FailureCause::kPrivateAddress);
  EXPECT_EQ(failure(7), FailureCause::kPrivateAddress);
  EXPECT_EQ(failure(8), FailureCause::kDnsTemporary);
}

TEST_F(DnsClientTest, AnAnswerThatIsNoneEndsAsIfNoneHadCome) {
  NameServer server({{"garbage.test", {.garbage = true}}});
  network_.dns_timeout = std::chrono::milliseconds(200);
  Ask(server);
  fetcher_->Resolve(FetchId(1), "garbage.test");
  RunUntil(1);
  EXPECT_EQ(answers_.failures[FetchId(1)], FailureCause::kDnsTemporary);
}

TEST_F(DnsClientTest, ANameThatManyWaitForIsAskedForOnce) {
  NameServer server({{"a.test", {.addresses = {At("8.8.8.8")}}}});
  network_.ip_versions = NetworkOptions::IpVersions::kV4;
  Ask(server);
  for (uint64_t i = 0; i < 100; ++i) fetcher_->Resolve(FetchId(i), "a.test");
  RunUntil(100);
  for (uint64_t i = 100; i < 200; ++i) fetcher_->Resolve(FetchId(i), "a.test");
  RunUntil(200);
  EXPECT_EQ(answers_.addresses.size(), 200u);
  EXPECT_EQ(server.QuestionsFor("a.test"), 1);
  EXPECT_EQ(fetcher_->stats().dns_queries, 1u);
  EXPECT_EQ(fetcher_->stats().dns_hits, 100u);
}

TEST_F(DnsClientTest, AServerThatIsSilentHoldsNobodyForLongerThanTheTimeout) {
  NameServer server({{"a.test", {.silent = true}}});
  network_.dns_timeout = std::chrono::milliseconds(100);
  Ask(server);
  fetcher_->Resolve(FetchId(1), "a.test");
  fetcher_->Fetch(FetchId(2), {.url = "http://a.test/"});
  RunUntil(2);
  EXPECT_EQ(answers_.failures[FetchId(1)], FailureCause::kDnsTemporary);
  ASSERT_EQ(answers_.fetched.size(), 1u);
  EXPECT_EQ(answers_.fetched[0].failure, FailureCause::kDnsTemporary);
  // With the question still open.
  fetcher_.reset();
}

TEST_F(DnsClientTest, AFetchGoesWhereItsNameLeads) {
  RawServer web([](RawConnection& connection, int) {
    connection.ReadHead();
    connection.Send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi");
  });
  // Nobody listens on the first of its addresses.
  NameServer server({{"a.test", {.addresses = {At("127.0.0.9"), At("127.0.0.1")}}}});
  network_.ports = {std::to_string(web.port())};
  Ask(server);
  const std::string url = fmt::format("http://a.test:{}/", web.port());
  fetcher_->Fetch(FetchId(1), {.url = url});
  RunUntil(1);
  ASSERT_EQ(answers_.fetched.size(), 1u);
  EXPECT_EQ(answers_.fetched[0].body, "hi") << answers_.fetched[0].message;
  EXPECT_EQ(answers_.fetched[0].address, At("127.0.0.1"));
  EXPECT_GT(answers_.fetched[0].times.dns, Duration());
  // The address that did not answer is no longer the first.
  fetcher_->Resolve(FetchId(2), "a.test");
  RunUntil(2);
  EXPECT_EQ(answers_.addresses[FetchId(2)], At("127.0.0.1"));
  fetcher_.reset();
}

TEST(DnsAnswerTest, AnswersAreReadAndAgeByTheirShortestRecord) {
  const std::string query("\0\1\1\0\0\1\0\0\0\0\0\0\1a\4test\0\0\1\0\1", 24);
  std::string message = AnswerTo(query, 0, {At("8.8.8.8")}, 300);
  message = AnswerTo(message, 0, {}, 0);
  message[7] = 1;
  const auto bytes = [](const std::string& text) {
    return std::span(reinterpret_cast<const uint8_t*>(text.data()), text.size());
  };
  const DnsAnswer answer = ReadDnsAnswer(DnsQuestion::kV4, bytes(message));
  EXPECT_EQ(answer.outcome, DnsAnswer::Outcome::kFound);
  EXPECT_EQ(answer.addresses, std::vector{At("8.8.8.8")});
  EXPECT_EQ(answer.age, std::chrono::seconds(300));
  // Each beginning of it, and each of its bytes changed, ends in one of the outcomes.
  for (size_t size = 0; size < message.size(); ++size) {
    EXPECT_NE(ReadDnsAnswer(DnsQuestion::kV4, bytes(message.substr(0, size))).outcome,
              DnsAnswer::Outcome::kFound);
    std::string changed = message;
    changed[size] = static_cast<char>(0xff);
    EXPECT_LE(ReadDnsAnswer(DnsQuestion::kV6, bytes(changed)).addresses.size(), kMaxAddresses);
  }
}

}  // namespace
}  // namespace orbweaver
