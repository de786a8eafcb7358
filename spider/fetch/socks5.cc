#include "spider/fetch/socks5.h"

#include <utility>

#include "fmt/format.h"

#include "spider/fetch/ip_address.h"

namespace orbweaver {
namespace {

constexpr char kVersion = 5;
constexpr char kNoLogin = 0;
constexpr char kUserAndPassword = 2;
constexpr char kLoginVersion = 1;
constexpr char kConnect = 1;
// Kinds of addresses.
constexpr char kV4 = 1;
constexpr char kName = 3;
constexpr char kV6 = 4;
// A name's length stands in a byte; those of URLs are shorter.
constexpr size_t kMaxNameBytes = 255;
constexpr size_t kPortBytes = 2;

void AppendSized(std::string_view text, std::string* out) {
  out->push_back(static_cast<char>(text.size()));
  out->append(text);
}

constexpr uint8_t kGeneralFailure = 1;

struct Meaning {
  FailureCause cause;
  std::string_view text;
};

// RFC 1928, section 6. Where the proxy has tried the host and failed, the failure is the host's.
Meaning MeaningOf(uint8_t reply) {
  switch (reply) {
    case kGeneralFailure:
      return {FailureCause::kProxy, "it failed"};
    case 2:
      return {FailureCause::kProxy, "its rules do not allow it"};
    case 3:
      return {FailureCause::kUnreachable, "the network is unreachable"};
    case 4:
      return {FailureCause::kUnreachable, "the host is unreachable, or its name is unknown"};
    case 5:
      return {FailureCause::kRefused, "the connection was refused"};
    case 6:
      return {FailureCause::kTimeoutConnect, "it took too long"};
    case 7:
      return {FailureCause::kProxy, "it does not make connections"};
    case 8:
      return {FailureCause::kProxy, "it does not know this kind of address"};
    default:
      return {FailureCause::kProxy, "for a reason of its own"};
  }
}

}  // namespace

Socks5Handshake::Socks5Handshake(const Proxy& proxy, std::string_view host, uint16_t port)
    : proxy_(proxy), host_(host), port_(port) {
  output_ = proxy_.user ? std::string{kVersion, 2, kNoLogin, kUserAndPassword}
                        : std::string{kVersion, 1, kNoLogin};
  wanted_ = 2;
}

std::string Socks5Handshake::Request() const {
  std::string request{kVersion, kConnect, 0};
  if (const auto address = IpAddress::Parse(host_)) {
    request.push_back(address->is_v4() ? kV4 : kV6);
    for (const uint8_t byte : address->bytes()) request.push_back(static_cast<char>(byte));
  } else {
    request.push_back(kName);
    AppendSized(host_, &request);
  }
  request.push_back(static_cast<char>(port_ >> 8));
  request.push_back(static_cast<char>(port_ & 0xff));
  return request;
}

Socks5Handshake::Next Socks5Handshake::Take(std::string_view bytes) {
  if (bytes.size() != wanted_) return Fail(FailureCause::kProxy, "the proxy's answer ends early");
  // The request's reply: version, reply, reserved, kind of address; then an address that says
  // nothing to us.
  constexpr size_t kReplyBytes = 4;
  switch (stage_) {
    case Stage::kMethod:
      return OnMethod(bytes);
    case Stage::kLogin:
      if (bytes[1] != 0) {
        return Fail(FailureCause::kProxy, "the proxy does not accept the user and password");
      }
      return Ask(Stage::kReply, Request(), kReplyBytes);
    case Stage::kReply:
      return OnReply(bytes);
    case Stage::kBoundName:
      return Ask(Stage::kBound, {}, static_cast<uint8_t>(bytes[0]) + kPortBytes);
    case Stage::kBound:
      return Next::kDone;
  }
  return Next::kFailed;
}

Socks5Handshake::Next Socks5Handshake::OnMethod(std::string_view bytes) {
  if (bytes[0] != kVersion) return Fail(FailureCause::kProxy, "the proxy does not speak SOCKS5");
  if (host_.size() > kMaxNameBytes) {
    return Fail(FailureCause::kBadUrl, "the host's name is too long for a SOCKS proxy");
  }
  if (bytes[1] == kNoLogin) return Ask(Stage::kReply, Request(), 4);
  if (bytes[1] == kUserAndPassword && proxy_.user) {
    std::string login{kLoginVersion};
    AppendSized(*proxy_.user, &login);
    AppendSized(proxy_.password, &login);
    return Ask(Stage::kLogin, std::move(login), 2);
  }
  return Fail(FailureCause::kProxy,
              proxy_.user
                  ? "the proxy takes no user and password"
                  : "the proxy wants a user and password: socks5://USER:PASSWORD@HOST:PORT");
}

Socks5Handshake::Next Socks5Handshake::OnReply(std::string_view bytes) {
  if (bytes[0] != kVersion) return Fail(FailureCause::kProxy, "the proxy does not speak SOCKS5");
  if (const auto reply = static_cast<uint8_t>(bytes[1]); reply != 0) {
    const Meaning meaning = MeaningOf(reply);
    is_suspect_ = reply == kGeneralFailure;
    return Fail(meaning.cause,
                fmt::format("the proxy did not connect ({}): {}", reply, meaning.text));
  }
  switch (bytes[3]) {
    case kV4:
      return Ask(Stage::kBound, {}, 4 + kPortBytes);
    case kV6:
      return Ask(Stage::kBound, {}, 16 + kPortBytes);
    case kName:
      return Ask(Stage::kBoundName, {}, 1);
    default:
      return Fail(FailureCause::kProxy, "the proxy's answer was not understood");
  }
}

Socks5Handshake::Next Socks5Handshake::Ask(Stage stage, std::string output, size_t wanted) {
  stage_ = stage;
  output_ = std::move(output);
  wanted_ = wanted;
  return output_.empty() ? Next::kRead : Next::kSend;
}

Socks5Handshake::Next Socks5Handshake::Fail(FailureCause cause, std::string message) {
  cause_ = cause;
  message_ = std::move(message);
  // Before the reply it has not heard of a host.
  is_suspect_ |= cause == FailureCause::kProxy && stage_ < Stage::kReply;
  return Next::kFailed;
}

}  // namespace orbweaver
