#include "tests/support/synthetic_web/server.h"

#include <arpa/inet.h>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

#include "common/base/check.h"
#include "common/base/status.h"
#include "tests/support/synthetic_web/certificates.h"
#include "tests/support/synthetic_web/connection.h"
#include "tests/support/synthetic_web/event_loop.h"
#include "tests/support/synthetic_web/visit_recorder.h"

namespace orbweaver::synthetic {
namespace {

// A listening socket and the port it got.
absl::StatusOr<std::pair<int, int>> Listen(const std::string& address, int port) {
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_port = htons(static_cast<uint16_t>(port));
  if (inet_pton(AF_INET, address.c_str(), &name.sin_addr) != 1) {
    return FatalError("listen on '{}': it is no IPv4 address.", address);
  }
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  CHECK(fd >= 0);
  const int on = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  socklen_t size = sizeof name;
  if (bind(fd, reinterpret_cast<sockaddr*>(&name), size) != 0 || listen(fd, SOMAXCONN) != 0 ||
      getsockname(fd, reinterpret_cast<sockaddr*>(&name), &size) != 0) {
    const int error = errno;
    close(fd);
    return FatalError("listen on {}:{}: {}. Choose another port.", address, port,
                      std::strerror(error));
  }
  return std::pair(fd, static_cast<int>(ntohs(name.sin_port)));
}

}  // namespace

struct Server::Impl {
  int port = 0;
  int tls_port = 0;
  std::unique_ptr<const Web> web;
  std::unique_ptr<VisitRecorder> recorder;
  std::unique_ptr<Certificates> certificates;
  ServerCounters counters;
  std::unique_ptr<ConnectionService> service;
  std::unique_ptr<EventLoop> loop;
  std::atomic<bool> stop = false;
  std::thread thread;

  ServerStats Stats() const {
    const auto of = [](const std::atomic<uint64_t>& c) {
      return c.load(std::memory_order_relaxed);
    };
    return {.connections = of(counters.connections),
            .open_connections = of(counters.open_connections),
            .requests = of(counters.requests),
            .sent_bytes = of(counters.sent_bytes),
            .tls_handshakes = of(counters.tls_handshakes),
            .tls_failures = of(counters.tls_failures),
            .refused_requests = of(counters.refused_requests),
            .aborted_answers = of(counters.aborted_answers),
            .cpu_s = counters.cpu_s.load(std::memory_order_relaxed)};
  }

  int Admin(std::string_view target, std::string* body) {
    JsonWriter json(body);
    constexpr std::string_view kVersion = "/-/version/";
    constexpr std::string_view kClientDied = "/-/client-died/";
    const auto number_after = [&](std::string_view prefix) -> std::optional<uint32_t> {
      const std::string_view digits = target.substr(prefix.size());
      const auto end = digits.data() + digits.size();
      uint32_t number = 0;
      if (std::from_chars(digits.data(), end, number).ptr != end || digits.empty()) return {};
      return number;
    };
    if (target == "/-/stats") {
      WriteJson(Stats(), &json);
    } else if (target == "/-/judge") {
      WriteJson(recorder->verdict(), &json);
    } else if (target.starts_with(kVersion)) {
      const auto version = number_after(kVersion);
      if (!version) return 400;
      recorder->SetVersion(*version);
      json.BeginObject().Key("version").Value(*version).EndObject();
    } else if (target.starts_with(kClientDied)) {
      const auto told_ms = number_after(kClientDied);
      if (!told_ms) return 400;
      recorder->ClientDied(SystemClock().Now() - std::chrono::milliseconds(*told_ms));
      json.BeginObject().Key("not_minded_ms").Value(*told_ms).EndObject();
    } else {
      return 404;
    }
    body->push_back('\n');
    return 200;
  }
};

absl::StatusOr<std::unique_ptr<Server>> Server::Start(WebOptions web,
                                                      const ServerOptions& options) {
  auto impl = std::make_unique<Impl>();
  ASSIGN_OR_RETURN(const auto plain, Listen(options.listen, options.port));
  impl->port = plain.second;
  absl::StatusOr<std::pair<int, int>> tls = Listen(options.listen, options.tls_port);
  if (!tls.ok()) {
    close(plain.first);
    return tls.status();
  }
  impl->tls_port = tls->second;
  if (options.ports_in_urls) {
    web.http_port = static_cast<uint16_t>(impl->port);
    web.https_port = static_cast<uint16_t>(impl->tls_port);
  }
  const auto build = [&]() -> absl::Status {
    ASSIGN_OR_RETURN(impl->web, Web::Create(web));
    ASSIGN_OR_RETURN(impl->recorder,
                     VisitRecorder::Create(*impl->web, options.judge, options.log_file));
    ASSIGN_OR_RETURN(impl->certificates, Certificates::Create(*impl->web));
    return absl::OkStatus();
  };
  if (absl::Status status = build(); !status.ok()) {
    close(plain.first);
    close(tls->first);
    return status;
  }
  Impl* const raw = impl.get();
  impl->service.reset(
      new ConnectionService{.web = *impl->web,
                            .recorder = *impl->recorder,
                            .certificates = *impl->certificates,
                            .counters = impl->counters,
                            .admin = [raw](std::string_view target,
                                           std::string* body) { return raw->Admin(target, body); },
                            .max_header_bytes = options.max_header_bytes});
  impl->loop =
      std::make_unique<EventLoop>(EventLoopOptions{.max_connections = options.max_connections,
                                                   .idle_timeout = options.idle_timeout,
                                                   .loopback_only = !options.allow_remote},
                                  *impl->service);
  impl->loop->AddListener(plain.first, false);
  impl->loop->AddListener(tls->first, true);
  impl->thread = std::thread([raw] {
    // A client of TLS that has gone is an error to OpenSSL's write, and not the end of the test.
    sigset_t broken_pipe;
    sigemptyset(&broken_pipe);
    sigaddset(&broken_pipe, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &broken_pipe, nullptr);
    raw->loop->Run(raw->stop);
  });
  return std::unique_ptr<Server>(new Server(std::move(impl)));
}

Server::Server(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Server::~Server() { Stop(); }

void Server::Stop() {
  if (!impl_->thread.joinable()) return;
  impl_->stop.store(true, std::memory_order_release);
  impl_->loop->Wake();
  impl_->thread.join();
  impl_->loop.reset();  // ends the connections, which record their last
  impl_->recorder->Flush();
}

int Server::port() const { return impl_->port; }
int Server::tls_port() const { return impl_->tls_port; }
const Web& Server::web() const { return *impl_->web; }
const std::string& Server::authority_pem() const { return impl_->certificates->authority_pem(); }
ServerStats Server::stats() const { return impl_->Stats(); }
Verdict Server::verdict() const { return impl_->recorder->verdict(); }

std::optional<Duration> Server::LeastDomainInterval(std::string_view domain) const {
  return impl_->recorder->LeastDomainInterval(domain);
}

uint32_t Server::RequestsOf(std::string_view url) const {
  const std::optional<Place> place = impl_->web->paths().FindUrl(url);
  return place ? impl_->recorder->RequestsOf(*place) : 0;
}

absl::StatusOr<Comparison> Server::Check(std::span<const std::string> seeds,
                                         const ReachOptions& options) const {
  ASSIGN_OR_RETURN(const Reachable reachable, Reachable::Compute(*impl_->web, seeds, options));
  return impl_->recorder->CompareWith(reachable);
}

void Server::SetVersion(uint32_t version) { impl_->recorder->SetVersion(version); }
void Server::SetHostVersion(uint32_t host, uint32_t version) {
  impl_->recorder->SetVersion(host, version);
}

void WriteJson(const ServerStats& stats, JsonWriter* json) {
  json->BeginObject();
  json->Key("connections").Value(stats.connections);
  json->Key("open_connections").Value(stats.open_connections);
  json->Key("requests").Value(stats.requests);
  json->Key("sent_bytes").Value(stats.sent_bytes);
  json->Key("tls_handshakes").Value(stats.tls_handshakes);
  json->Key("tls_failures").Value(stats.tls_failures);
  json->Key("refused_requests").Value(stats.refused_requests);
  json->Key("aborted_answers").Value(stats.aborted_answers);
  json->Key("cpu_s").Value(stats.cpu_s);
  json->EndObject();
}

}  // namespace orbweaver::synthetic
