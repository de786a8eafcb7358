// How the HBase store reaches its servers and how large its calls are.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

#include "common/base/backoff.h"
#include "common/base/clock.h"

namespace orbweaver {

namespace config {
class Schema;
}

struct HostPort {
  std::string host;
  uint16_t port = 9090;

  std::string ToString() const;
};

// "name", "name:9091", "10.0.0.1:9090", "[::1]:9090"; without a port: 9090. Fatal when malformed.
absl::StatusOr<HostPort> ParseHostPort(std::string_view text);

struct HBaseTlsOptions {
  bool enabled = false;
  // The server's certificate must be signed by an authority of `ca_file` (empty: the system's) and
  // be for the host connected to.
  bool verify = true;
  std::string ca_file;
  // For servers that ask for the client's certificate; both or neither. PEM files.
  std::string certificate_file;
  std::string key_file;
};

// How tables are laid out when they are made. One family, one version, a row bloom filter,
// ROW_INDEX_V1 blocks and no TTL are not for choice: README.md says why.
struct HBaseTableOptions {
  // Of each table at its creation, even over the slots; from 1 to kSlots. `partitions`, a few rows,
  // has one.
  int regions = 16;
  std::string compression = "GZ";  // one of HBaseCompressions()
  int block_bytes = 16384;
};

// The compressions of HBase's blocks, "NONE" among them.
const std::vector<std::string>& HBaseCompressions();

struct HBaseOptions {
  // Thrift2 servers, as ParseHostPort reads them; calls go to those that work.
  std::vector<std::string> hosts = {"127.0.0.1:9090"};
  // Before each table's name; "ns:" puts them into HBase's namespace `ns`.
  std::string table_prefix;

  // As the Thrift servers are configured (hbase.regionserver.thrift.framed and .compact).
  bool framed = false;
  bool compact = false;
  // hbase.regionserver.thrift.http: a call is a POST. Neither framed nor compact then.
  bool http = false;
  HBaseTlsOptions tls;

  int connections_per_host = 8;
  // A call's rows are split into at most this many Thrift calls at once; this many threads less one
  // belong to the store.
  int parallel_calls = 4;
  int rows_per_call = 1000;
  // Of a write; a single larger row goes alone. Of what a get expects to be answered, too.
  size_t bytes_per_call = size_t{4} << 20;
  // An answer larger than this is asked for again in halves. Also what a portion of a scan aims far
  // below, and the bound on what a damaged answer can make the client allocate.
  size_t max_answer_bytes = size_t{128} << 20;
  size_t scan_portion_bytes = size_t{2} << 20;

  Duration connect_timeout = std::chrono::seconds(5);
  // A Thrift call that takes longer is given up and sent again elsewhere, if the caller still has
  // time. HBase's own retries, while a region moves, happen inside it.
  Duration call_timeout = std::chrono::seconds(60);
  // Between tries of a host that failed, and of a call that the server could not do yet.
  BackoffOptions backoff{.first = std::chrono::milliseconds(25), .most = std::chrono::seconds(1)};

  HBaseTableOptions tables;
};

// hbase.*; `options` must outlive the schema.
void DeclareHBaseOptions(config::Schema& schema, HBaseOptions* options);

}  // namespace orbweaver
