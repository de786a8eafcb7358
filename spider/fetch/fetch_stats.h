#pragma once

#include <cstddef>
#include <cstdint>

namespace orbweaver {

// A fetcher's counts since it was made.
struct FetchStats {
  uint64_t connections = 0;  // made
  uint64_t kept_alive = 0;   // fetches over one that was there
  uint64_t tls_handshakes = 0;
  uint64_t tls_resumed = 0;       // of those
  uint64_t dns_queries = 0;       // names asked for
  uint64_t dns_hits = 0;          // names known
  uint64_t dns_failures = 0;      // answers without an address that may be asked
  uint64_t received_bytes = 0;    // of answers, their heads included, TLS undone
  size_t open_connections = 0;    // now, or some milliseconds ago
  size_t idle_connections = 0;    // now
  size_t running = 0;             // fetches, now
  size_t waiting_handshakes = 0;  // now: fetches whose turn for one has not come
};

}  // namespace orbweaver
