#pragma once

#include <memory>

#include "absl/status/statusor.h"

#include "common/base/clock.h"
#include "spider/fetch/fetch_options.h"
#include "spider/fetch/fetcher.h"

namespace orbweaver {

// Refuses options that Create would refuse; no name is looked up.
absl::Status CheckFetchOptions(const NetworkOptions& network, const FetchOptions& options);

// HTTP/1.1 over TCP and TLS, a coroutine a fetch on one io_context. Memory: what max_idle,
// tls_sessions and dns_cache_names bound, and for each fetch that runs at most header and body
// bounds, but while it waits for its first byte only a few kilobytes.
class HttpFetcher : public Fetcher {
 public:
  // Fatal when an option makes no sense, a file of certificates or cookies cannot be read, or the
  // proxy's name leads nowhere; blocks while that is looked up. `clock` must outlive this; it is
  // for deadlines, sockets are waited for by the system's.
  static absl::StatusOr<std::unique_ptr<HttpFetcher>> Create(const NetworkOptions& network,
                                                             const FetchOptions& options,
                                                             const Clock& clock = SystemClock());
  ~HttpFetcher() override;

  void Resolve(FetchId id, std::string_view host) override;
  void Fetch(FetchId id, const FetchRequest& request) override;
  void Run(SteadyTime until, FetchListener& listener) override;
  FetchStats stats() const override;
  void Wake() override;

 private:
  class Impl;
  explicit HttpFetcher(std::unique_ptr<Impl> impl);
  const std::unique_ptr<Impl> impl_;
};

}  // namespace orbweaver
