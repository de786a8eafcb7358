// Thrift over HTTP, the way in which HBase's own Thrift servers speak TLS.
#pragma once

#include <memory>
#include <string>

namespace apache::thrift::transport {
class TTransport;
}

namespace orbweaver {

// A call is a POST, its answer the response's body (HTTP/1.1, RFC 9112), on one connection that
// stays open. Throws TTransportException for any other answer. Thrift's own client for it loses its
// place when an answer comes in several chunks, as Jetty's do.
//
// Place: in a Connection, between the buffer and the bytes. `host` is HOST:PORT; `raw` has a
// deadline and a bound of its own. Not thread-safe.
std::shared_ptr<apache::thrift::transport::TTransport> NewHttpTransport(
    std::shared_ptr<apache::thrift::transport::TTransport> raw, std::string host);

}  // namespace orbweaver
