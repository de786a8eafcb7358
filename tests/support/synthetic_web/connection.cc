#include "tests/support/synthetic_web/connection.h"

#include <algorithm>

#include "fmt/format.h"

#include "common/base/check.h"
#include "tests/support/synthetic_web/http_head.h"

namespace orbweaver::synthetic {
namespace {

constexpr int kDripPieces = 10;
constexpr uint32_t kHttpsPort = 443;

SteadyTime Now() { return SystemClock().Now(); }

void Count(std::atomic<uint64_t>& counter, uint64_t by = 1) {
  // Only one thread writes: no locked instruction is needed.
  counter.store(counter.load(std::memory_order_relaxed) + by, std::memory_order_relaxed);
}

}  // namespace

Connection::Connection(ConnectionService& service, int socket_fd, uint64_t id, bool tls)
    : service_(service),
      id_(id),
      transport_(socket_fd),
      state_(tls ? State::kHandshake : State::kReading),
      last_progress_(Now()) {
  if (tls) transport_.StartTls(service_.certificates, "");
  Count(service_.counters.connections);
}

Connection::~Connection() {
  if (visit_ == 0) return;
  Count(service_.counters.aborted_answers);
  EndVisit(0, std::max(arrived_at_, service_.seen_up_to));
}

Connection::Wants Connection::OnReady() { return Run(); }

Connection::Wants Connection::OnTimer() {
  if (state_ == State::kWaiting) {
    state_ = State::kSending;
  } else if (state_ == State::kDripping) {
    allowed_ = std::min(pending_.size(), allowed_ + piece_bytes_);
    timer_at_ = Now() + piece_pause_;
  }
  return Run();
}

Connection::Wants Connection::OnHangup() {
  // It may have sent its last request before.
  if (state_ == State::kReading || state_ == State::kHandshake) return Run();
  return {.close = true};
}

Connection::Wants Connection::Run() {
  Wants wants;
  for (;;) {
    if (closing_) return {.close = true};
    switch (state_) {
      case State::kHandshake: {
        const Transport::Result result = transport_.Handshake();
        if (result == Transport::Result::kClosed) {
          Count(service_.counters.tls_failures);
          return {.close = true};
        }
        if (result != Transport::Result::kDone) {
          return {.read = result == Transport::Result::kWantRead,
                  .write = result == Transport::Result::kWantWrite};
        }
        Count(service_.counters.tls_handshakes);
        last_progress_ = Now();
        state_ = State::kReading;
        break;
      }
      case State::kReading:
        if (!ReadRequest(&wants)) return wants;
        if (ReadyToWait()) return WantsNow();
        break;
      case State::kSending:
      case State::kDripping: {
        SendPending();
        const bool unsent = state_ == State::kSending || state_ == State::kDripping;
        if (!closing_ && (unsent || ReadyToWait())) return WantsNow();
        break;
      }
      case State::kWaiting:
      case State::kHanging:
        return WantsNow();
    }
  }
}

// For the next request: without TLS the socket says itself when more has come, and a look at it
// would cost a system call.
bool Connection::ReadyToWait() const {
  return state_ == State::kReading && input_.empty() && !transport_.tls() && !closing_;
}

Connection::Wants Connection::WantsNow() const {
  switch (state_) {
    case State::kReading:
    case State::kHandshake:
      return {.read = true};
    case State::kSending:
      return {.write = true};
    case State::kDripping:
      // The allowed bytes are sent, or the socket is full and the timer will try again.
      return {.timer = timer_at_};
    case State::kWaiting:
      return {.timer = timer_at_};
    case State::kHanging:
      return {};
  }
  return {};
}

// False when there is nothing more to do now; *wants then says what for.
bool Connection::ReadRequest(Wants* wants) {
  if (!input_.empty()) {
    const std::string bytes = std::move(input_);
    input_.clear();
    if (Consume(bytes, wants)) return true;
    if (wants->close) return false;
  }
  size_t size = 0;
  switch (transport_.Read(service_.buffer.data(), service_.buffer.size(), &size)) {
    case Transport::Result::kWantRead:
      *wants = {.read = true};
      return false;
    case Transport::Result::kWantWrite:
      *wants = {.write = true};
      return false;
    case Transport::Result::kClosed:
      *wants = {.close = true};
      return false;
    case Transport::Result::kDone:
      break;
  }
  const std::string_view read(service_.buffer.data(), size);
  if (input_.empty()) {
    if (Consume(read, wants)) return true;
  } else {
    input_.append(read);
    const std::string bytes = std::move(input_);
    input_.clear();
    if (Consume(bytes, wants)) return true;
  }
  if (wants->close) return false;
  // With TLS more may have been decrypted than was read.
  if (transport_.tls()) return true;
  *wants = {.read = true};
  return false;
}

// True when a request was taken and the state has moved on; else `bytes` wait for the rest.
bool Connection::Consume(std::string_view bytes, Wants* wants) {
  size_t size = 0;
  switch (ParseHttpRequest(bytes, &service_.request, &size)) {
    case ParseResult::kIncomplete:
      if (bytes.size() > service_.max_header_bytes) {
        Refuse(431);
        return true;
      }
      input_.assign(bytes);
      *wants = {.read = true};
      return false;
    case ParseResult::kMalformed:
      Refuse(400);
      return true;
    case ParseResult::kUnsupported:
      Refuse(501);
      return true;
    case ParseResult::kRequest:
      break;
  }
  input_.assign(bytes.substr(size));
  Handle();
  return true;
}

void Connection::Handle() {
  const HttpRequest& request = service_.request;
  if (request.connect) return OpenTunnel();
  const SteadyTime now = Now();
  last_progress_ = now;
  afterwards_ = request.keep_alive ? Afterwards::kReadOn : Afterwards::kClose;
  const Web& web = service_.web;
  const std::optional<uint32_t> host = web.hosts().Find(request.host);
  if (!host && !request.proxied && request.target.starts_with("/-/")) {
    std::string body;
    const int status = service_.admin(request.target, &body);
    service_.head.clear();
    AppendPlainHead(status, "application/json", body.size(), request.keep_alive, &service_.head);
    return Send(service_.head, body);
  }
  Ask ask{.if_none_match = request.if_none_match, .if_modified_since = request.if_modified_since};
  if (host) {
    const bool https = transport_.tls() || request.https;
    ask.place = https == web.hosts().TraitsOf(*host).https
                    ? web.paths().FindTarget(*host, request.target)
                    : Place{.host = *host, .number = 0, .kind = Place::Kind::kUnknown};
  }
  Count(service_.counters.requests);
  const VisitRecorder::Begun begun =
      service_.recorder.Arrived(ask.place, request.host, request.target, id_, now);
  visit_ = begun.id;
  arrived_at_ = now;
  ask.attempt = begun.attempt;
  ask.version = begun.version;
  web.Get(ask, &service_.answer);
  Deliver(service_.answer, now);
}

void Connection::OpenTunnel() {
  const HttpRequest& request = service_.request;
  const Web& web = service_.web;
  const std::optional<uint32_t> host = web.hosts().Find(request.host);
  service_.head.clear();
  // Nothing may come before the tunnel is open, and there is no tunnel in a tunnel.
  if (transport_.tls() || !input_.empty()) return Refuse(400);
  if (!host || web.hosts().TraitsOf(*host).fault == Fault::kNoSuchHost) {
    afterwards_ = request.keep_alive ? Afterwards::kReadOn : Afterwards::kClose;
    AppendPlainHead(502, "text/plain", 0, request.keep_alive, &service_.head);
    return Send(service_.head, "");
  }
  tunnel_host_ = request.host;
  tunnel_tls_ = request.port == kHttpsPort ||
                (web.options().https_port != 0 && request.port == web.options().https_port);
  afterwards_ = Afterwards::kTunnel;
  Send("HTTP/1.1 200 Connection established\r\n\r\n", "");
}

void Connection::Deliver(const Answer& answer, SteadyTime now) {
  const HttpRequest& request = service_.request;
  status_ = answer.status;
  retry_after_ = answer.retry_after;
  if (answer.delivery == Delivery::kHang) {
    state_ = State::kHanging;
    return;
  }
  if (answer.delivery == Delivery::kReset) {
    EndVisit(status_, now);
    transport_.ResetOnClose();
    closing_ = true;
    return;
  }
  if (answer.delivery == Delivery::kCutShort) afterwards_ = Afterwards::kClose;
  if (answer.delivery == Delivery::kResetInBody) afterwards_ = Afterwards::kReset;
  service_.head.clear();
  AppendHead(answer, request.keep_alive, &service_.head);
  std::string_view body = answer.body;
  if (request.head || answer.status == 304) body = {};
  if (answer.delivery == Delivery::kResetInBody) body = body.substr(0, body.size() / 2);

  const bool drips =
      answer.delivery == Delivery::kDrip || answer.delivery == Delivery::kEndlessDrip;
  if (answer.first_byte_after <= Duration{} && !drips) return Send(service_.head, body);
  pending_.assign(service_.head).append(body);
  sent_ = 0;
  allowed_ = pending_.size();
  if (!drips) {
    state_ = State::kWaiting;
    timer_at_ = now + answer.first_byte_after;
    return;
  }
  state_ = State::kDripping;
  if (answer.delivery == Delivery::kDrip) {
    piece_bytes_ = allowed_ = pending_.size() / kDripPieces + 1;
    piece_pause_ = service_.web.options().drip / kDripPieces;
  } else {
    piece_bytes_ = 1;
    allowed_ = std::min(pending_.size(), service_.head.size() + 1);
    piece_pause_ = service_.web.options().endless_drip_pause;
  }
  timer_at_ = now + piece_pause_;
}

void Connection::Refuse(int status) {
  Count(service_.counters.refused_requests);
  afterwards_ = Afterwards::kClose;
  service_.head.clear();
  AppendPlainHead(status, "text/plain", 0, false, &service_.head);
  Send(service_.head, "");
}

void Connection::Send(std::string_view head, std::string_view body) {
  // Before the client can have the last byte: intervals that are measured from here are never
  // shorter than those that it kept.
  last_write_at_ = Now();
  size_t size = 0;
  const Transport::Result result = transport_.Write(head, body, &size);
  Count(service_.counters.sent_bytes, size);
  if (result == Transport::Result::kClosed) {
    closing_ = true;
    return;
  }
  if (result == Transport::Result::kDone) return Finish();
  pending_.assign(head.substr(std::min(size, head.size())));
  pending_.append(body.substr(size > head.size() ? size - head.size() : 0));
  sent_ = 0;
  allowed_ = pending_.size();
  state_ = State::kSending;
}

void Connection::SendPending() {
  const std::string_view rest = std::string_view(pending_).substr(sent_, allowed_ - sent_);
  if (!rest.empty()) {
    last_write_at_ = Now();
    size_t size = 0;
    const Transport::Result result = transport_.Write(rest, {}, &size);
    Count(service_.counters.sent_bytes, size);
    if (result == Transport::Result::kClosed) {
      closing_ = true;
      return;
    }
    if (size > 0) last_progress_ = last_write_at_;
    sent_ += size;
  }
  if (sent_ == pending_.size()) Finish();
}

// The answer is on its way.
void Connection::Finish() {
  if (visit_ != 0) EndVisit(status_, last_write_at_);
  pending_ = std::string();  // gives the memory back: most connections never need it
  sent_ = allowed_ = 0;
  state_ = State::kReading;
  switch (afterwards_) {
    case Afterwards::kReadOn:
      return;
    case Afterwards::kReset:
      transport_.ResetOnClose();
      [[fallthrough]];
    case Afterwards::kClose:
      closing_ = true;
      return;
    case Afterwards::kTunnel:
      afterwards_ = Afterwards::kReadOn;
      if (!tunnel_tls_) return;
      transport_.StartTls(service_.certificates, tunnel_host_);
      state_ = State::kHandshake;
      return;
  }
}

void Connection::EndVisit(int status, SteadyTime at) {
  service_.recorder.Ended(visit_, status, retry_after_, at);
  visit_ = 0;
  retry_after_.reset();
}

std::optional<SteadyTime> Connection::IdleSince() const {
  if (state_ == State::kWaiting || state_ == State::kDripping || state_ == State::kHanging) {
    return std::nullopt;
  }
  return last_progress_;
}

}  // namespace orbweaver::synthetic
