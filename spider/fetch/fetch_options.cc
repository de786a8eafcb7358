#include "spider/fetch/fetch_options.h"

#include "common/config/schema.h"
#include "common/model/limits.h"

namespace orbweaver {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;

const std::vector<std::string>& HarmlessHeaders() {
  static const auto* const kNames =
      new std::vector<std::string>{"accept*", "cache-control", "pragma", "dnt", "from"};
  return *kNames;
}

void DeclareNetworkOptions(config::Schema& schema, NetworkOptions* options) {
  schema.Add("network.allow_private", &options->allow_private,
             {.doc = "Also ask addresses that are not public: private networks, loopback, "
                     "link-local (the metadata services of clouds), multicast and the like. A page "
                     "can then lead the spider to anything that this machine can reach"});
  schema.Add("network.allow_networks", &options->allow_networks,
             {.doc = "Networks that may be asked although they are not public, as `10.1.0.0/16`"});
  schema.Add("network.ports", &options->ports,
             {.doc = "The ports that URLs may name; others are not asked"});
  schema.Add("network.allow_hosts", &options->allow_hosts,
             {.doc = "Hosts that may be asked although their address is not public, and on ports "
                     "that are not among network.ports: `localhost:8000`, or `wiki.corp` for the "
                     "ports 80 and 443. A name counts as long as it is not public at first and "
                     "private later. `orbweaver crawl` puts the hosts of its seeds here"});
  using Versions = NetworkOptions::IpVersions;
  schema.AddChoice("network.ip_versions", &options->ip_versions,
                   {{"both", Versions::kBoth}, {"v4", Versions::kV4}, {"v6", Versions::kV6}},
                   {.doc = "Which addresses are asked for; of both, IPv4 is tried first"});
  schema.Add(
      "network.proxy", &options->proxy,
      {.doc = "`http://[USER:PASSWORD@]HOST:PORT`: everything goes through it, https by CONNECT; "
              "or `socks5://` in place of `http://`. It resolves the names, so what they lead to "
              "is for it to restrict; `%40` stands for an `@` in user and password. Empty: no "
              "proxy"});
  schema.Add("network.hosts", &options->hosts,
             {.shown_keys = {"*"},
              .doc = "Fixed answers in place of DNS: a host, `*.domain` or `*`, and its address; "
                     "with a port (`127.0.0.1:8080`), that is asked in place of the URL's. "
                     "network.allow_private and network.allow_hosts hold for them too"});
  schema.Add("network.hosts_file", &options->hosts_file,
             {.doc = "Names that are known before any name server is asked, as in /etc/hosts; read "
                     "when the program starts. `localhost` is always known. Empty: no file"});
  schema.Add(
      "network.dns_servers", &options->dns_servers,
      {.doc = "Name servers, as `192.0.2.53` or `192.0.2.53:5353`; none: those of the system"});
  schema.Add("network.dns_timeout", &options->dns_timeout,
             {.min = milliseconds(100),
              .max = minutes(5),
              .doc = "A name that takes longer to resolve fails for now"});
  schema.Add("network.dns_min_age", &options->dns_min_age,
             {.max = hours(24), .doc = "An answer is used at least for this, whatever it says"});
  schema.Add("network.dns_max_age", &options->dns_max_age,
             {.max = hours(24 * 7), .doc = "An answer is used at most for this"});
  schema.Add(
      "network.dns_missing_age", &options->dns_missing_age,
      {.max = hours(24), .doc = "A name that does not exist is not asked for again for this"});
  schema.Add("network.dns_failed_age", &options->dns_failed_age,
             {.max = hours(24),
              .doc = "A name that could not be resolved is not asked for again for this"});
  schema.Add("network.dns_cache_names", &options->dns_cache_names,
             {.min = 1,
              .max = 100'000'000,
              .unit = "names",
              .doc = "How many answers each thread keeps, about 300 bytes each"});
}

namespace {

void DeclareRequestHead(config::Schema& schema, FetchOptions* options) {
  schema.Add(
      "spider.fetch.user_agent", &options->user_agent,
      {.doc = "The User-Agent header. Name a page that says who crawls and why, as `mybot/1.0 "
              "(+https://example.com/bot)`"});
  schema.Add("spider.fetch.headers", &options->headers,
             {.shown_keys = HarmlessHeaders(), .doc = "Headers sent with every request"});
  schema.Add("spider.fetch.host_headers", &options->host_headers,
             {.doc = "Headers sent to one host only, in place of those of spider.fetch.headers: "
                     "`example.org/Authorization` names host and header; `localhost:8000/X-Token` "
                     "where URLs have a port. No other host gets them, also not by a redirect"});
  schema.Add("spider.fetch.from", &options->from,
             {.doc = "The From header: the mail address of who crawls"});
  schema.Add(
      "spider.fetch.cookies_file", &options->cookies_file,
      {.doc = "Cookies to send, in Netscape's format, as curl, wget and browsers' extensions "
              "write it: each only to its host, path and scheme, until it expires. Cookies "
              "that answers set are not taken up"});
  schema.Add("spider.fetch.content_types", &options->content_types,
             {.doc = "Media types whose content is read, `*` for any part; of others nothing is "
                     "read beyond the headers. An answer that names none is read"});
}

void DeclareBounds(config::Schema& schema, FetchOptions* options) {
  schema.Add("spider.fetch.connect_timeout", &options->connect_timeout,
             {.min = milliseconds(10), .max = minutes(10), .doc = "For a TCP connection"});
  schema.Add("spider.fetch.tls_timeout", &options->tls_timeout,
             {.min = milliseconds(10), .max = minutes(10), .doc = "For the handshake of TLS"});
  schema.Add("spider.fetch.first_byte_timeout", &options->first_byte_timeout,
             {.min = milliseconds(10),
              .max = minutes(10),
              .doc = "From the request to the first byte of its answer"});
  schema.Add("spider.fetch.total_timeout", &options->total_timeout,
             {.min = milliseconds(10), .max = hours(1), .doc = "For the whole of a fetch"});
  schema.AddBytes("spider.fetch.min_bytes_per_second", &options->min_bytes_per_second,
                  {.doc = "An answer that comes slower on average is given up, once slow_after "
                          "has passed since its first byte; 0: any speed"});
  schema.Add("spider.fetch.slow_after", &options->slow_after,
             {.max = minutes(10), .doc = "When min_bytes_per_second begins to count"});
  schema.AddBytes("spider.fetch.max_header_bytes", &options->max_header_bytes,
                  {.min = 1024, .max = 1 << 20, .doc = "An answer with larger headers fails"});
  schema.AddBytes("spider.fetch.max_body_bytes", &options->max_body_bytes,
                  {.min = 1024,
                   .max = 1 << 30,
                   .doc = "Of a body, its content encoding undone, so much is read"});
  schema.Add(
      "spider.fetch.truncate", &options->truncate,
      {.doc = "A larger body is cut off there, and the page marked, as one whose encoding lacks "
              "its end is; else they fail"});
  schema.Add("spider.fetch.max_compression", &options->max_compression,
             {.min = 1,
              .max = 1'000'000,
              .unit = "times",
              .doc = "A body that unpacks to a larger multiple of itself, a MiB apart, fails"});
  schema.Add(
      "spider.fetch.max_redirects", &options->max_redirects,
      {.max = kMaxRedirects,
       .unit = "redirects",
       .doc = "So many are followed within the registered domain; one to another domain is a "
              "link to it"});
  schema.Add("spider.fetch.idle_timeout", &options->idle_timeout,
             {.max = minutes(10), .doc = "How long a connection is kept for the next request"});
  schema.Add(
      "spider.fetch.max_idle", &options->max_idle,
      {.max = 1'000'000, .unit = "connections", .doc = "How many each thread keeps; 0: none"});
  schema.Add("spider.fetch.max_idle_per_host", &options->max_idle_per_host,
             {.min = 1, .max = 1000, .unit = "connections", .doc = "How many of them to one host"});
}

void DeclareTls(config::Schema& schema, FetchOptions* options) {
  schema.Add("spider.fetch.verify_certificates", &options->verify_certificates,
             {.doc = "A certificate that is no good ends a fetch; else it is noted with the page"});
  schema.Add("spider.fetch.allow_weak_tls", &options->allow_weak_tls,
             {.doc = "Also take what browsers no longer take: RSA and DH keys of 1,024 to 2,047 "
                     "bits, and certificates whose names stand only in their subject"});
  schema.Add("spider.fetch.authorities_file", &options->authorities_file,
             {.doc = "The authorities that are trusted, as PEM; empty: those of the system"});
  schema.Add("spider.fetch.tls_sessions", &options->tls_sessions,
             {.max = 10'000'000,
              .unit = "sessions",
              .doc = "How many each thread keeps to resume, 5 to 10 KB each"});
}

}  // namespace

void DeclareFetchOptions(config::Schema& schema, FetchOptions* options) {
  DeclareRequestHead(schema, options);
  DeclareBounds(schema, options);
  DeclareTls(schema, options);
}

}  // namespace orbweaver
