#include "spider/fetch/http_fetcher.h"

#include <algorithm>
#include <array>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>

#include "common/base/status.h"
#include "common/url/domain.h"
#include "spider/fetch/address_policy.h"
#include "spider/fetch/attentive_clock.h"
#include "spider/fetch/content_types.h"
#include "spider/fetch/dns_client.h"
#include "spider/fetch/exchange.h"
#include "spider/fetch/fetch_url.h"
#include "spider/fetch/handshake_gate.h"
#include "spider/fetch/host_resolver.h"
#include "spider/fetch/request_head.h"
#include "spider/fetch/tls.h"

namespace orbweaver {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

// How often all that runs is held against its deadlines: one look instead of a timer a connection.
constexpr auto kTick = std::chrono::milliseconds(50);
// So much of the time between two looks is the servers'.
constexpr auto kMostBetweenLooks = 2 * kTick;
constexpr size_t kReadBytes = size_t{64} << 10;
// After this many fetches or handlers Run tells what has finished, so that bodies do not pile up.
constexpr size_t kFinishedAtOnce = 16;
constexpr size_t kHandlersAtOnce = 256;
// Finished fetches whose memory is kept for new ones.
constexpr size_t kSpareExchanges = 64;
// A proxy that fails may have moved: its name is looked up again, not more often than this.
constexpr auto kProxyLookupInterval = std::chrono::seconds(10);

IpAddress AddressOf(const asio::ip::address& address) {
  if (address.is_v4()) return IpAddress(address.to_v4().to_bytes());
  return IpAddress(address.to_v6().to_bytes());
}

using Resolver = asio::ip::basic_resolver<tcp, asio::io_context::executor_type>;

std::vector<IpAddress> AddressesOf(const Resolver::results_type& found) {
  std::vector<IpAddress> addresses;
  for (const auto& entry : found) {
    const IpAddress address = AddressOf(entry.endpoint().address());
    if (std::ranges::find(addresses, address) == addresses.end()) addresses.push_back(address);
  }
  return addresses;
}

// As programs look up names of this machine's own configuration: also those of /etc/hosts and of
// search domains.
absl::StatusOr<std::vector<IpAddress>> FindProxy(const Proxy& proxy) {
  asio::io_context io;
  error_code error;
  const auto found = Resolver(io).resolve(proxy.host, std::to_string(proxy.port), error);
  if (error || found.empty()) {
    return FatalError("network.proxy: look up '{}': {}", proxy.host, error.message());
  }
  return AddressesOf(found);
}

}  // namespace

class HttpFetcher::Impl {
 public:
  Impl(const NetworkOptions& network, const FetchOptions& options, AddressPolicy policy,
       std::optional<Proxy> proxy, std::vector<IpAddress> proxy_addresses, RequestHead request_head,
       std::unique_ptr<WebTls> tls, const Clock& clock)
      : network_(network),
        options_(options),
        policy_(std::move(policy)),
        proxy_(std::move(proxy)),
        proxy_authorization_(proxy_ ? proxy_->Authorization() : ""),
        types_(options.content_types),
        request_head_(std::move(request_head)),
        clock_(clock),
        tls_(std::move(tls)),
        patience_(clock, kMostBetweenLooks),
        kept_up_(clock.Now()),
        work_(io_.get_executor()),
        pool_({.max_idle = options.max_idle,
               .max_per_key = proxy_ && proxy_->kind == Proxy::Kind::kHttp
                                  ? options.max_idle
                                  : options.max_idle_per_host,
               .idle_timeout = options.idle_timeout}),
        proxy_addresses_(std::move(proxy_addresses)) {}

  absl::Status Open() {
    ASSIGN_OR_RETURN(
        dns_,
        DnsClient::Create(network_, io_, [this](const std::string& name, const DnsAnswer& answer) {
          resolver_->OnAnswer(name, answer);
        }));
    ASSIGN_OR_RETURN(resolver_, HostResolver::Create(
                                    network_, policy_, clock_, HostsFile::Read(network_.hosts_file),
                                    [this](const std::string& name) { dns_->Ask(name); }));
    shared_.emplace(ExchangeShared{.options = options_,
                                   .types = types_,
                                   .clock = clock_,
                                   .patience = patience_,
                                   .proxy = proxy_ ? &*proxy_ : nullptr,
                                   .proxy_authorization = proxy_authorization_,
                                   .io = io_,
                                   .tls = *tls_,
                                   .handshakes = handshakes_,
                                   .resolver = *resolver_,
                                   .pool = pool_,
                                   .stats = stats_,
                                   .buffer = buffer_});
    return absl::OkStatus();
  }

  void Resolve(FetchId id, std::string_view host) {
    if (proxy_ && !IsIpAddress(host)) {
      resolved_.push_back({.id = id, .found = {}, .took = {}});
      return;
    }
    resolver_->Find(host, [this, id](const HostAddresses& found, Duration took) {
      resolved_.push_back({.id = id, .found = found, .took = took});
    });
  }

  void Fetch(FetchId id, const FetchRequest& request) {
    Exchange& exchange = Begin(id, request);
    const std::optional<FetchUrl> url = SplitFetchUrl(exchange.url_text());
    if (!url) return Fail(exchange, FailureCause::kBadUrl, "not a URL to fetch");
    exchange.url = *url;
    if (!policy_.AllowsPort(url->port) && !policy_.Names(*url)) {
      return Fail(exchange, FailureCause::kPort,
                  fmt::format("port {} is not among network.ports", url->port));
    }
    exchange.secrets_at =
        request_head_.Write(*url, request, exchange.IsForProxy(), exchange.result.started_at,
                            &exchange.result.request_head);
    if (proxy_) {
      // The proxy restricts the addresses of names; an address in the URL itself is checked here.
      const std::optional<IpAddress> address = IpAddress::Parse(url->host);
      if (address && !MayAsk(*url, *address)) return FailPrivate(exchange, *address);
      return Start(exchange, proxy_addresses_, proxy_->port);
    }
    if (!request.address.empty()) {
      if (!MayAsk(*url, request.address)) return FailPrivate(exchange, request.address);
      const uint16_t fixed_port = resolver_->PortOf(url->host);
      return Start(exchange, {request.address}, fixed_port == 0 ? url->port : fixed_port);
    }
    resolver_->Find(url->host, [this, &exchange](const HostAddresses& found, Duration took) {
      exchange.result.times.dns = took;
      if (found.failure) {
        exchange.Fail(*found.failure, found.message);
        exchange.result.suspect = found.suspect;
        return End(exchange);
      }
      std::vector<IpAddress> addresses = found.addresses;
      if (policy_.NamesHost(exchange.url.host)) {
        // They may be private, but not at every port.
        std::erase_if(addresses, [&](const auto& each) { return !MayAsk(exchange.url, each); });
        if (addresses.empty()) return FailPrivate(exchange, found.addresses.front());
      }
      Start(exchange, std::move(addresses), found.port == 0 ? exchange.url.port : found.port);
    });
  }

  void Run(SteadyTime until, FetchListener& listener) {
    for (;;) {
      size_t handled = 0;
      while (handled < kHandlersAtOnce && finished_.size() < kFinishedAtOnce &&
             io_.poll_one() > 0) {
        ++handled;
      }
      const SteadyTime now = clock_.Now();
      if (handled < kHandlersAtOnce && finished_.size() < kFinishedAtOnce) kept_up_ = now;
      if (now >= next_tick_) Tick(now);
      const bool told = Tell(listener);
      if (std::exchange(woken_, false) || told || now >= until) return;
      if (handled == 0) io_.run_one_until(std::min(until, next_tick_));
    }
  }

  void Wake() {
    asio::post(io_, [this] { woken_ = true; });
  }

  FetchStats stats() const {
    FetchStats stats = stats_;
    stats.dns_queries = resolver_->asked();
    stats.dns_hits = resolver_->known();
    stats.dns_failures = resolver_->failed();
    stats.idle_connections = pool_.size();
    stats.running = running_.size();
    stats.waiting_handshakes = handshakes_.waiting();
    return stats;
  }

 private:
  struct Resolved {
    FetchId id;
    HostAddresses found;
    Duration took;
  };

  Exchange& Begin(FetchId id, const FetchRequest& request) {
    std::unique_ptr<Exchange> exchange;
    if (spare_.empty()) {
      exchange = std::make_unique<Exchange>(*shared_);
    } else {
      exchange = std::move(spare_.back());
      spare_.pop_back();
    }
    exchange->Begin(id, request);
    exchange->place = running_.size();
    running_.push_back(std::move(exchange));
    return *running_.back();
  }

  void Start(Exchange& exchange, std::vector<IpAddress> addresses, uint16_t port) {
    exchange.Start(std::move(addresses), port, [this, &exchange] { End(exchange); });
  }

  void Fail(Exchange& exchange, FailureCause cause, std::string message) {
    exchange.Fail(cause, std::move(message));
    End(exchange);
  }

  bool MayAsk(const FetchUrl& url, const IpAddress& address) const {
    return policy_.Allows(address) || policy_.Names(url);
  }

  void FailPrivate(Exchange& exchange, const IpAddress& address) {
    Fail(exchange, FailureCause::kPrivateAddress, address.Text() + " is no public address");
  }

  // Its address may be another by now.
  void LookUpProxy() {
    const SteadyTime now = clock_.Now();
    if (looking_up_proxy_ || now < next_proxy_lookup_) return;
    looking_up_proxy_ = true;
    next_proxy_lookup_ = now + kProxyLookupInterval;
    proxy_resolver_.async_resolve(proxy_->host, std::to_string(proxy_->port),
                                  [this](error_code error, const Resolver::results_type& found) {
                                    looking_up_proxy_ = false;
                                    if (error || found.empty()) return;
                                    proxy_addresses_ = AddressesOf(found);
                                  });
  }

  void End(Exchange& exchange) {
    exchange.End();
    if (exchange.result.failure == FailureCause::kProxy) LookUpProxy();
    std::unique_ptr<Exchange> owned = std::move(running_[exchange.place]);
    if (exchange.place + 1 < running_.size()) {
      running_[exchange.place] = std::move(running_.back());
      running_[exchange.place]->place = exchange.place;
    }
    running_.pop_back();
    finished_.push_back(std::move(owned));
  }

  // Tells what is there now; what the listener begins is for the next time.
  bool Tell(FetchListener& listener) {
    const bool any = !resolved_.empty() || !finished_.empty();
    for (size_t left = resolved_.size(); left > 0; --left) {
      const Resolved resolved = std::move(resolved_.front());
      resolved_.pop_front();
      const HostAddresses& found = resolved.found;
      listener.OnResolved(
          {.id = resolved.id,
           .failure = found.failure,
           .message = found.message,
           .suspect = found.suspect,
           .address = found.addresses.empty() ? IpAddress() : found.addresses.front(),
           .took = resolved.took});
    }
    for (size_t left = finished_.size(); left > 0; --left) {
      std::unique_ptr<Exchange> exchange = std::move(finished_.front());
      finished_.pop_front();
      listener.OnFetched(exchange->result);
      if (spare_.size() < kSpareExchanges && exchange->Recycle()) {
        spare_.push_back(std::move(exchange));
      }
    }
    return any;
  }

  void Tick(SteadyTime now) {
    next_tick_ = now + kTick;
    pool_.Expire(now);
    stats_.open_connections = pool_.size();
    patience_.Look();
    handshakes_.Adapt(now - kept_up_);
    for (const auto& exchange : running_) {
      exchange->CheckDeadlines(patience_.Now());
      if (exchange->connected()) ++stats_.open_connections;
    }
    resolver_->Tick();
    dns_->Tick();
  }

  // Constant after construction.
  const NetworkOptions network_;
  const FetchOptions options_;
  const AddressPolicy policy_;
  const std::optional<Proxy> proxy_;
  const std::string proxy_authorization_;
  const ContentTypes types_;
  const RequestHead request_head_;
  const Clock& clock_;
  const std::unique_ptr<WebTls> tls_;

  FetchStats stats_;
  AttentiveClock patience_;
  SteadyTime kept_up_;  // when nothing that was ready waited any more
  HandshakeGate handshakes_;
  SteadyTime next_tick_{};
  bool woken_ = false;
  std::array<char, kReadBytes> buffer_;

  // Ends after all that has a socket, and with it end the coroutines, which touch nothing any more.
  asio::io_context io_{1};
  asio::executor_work_guard<asio::io_context::executor_type> work_;
  std::unique_ptr<HostResolver> resolver_;
  std::unique_ptr<DnsClient> dns_;
  WebConnectionPool pool_;
  Resolver proxy_resolver_{io_.get_executor()};
  std::vector<IpAddress> proxy_addresses_;
  bool looking_up_proxy_ = false;
  SteadyTime next_proxy_lookup_{};
  std::optional<ExchangeShared> shared_;
  std::vector<std::unique_ptr<Exchange>> running_;
  std::vector<std::unique_ptr<Exchange>> spare_;
  std::deque<std::unique_ptr<Exchange>> finished_;
  std::deque<Resolved> resolved_;
};

absl::Status CheckFetchOptions(const NetworkOptions& network, const FetchOptions& options) {
  RETURN_IF_ERROR(AddressPolicy::Create(network).status());
  RETURN_IF_ERROR(ParseProxy(network.proxy).status());
  return RequestHead::Create(options).status();
}

absl::StatusOr<std::unique_ptr<HttpFetcher>> HttpFetcher::Create(const NetworkOptions& network,
                                                                 const FetchOptions& options,
                                                                 const Clock& clock) {
  ASSIGN_OR_RETURN(AddressPolicy policy, AddressPolicy::Create(network));
  ASSIGN_OR_RETURN(std::optional<Proxy> proxy, ParseProxy(network.proxy));
  ASSIGN_OR_RETURN(RequestHead request_head,
                   RequestHead::Create(options, proxy ? proxy->Authorization() : ""));
  ASSIGN_OR_RETURN(std::unique_ptr<WebTls> tls, WebTls::Create(options));
  std::vector<IpAddress> proxy_addresses;
  if (proxy) {
    ASSIGN_OR_RETURN(proxy_addresses, FindProxy(*proxy));
  }
  auto impl = std::make_unique<Impl>(network, options, std::move(policy), std::move(proxy),
                                     std::move(proxy_addresses), std::move(request_head),
                                     std::move(tls), clock);
  RETURN_IF_ERROR(impl->Open());
  return std::unique_ptr<HttpFetcher>(new HttpFetcher(std::move(impl)));
}

HttpFetcher::HttpFetcher(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
HttpFetcher::~HttpFetcher() = default;

void HttpFetcher::Resolve(FetchId id, std::string_view host) { impl_->Resolve(id, host); }
void HttpFetcher::Fetch(FetchId id, const FetchRequest& request) { impl_->Fetch(id, request); }
void HttpFetcher::Run(SteadyTime until, FetchListener& listener) { impl_->Run(until, listener); }
void HttpFetcher::Wake() { impl_->Wake(); }
FetchStats HttpFetcher::stats() const { return impl_->stats(); }

}  // namespace orbweaver
