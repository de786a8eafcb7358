// The cost of the synthetic web for its server: a crawler beside it must not be measured by it.
//
// The load comes from another thread, over keep-alive connections to the server as a proxy, one
// request at a time on each. Values are work per CPU second of the server's thread alone.
#include <arpa/inet.h>
#include <array>
#include <charconv>
#include <memory>
#include <netinet/in.h>
#include <string>
#include <string_view>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

#include "fmt/format.h"

#include "common/base/check.h"
#include "common/base/random.h"
#include "common/base/status.h"
#include "tests/bench/bench.h"
#include "tests/support/synthetic_web/reachable.h"
#include "tests/support/synthetic_web/server.h"

namespace orbweaver {
namespace {

constexpr int kPages = 400'000;
constexpr int kConnections = 128;

// Requests pages, and looks at no more of the answers than where they end.
class Load {
 public:
  Load(const synthetic::Web& web, int port) : epoll_fd_(epoll_create1(EPOLL_CLOEXEC)) {
    CHECK(epoll_fd_ >= 0);
    Random random(7);
    for (int i = 0; i < 20'000; ++i) {
      const auto host = static_cast<uint32_t>(random.Below(web.options().hosts));
      const auto page = static_cast<uint32_t>(random.Below(web.options().pages_per_host));
      const std::string url =
          web.paths().UrlOf({.host = host, .number = page, .kind = synthetic::Place::Kind::kPage});
      std::string name;
      web.hosts().AppendName(host, &name);
      requests_.push_back(
          fmt::format("GET {} HTTP/1.1\r\nHost: {}\r\nUser-Agent: bench/1.0 "
                      "(+https://example.test/)\r\nAccept: */*\r\n"
                      "Accept-Encoding: gzip\r\n\r\n",
                      url, name));
    }
    for (Client& client : clients_) Connect(port, &client);
  }
  ~Load() {
    for (const Client& client : clients_) close(client.fd);
    close(epoll_fd_);
  }

  void Run(int pages) {
    int asked = 0, answered = 0;
    for (Client& client : clients_) Ask(&client, asked++);
    std::array<epoll_event, kConnections> events;
    while (answered < pages) {
      const int count = epoll_wait(epoll_fd_, events.data(), kConnections, 10'000);
      CHECK(count > 0);
      for (int i = 0; i < count; ++i) {
        Client& client = *static_cast<Client*>(events[i].data.ptr);
        if (!Read(&client)) continue;
        ++answered;
        if (asked < pages) Ask(&client, asked++);
      }
    }
  }

 private:
  struct Client {
    int fd = -1;
    size_t left = 0;  // of the answer; 0: its head has not come
  };

  void Connect(int port, Client* client) const {
    client->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    CHECK(connect(client->fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
    epoll_event event{.events = EPOLLIN, .data = {.ptr = client}};
    CHECK(epoll_ctl(epoll_fd_, EPOLL_CTL_ADD, client->fd, &event) == 0);
  }

  void Ask(Client* client, int number) {
    const std::string& request = requests_[static_cast<size_t>(number) % requests_.size()];
    CHECK(send(client->fd, request.data(), request.size(), MSG_NOSIGNAL) ==
          static_cast<ssize_t>(request.size()));
  }

  // True when the answer is complete.
  bool Read(Client* client) {
    const ssize_t size = recv(client->fd, buffer_.data(), buffer_.size(), 0);
    CHECK(size > 0);
    auto got = static_cast<size_t>(size);
    if (client->left == 0) {
      const std::string_view text(buffer_.data(), got);
      const size_t head = text.find("\r\n\r\n");
      constexpr std::string_view kLength = "Content-Length: ";
      const size_t length = text.find(kLength);
      CHECK(text.starts_with("HTTP/1.1 200") && length < head && head != std::string_view::npos);
      std::from_chars(text.data() + length + kLength.size(), text.data() + head, client->left);
      got -= head + 4;
    }
    CHECK(got <= client->left);
    client->left -= got;
    return client->left == 0;
  }

  const int epoll_fd_;
  std::vector<std::string> requests_;
  std::array<Client, kConnections> clients_;
  std::vector<char> buffer_ = std::vector<char>(256 << 10);
};

void ServeBench(BenchReport& report, std::string_view name, const synthetic::WebOptions& options) {
  auto server = synthetic::Server::Start(options, {});
  if (!server.ok()) return report.Fail(name, MessageOf(server.status()));
  const CpuTimer timer;
  {
    Load load((*server)->web(), (*server)->port());
    load.Run(kPages);
  }
  const double wall_s = timer.WallSeconds();
  (*server)->Stop();
  const synthetic::ServerStats stats = (*server)->stats();
  report.Add(name, static_cast<double>(stats.requests) / stats.cpu_s, "pages/cpu_s", stats.cpu_s,
             wall_s, "CPU of the server's thread: making pages, and the kernel's copies");
}

void SyntheticWebBench(BenchReport& report) {
  const synthetic::WebOptions options{.hosts = 1000, .pages_per_host = 1000};
  ServeBench(report, "serve_20kb", options);
  synthetic::WebOptions small = options;
  small.page_bytes = 2000;
  small.links_per_page = 10;
  ServeBench(report, "serve_2kb", small);

  // Without a network: what a simulator pays.
  const auto web = synthetic::Web::Create(options).value();
  synthetic::Answer answer;
  Random random(3);
  {
    const CpuTimer timer;
    constexpr int kAnswers = kPages / 4;
    for (int i = 0; i < kAnswers; ++i) {
      const auto host = static_cast<uint32_t>(random.Below(options.hosts));
      const auto page = static_cast<uint32_t>(random.Below(options.pages_per_host));
      web->Get({.place = {.host = host, .number = page, .kind = synthetic::Place::Kind::kPage}},
               &answer);
    }
    report.AddRate("function_20kb", kAnswers, "pages/cpu_s", timer, "CPU: links, and copies");
  }
  const std::vector<std::string> seeds = web->Seeds(1);
  const CpuTimer timer;
  const auto reachable = synthetic::Reachable::Compute(*web, seeds, {});
  CHECK_OK(reachable.status());
  report.AddRate("reachable_set", static_cast<double>(reachable->Count(synthetic::Outcome::kPage)),
                 "pages/cpu_s", timer, "CPU: 60 links a page");
}

ORBWEAVER_BENCH("synthetic_web", SyntheticWebBench);

}  // namespace
}  // namespace orbweaver
