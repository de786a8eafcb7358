// Asks name servers for the addresses of names, by c-ares.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"

#include "spider/fetch/dns_answer.h"
#include "spider/fetch/fetch_options.h"

namespace boost::asio {
class io_context;
}

namespace orbweaver {

// Place: in HttpFetcher, on its io_context; nothing in here blocks. Names are asked for as they
// are: neither search domains nor /etc/hosts. Not thread-safe.
class DnsClient {
 public:
  // Addresses of both versions, IPv4 first, as far as network.ip_versions wants them.
  using OnAnswer = std::function<void(const std::string& name, const DnsAnswer& answer)>;

  // Fatal when the name servers' addresses make no sense. `io` must outlive this.
  static absl::StatusOr<std::unique_ptr<DnsClient>> Create(const NetworkOptions& options,
                                                           boost::asio::io_context& io,
                                                           OnAnswer on_answer);
  ~DnsClient();

  // Leads to OnAnswer, once, from a handler of the io_context or from Tick.
  void Ask(const std::string& name);

  // Asks again what was not answered, and gives up. Some times a second.
  void Tick();

 private:
  class Impl;
  explicit DnsClient(std::unique_ptr<Impl> impl);
  const std::unique_ptr<Impl> impl_;
};

}  // namespace orbweaver
