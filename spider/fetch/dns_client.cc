#include "spider/fetch/dns_client.h"

#include <algorithm>
#include <ares.h>
#include <arpa/nameser.h>
#include <mutex>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/basic_stream_descriptor.hpp>
#include <boost/asio/post.hpp>

#include "common/base/check.h"
#include "common/base/status.h"

namespace orbweaver {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using Descriptor = asio::posix::basic_stream_descriptor<asio::io_context::executor_type>;

// The timeout of one question, and the number of tries; the resolver's own timeout bounds them all.
constexpr int kTryTimeoutMs = 2000;
constexpr int kTries = 3;

void InitLibrary() {
  static std::once_flag once;
  std::call_once(once, [] { CHECK(ares_library_init(ARES_LIB_INIT_ALL) == ARES_SUCCESS); });
}

}  // namespace

class DnsClient::Impl {
 public:
  Impl(const NetworkOptions& options, asio::io_context& io, OnAnswer on_answer)
      : versions_(options.ip_versions), io_(io), on_answer_(std::move(on_answer)) {}

  ~Impl() {
    closing_ = true;
    if (channel_ != nullptr) ares_destroy(channel_);
  }

  absl::Status Open(const std::vector<std::string>& servers) {
    InitLibrary();
    ares_options options{};
    options.flags = ARES_FLAG_NOSEARCH | ARES_FLAG_NOALIASES;
    options.timeout = kTryTimeoutMs;
    options.tries = kTries;
    options.sock_state_cb = [](void* self, ares_socket_t fd, int readable, int writable) {
      static_cast<Impl*>(self)->OnSocket(fd, readable != 0, writable != 0);
    };
    options.sock_state_cb_data = this;
    const int status = ares_init_options(&channel_, &options,
                                         ARES_OPT_FLAGS | ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES |
                                             ARES_OPT_SOCK_STATE_CB | ARES_OPT_ROTATE);
    if (status != ARES_SUCCESS) return FatalError("start DNS: {}", ares_strerror(status));
    if (servers.empty()) return absl::OkStatus();
    std::string list;
    for (const std::string& server : servers) list += (list.empty() ? "" : ",") + server;
    if (const int set = ares_set_servers_ports_csv(channel_, list.c_str()); set != ARES_SUCCESS) {
      return FatalError(
          "network.dns_servers '{}': {}. Write addresses: 192.0.2.53 or 192.0.2.53:5353.", list,
          ares_strerror(set));
    }
    return absl::OkStatus();
  }

  void Ask(const std::string& name) {
    // Freed by the last answer.
    auto* const query = new Query{.impl = this, .name = name};
    const bool v4 = versions_ != NetworkOptions::IpVersions::kV6;
    const bool v6 = versions_ != NetworkOptions::IpVersions::kV4;
    query->waiting = (v4 ? 1 : 0) + (v6 ? 1 : 0);
    if (v4) ares_query(channel_, name.c_str(), ns_c_in, ns_t_a, &OnReply<DnsQuestion::kV4>, query);
    if (v6) {
      ares_query(channel_, name.c_str(), ns_c_in, ns_t_aaaa, &OnReply<DnsQuestion::kV6>, query);
    }
  }

  void Tick() { ares_process_fd(channel_, ARES_SOCKET_BAD, ARES_SOCKET_BAD); }

 private:
  // One name that is asked for; of the versions that are not wanted nothing is expected.
  struct Query {
    Impl* impl;
    std::string name;
    int waiting = 0;
    DnsAnswer v4;
    DnsAnswer v6;
  };

  struct Socket {
    explicit Socket(asio::io_context& io, int fd) : descriptor(io.get_executor(), fd) {}
    Descriptor descriptor;
    bool read = false, write = false;       // wanted
    bool reading = false, writing = false;  // being waited for
    uint64_t generation = 0;
  };

  static DnsAnswer Join(NetworkOptions::IpVersions versions, const DnsAnswer& v4,
                        const DnsAnswer& v6) {
    if (versions == NetworkOptions::IpVersions::kV4) return v4;
    if (versions == NetworkOptions::IpVersions::kV6) return v6;
    using Outcome = DnsAnswer::Outcome;
    if (v4.outcome != Outcome::kFound) return v6.outcome == Outcome::kFound ? v6 : WorseOf(v4, v6);
    DnsAnswer both = v4;
    if (v6.outcome == Outcome::kFound) {
      both.addresses.insert(both.addresses.end(), v6.addresses.begin(), v6.addresses.end());
      both.age = std::min(v4.age, v6.age);
    }
    return both;
  }
  // A version that could not be asked for may be there. A name server that has said anything at
  // all is up.
  static const DnsAnswer& WorseOf(const DnsAnswer& a, const DnsAnswer& b) {
    using Outcome = DnsAnswer::Outcome;
    if (a.outcome == Outcome::kFailed || b.outcome == Outcome::kFailed) {
      return a.outcome == Outcome::kFailed ? a : b;
    }
    return a.outcome == Outcome::kUnanswered ? a : b;
  }

  template <DnsQuestion kQuestion>
  static void OnReply(void* argument, int status, int /*timeouts*/, unsigned char* bytes,
                      int size) {
    auto* const query = static_cast<Query*>(argument);
    DnsAnswer& answer = kQuestion == DnsQuestion::kV4 ? query->v4 : query->v6;
    if (status == ARES_SUCCESS) {
      answer = ReadDnsAnswer(kQuestion, std::span(bytes, static_cast<size_t>(size)));
    } else if (status == ARES_ENODATA || status == ARES_ENOTFOUND || status == ARES_EBADNAME) {
      answer.outcome = DnsAnswer::Outcome::kMissing;
    } else if (status == ARES_ETIMEOUT || status == ARES_ECONNREFUSED) {
      answer.outcome = DnsAnswer::Outcome::kUnanswered;
    }
    if (--query->waiting > 0) return;
    DnsAnswer whole = Join(query->impl->versions_, query->v4, query->v6);
    // Posted: c-ares is in the middle of its work, and what follows may ask it again.
    if (!query->impl->closing_) {
      asio::post(query->impl->io_, [impl = query->impl, name = query->name,
                                    whole = std::move(whole)] { impl->on_answer_(name, whole); });
    }
    delete query;
  }

  // Tells which events c-ares waits for on a socket of its own; none: it is about to close it.
  void OnSocket(int fd, bool read, bool write) {
    auto& socket = sockets_[fd];
    if (!read && !write) {
      // Without closing it; what waits is told that it was aborted.
      if (socket != nullptr) socket->descriptor.release();
      sockets_.erase(fd);
      return;
    }
    if (socket == nullptr) {
      socket = std::make_unique<Socket>(io_, fd);
      socket->generation = ++generation_;
    }
    socket->read = read;
    socket->write = write;
    Wait(fd, *socket);
  }

  void Wait(int fd, Socket& socket) {
    if (socket.read && !socket.reading) {
      socket.reading = true;
      socket.descriptor.async_wait(Descriptor::wait_read,
                                   [this, fd, generation = socket.generation](error_code error) {
                                     OnReady(fd, generation, error, true);
                                   });
    }
    if (socket.write && !socket.writing) {
      socket.writing = true;
      socket.descriptor.async_wait(Descriptor::wait_write,
                                   [this, fd, generation = socket.generation](error_code error) {
                                     OnReady(fd, generation, error, false);
                                   });
    }
  }

  void OnReady(int fd, uint64_t generation, error_code error, bool read) {
    if (error == asio::error::operation_aborted) return;
    if (Socket* const socket = Find(fd, generation)) {
      (read ? socket->reading : socket->writing) = false;
      ares_process_fd(channel_, read ? fd : ARES_SOCKET_BAD, read ? ARES_SOCKET_BAD : fd);
    }
    // It may be gone by now, and another one may have its number.
    if (Socket* const socket = Find(fd, generation)) Wait(fd, *socket);
  }

  Socket* Find(int fd, uint64_t generation) {
    const auto found = sockets_.find(fd);
    return found != sockets_.end() && found->second->generation == generation ? found->second.get()
                                                                              : nullptr;
  }

  const NetworkOptions::IpVersions versions_;
  asio::io_context& io_;
  const OnAnswer on_answer_;
  ares_channel channel_ = nullptr;
  bool closing_ = false;
  absl::flat_hash_map<int, std::unique_ptr<Socket>> sockets_;
  uint64_t generation_ = 0;
};

absl::StatusOr<std::unique_ptr<DnsClient>> DnsClient::Create(const NetworkOptions& options,
                                                             asio::io_context& io,
                                                             OnAnswer on_answer) {
  auto impl = std::make_unique<Impl>(options, io, std::move(on_answer));
  RETURN_IF_ERROR(impl->Open(options.dns_servers));
  return std::unique_ptr<DnsClient>(new DnsClient(std::move(impl)));
}

DnsClient::DnsClient(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
DnsClient::~DnsClient() = default;

void DnsClient::Ask(const std::string& name) { impl_->Ask(name); }
void DnsClient::Tick() { impl_->Tick(); }

}  // namespace orbweaver
