// A SOCKS5 proxy's handshake (RFC 1928), with or without user and password (RFC 1929), as bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "common/model/spider_log.h"
#include "spider/fetch/proxy.h"

namespace orbweaver {

// Place: in Exchange, on a new connection to the proxy, before TLS or the request. No I/O. Reads
// not a byte beyond its own answers: what follows them is the server's.
//
//   Send(socks.output()); read exactly socks.wanted() bytes; socks.Take(them); … until kDone
class Socks5Handshake {
 public:
  enum class Next : uint8_t {
    kRead,    // wanted() more bytes
    kSend,    // output(), then wanted() bytes
    kDone,    // the connection leads to the host
    kFailed,  // cause() and message() say why
  };

  // `host` as it stands in a URL. It is told to the proxy as a name, or as the address that it is.
  Socks5Handshake(const Proxy& proxy, std::string_view host, uint16_t port);

  // Valid until Take.
  std::string_view output() const { return output_; }
  size_t wanted() const { return wanted_; }
  // `bytes` are wanted() of them, any bytes.
  Next Take(std::string_view bytes);

  // kRefused, kUnreachable and kTimeoutConnect are the host's; kProxy is the proxy's own.
  FailureCause cause() const { return cause_; }
  const std::string& message() const { return message_; }
  // The proxy may be what failed, for every host: it does not want us, or has no way out itself.
  bool is_suspect() const { return is_suspect_; }

 private:
  enum class Stage : uint8_t { kMethod, kLogin, kReply, kBoundName, kBound };

  Next Ask(Stage stage, std::string output, size_t wanted);
  Next OnMethod(std::string_view bytes);
  Next OnReply(std::string_view bytes);
  Next Fail(FailureCause cause, std::string message);
  std::string Request() const;

  const Proxy& proxy_;
  const std::string host_;
  const uint16_t port_;
  Stage stage_ = Stage::kMethod;
  std::string output_;
  size_t wanted_ = 0;
  FailureCause cause_ = FailureCause::kProxy;
  std::string message_;
  bool is_suspect_ = false;
};

}  // namespace orbweaver
