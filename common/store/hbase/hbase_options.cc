#include "common/store/hbase/hbase_options.h"

#include <charconv>
#include <utility>

#include "fmt/format.h"

#include "common/base/ids.h"
#include "common/base/status.h"
#include "common/config/schema.h"

namespace orbweaver {
namespace {

constexpr int kMiB = 1 << 20;

}  // namespace

absl::StatusOr<HostPort> ParseHostPort(std::string_view text) {
  HostPort host;
  std::string_view port;
  // An IPv6 address stands in brackets, as in URLs, since it is full of colons itself.
  const size_t host_end = text.starts_with('[') ? text.find(']') : text.find(':');
  if (text.starts_with('[')) {
    if (host_end == std::string_view::npos) {
      return FatalError("Thrift host '{}': ']' is missing", text);
    }
    host.host = text.substr(1, host_end - 1);
    port = text.substr(host_end + 1);
  } else {
    host.host = text.substr(0, host_end);
    if (host_end != std::string_view::npos) port = text.substr(host_end);
  }
  if (host.host.empty()) return FatalError("Thrift host '{}': no host. Write HOST:PORT.", text);
  if (port.empty()) return host;
  const char* const end = port.data() + port.size();
  const auto parsed = std::from_chars(port.data() + 1, end, host.port);
  if (port[0] != ':' || parsed.ec != std::errc() || parsed.ptr != end || host.port == 0) {
    return FatalError("Thrift host '{}': the port is not a number from 1 to 65535", text);
  }
  return host;
}

std::string HostPort::ToString() const {
  const bool ipv6 = host.find(':') != std::string::npos;
  return ipv6 ? fmt::format("[{}]:{}", host, port) : fmt::format("{}:{}", host, port);
}

const std::vector<std::string>& HBaseCompressions() {
  static const auto* const kNames =
      new std::vector<std::string>{"NONE", "GZ", "SNAPPY", "LZ4", "ZSTD", "BZIP2", "LZO"};
  return *kNames;
}

void DeclareHBaseOptions(config::Schema& schema, HBaseOptions* options) {
  using std::chrono::milliseconds;
  schema.Add("hbase.hosts", &options->hosts,
             {.doc = "Thrift2 servers of HBase, HOST:PORT each; work goes to those that answer"});
  schema.Add("hbase.table_prefix", &options->table_prefix,
             {.doc = "Before the name of each table; with `ns:` they lie in HBase's namespace ns, "
                     "which must exist"});
  schema.Add("hbase.framed", &options->framed,
             {.doc = "As hbase.regionserver.thrift.framed in the Thrift servers"});
  schema.Add("hbase.compact", &options->compact,
             {.doc = "As hbase.regionserver.thrift.compact in the Thrift servers"});
  schema.Add("hbase.http", &options->http,
             {.doc = "As hbase.regionserver.thrift.http in the Thrift servers"});

  HBaseTlsOptions& tls = options->tls;
  schema.Add("hbase.tls.enabled", &tls.enabled,
             {.doc = "Speak TLS with the Thrift servers. HBase's own (hbase.thrift.ssl.enabled) "
                     "do so over HTTP alone: set hbase.http too. Without it a proxy before them "
                     "speaks it"});
  schema.Add(
      "hbase.tls.verify", &tls.verify,
      {.doc = "Refuse servers whose certificate is not signed by a known authority or is for "
              "another host"});
  schema.Add("hbase.tls.ca_file", &tls.ca_file,
             {.doc = "PEM file of the authorities; empty: the system's"});
  schema.Add("hbase.tls.certificate_file", &tls.certificate_file,
             {.doc = "PEM file of the client's certificate, for servers that ask for one"});
  schema.Add("hbase.tls.key_file", &tls.key_file, {.doc = "PEM file of its key"});

  schema.Add("hbase.connections_per_host", &options->connections_per_host,
             {.min = 1,
              .max = 1000,
              .unit = "connections",
              .doc = "How many Thrift calls of a process a server has at once"});
  schema.Add("hbase.parallel_calls", &options->parallel_calls,
             {.min = 1,
              .max = 256,
              .unit = "calls",
              .doc = "Into how many Thrift calls at once a large read or write is split"});
  schema.Add("hbase.rows_per_call", &options->rows_per_call,
             {.min = 1, .max = 10000, .unit = "rows", .doc = "How many rows a Thrift call has"});
  schema.AddBytes(
      "hbase.bytes_per_call", &options->bytes_per_call,
      {.min = 1,
       .max = 1024 * kMiB,
       .doc = "How large a Thrift call that writes is, unless a single row is larger, and what "
              "one that reads expects of its answer, by those before; framed servers "
              "take 2 MiB by default"});
  schema.AddBytes("hbase.max_answer", &options->max_answer_bytes,
                  {.min = 32 * kMiB,
                   .max = 1024 * kMiB,
                   .doc = "A larger answer is refused, and asked for again in halves"});
  schema.Add("hbase.connect_timeout", &options->connect_timeout,
             {.min = milliseconds(1), .doc = "How long connecting may take"});
  schema.Add("hbase.call_timeout", &options->call_timeout,
             {.min = milliseconds(1),
              .doc = "After this a Thrift call is given up and sent again, to another server if "
                     "there is one"});

  HBaseTableOptions& tables = options->tables;
  schema.Add("hbase.regions", &tables.regions,
             {.min = 1,
              .max = kSlots,
              .unit = "regions",
              .doc = "Of each table when `orbweaver init` makes it"});
  config::Choices<std::string> compressions;
  for (const std::string& name : HBaseCompressions()) compressions.emplace_back(name, name);
  schema.AddChoice("hbase.compression", &tables.compression, std::move(compressions),
                   {.doc = "Of the tables' blocks, when `orbweaver init` makes them"});
  schema.AddBytes("hbase.block_size", &tables.block_bytes,
                  {.min = 1024,
                   .max = 16 * kMiB,
                   .doc = "Of the tables' files, when `orbweaver init` makes them; a read of one "
                          "row unpacks a block"});
}

}  // namespace orbweaver
