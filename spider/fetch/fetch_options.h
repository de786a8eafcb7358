#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace orbweaver {

namespace config {
class Schema;
}

// Where connections may go, and how names become addresses.
struct NetworkOptions {
  // Also addresses that are not public: private networks, loopback, link-local and the like.
  bool allow_private = false;
  // Networks ("10.1.0.0/16") that may be asked although they are not public.
  std::vector<std::string> allow_networks;
  std::vector<std::string> ports = {"80", "443", "8080", "8443"};  // of URLs
  // Hosts, `HOST` or `HOST:PORT` as in URLs, that may be asked whatever their port and address.
  std::vector<std::string> allow_hosts;

  enum class IpVersions : uint8_t { kBoth, kV4, kV6 };
  IpVersions ip_versions = IpVersions::kBoth;

  // http:// or socks5://, [USER:PASSWORD@]HOST:PORT; it resolves the names. Empty: none.
  std::string proxy;

  // Fixed answers: host, `*.domain` or `*` to an address, with a port ("127.0.0.1:8080") to use
  // in place of the URL's.
  std::map<std::string, std::string> hosts;
  // Names that are known here before any name server is asked; empty: none but localhost.
  std::string hosts_file = "/etc/hosts";
  // Name servers, ADDRESS or ADDRESS:PORT; none: those of the system.
  std::vector<std::string> dns_servers;
  std::chrono::milliseconds dns_timeout = std::chrono::seconds(10);
  // The bounds of the time to live in an answer.
  std::chrono::milliseconds dns_min_age = std::chrono::minutes(1);
  std::chrono::milliseconds dns_max_age = std::chrono::hours(6);
  // A name that does not exist, and one that could not be resolved now.
  std::chrono::milliseconds dns_missing_age = std::chrono::minutes(10);
  std::chrono::milliseconds dns_failed_age = std::chrono::seconds(30);
  size_t dns_cache_names = 100'000;
};

struct FetchOptions {
  std::string user_agent = "orbweaver/0.1";
  // Sent with every request.
  std::map<std::string, std::string> headers = {{"Accept", "text/html,*/*;q=0.5"}};
  // Sent to one host only: HOST/NAME, with `HOST:PORT` where the URL has a port.
  std::map<std::string, std::string> host_headers;
  // The From header: a mail address.
  std::string from;
  // Cookies in Netscape's format (cookie_file.h); empty: none.
  std::string cookies_file;
  // Media types whose bodies are read, `*` for any part. An answer without a type is read too.
  std::vector<std::string> content_types = {"text/*", "application/xhtml+xml", "application/xml",
                                            "application/*+xml"};

  std::chrono::milliseconds connect_timeout = std::chrono::seconds(10);
  std::chrono::milliseconds tls_timeout = std::chrono::seconds(10);
  std::chrono::milliseconds first_byte_timeout = std::chrono::seconds(20);
  std::chrono::milliseconds total_timeout = std::chrono::seconds(60);
  // Less than this on average, once `slow_after` has passed since the first byte, ends a fetch.
  size_t min_bytes_per_second = 200;
  std::chrono::milliseconds slow_after = std::chrono::seconds(10);

  size_t max_header_bytes = 64 << 10;
  // Of a body, decoded.
  size_t max_body_bytes = 4 << 20;
  bool truncate = true;  // else a body beyond the bound is a failure
  // Bodies of 4xx and 5xx too, of any type, as far as they come: what is wrong with one fails
  // nothing. No option of its own: spider.archive.errors says whether anybody wants them.
  bool error_bodies = false;
  // How many times larger than what came a decoded body may be.
  uint32_t max_compression = 250;
  uint32_t max_redirects = 5;

  // Connections kept for the next request of their host: for how long, how many.
  std::chrono::milliseconds idle_timeout = std::chrono::seconds(15);
  size_t max_idle = 2'000;
  size_t max_idle_per_host = 2;

  // A certificate that is no good ends the fetch, else it is only noted.
  bool verify_certificates = true;
  // Also RSA and DH keys of 1,024 bits and more, and certificates without alternative names.
  bool allow_weak_tls = false;
  // PEM; empty: those of the system.
  std::string authorities_file;
  size_t tls_sessions = 2'000;
};

// Headers whose values are no secrets, as MatchesAny (common/config/mask.h) takes them.
const std::vector<std::string>& HarmlessHeaders();

// The options `network.*` and `spider.fetch.*`. The structs must outlive the schema.
void DeclareNetworkOptions(config::Schema& schema, NetworkOptions* options);
void DeclareFetchOptions(config::Schema& schema, FetchOptions* options);

}  // namespace orbweaver
