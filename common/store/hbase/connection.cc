#include "common/store/hbase/connection.h"

#include <utility>

#include <thrift/protocol/TBinaryProtocol.h>
#include <thrift/protocol/TCompactProtocol.h>
#include <thrift/transport/TBufferTransports.h>
#include <thrift/transport/TVirtualTransport.h>

#include "common/base/status.h"
#include "common/store/hbase/call_failure.h"
#include "common/store/hbase/http_transport.h"
#include "common/store/hbase/socket.h"
#include "hbase_thrift/THBaseService.h"

namespace orbweaver {
namespace {

namespace protocol = apache::thrift::protocol;
namespace transport = apache::thrift::transport;

constexpr uint32_t kBufferBytes = 64 << 10;
// The longest list that is accepted before its elements are read: a damaged answer may claim any
// length.
constexpr int32_t kMaxListEntries = 1 << 20;

[[noreturn]] void Throw(const absl::Status& status) {
  using Error = transport::TTransportException;
  throw Error(
      status.code() == absl::StatusCode::kDeadlineExceeded ? Error::TIMED_OUT : Error::UNKNOWN,
      std::string(MessageOf(status)));
}

// A Socket as Thrift sees it: bytes in and out, until a deadline and up to a number.
class SocketTransport : public transport::TVirtualTransport<SocketTransport> {
 public:
  explicit SocketTransport(std::unique_ptr<Socket> socket) : socket_(std::move(socket)) {}

  void Begin(SteadyTime deadline, size_t max_answer_bytes) {
    deadline_ = deadline;
    bytes_left_ = max_answer_bytes;
  }

  bool isOpen() const override { return true; }

  uint32_t read(uint8_t* into, uint32_t size) {
    if (bytes_left_ == 0) throw AnswerTooLarge();
    auto count = socket_->Read({reinterpret_cast<char*>(into), std::min<size_t>(size, bytes_left_)},
                               deadline_);
    if (!count.ok()) Throw(count.status());
    bytes_left_ -= *count;
    return static_cast<uint32_t>(*count);
  }

  void write(const uint8_t* bytes, uint32_t size) {
    const auto status = socket_->Write({reinterpret_cast<const char*>(bytes), size}, deadline_);
    if (!status.ok()) Throw(status);
  }

 private:
  const std::unique_ptr<Socket> socket_;
  SteadyTime deadline_;
  size_t bytes_left_ = 0;
};

// Thrift counts what it has read of a message, but nowhere tells these two that a new one begins: a
// long-lived connection would end with "MaxMessageSize reached".
template <typename Transport>
class Counted : public Transport {
 public:
  using Transport::Transport;
  void BeginMessage() { this->resetConsumedMessageSize(); }
};
using Buffered = Counted<transport::TBufferedTransport>;

class Framed : public Counted<transport::TFramedTransport> {
 public:
  Framed(std::shared_ptr<transport::TTransport> raw,
         std::shared_ptr<apache::thrift::TConfiguration> limits)
      : Counted(std::move(raw), std::move(limits)) {
    // Before the first frame its read pointer is null, and it adds to that: undefined behaviour.
    setReadBuffer(&nothing_, 0);
  }

 private:
  uint8_t nothing_ = 0;
};

std::shared_ptr<protocol::TProtocol> MakeProtocol(
    const HBaseOptions& options, const std::shared_ptr<transport::TBufferBase>& transport) {
  const int32_t max_bytes = static_cast<int32_t>(options.max_answer_bytes);
  if (options.compact) {
    return std::make_shared<protocol::TCompactProtocol>(transport, max_bytes, kMaxListEntries);
  }
  constexpr bool kStrict = true;  // as HBase writes: a message begins with its version
  // Reads and writes the buffer itself; the protocol of any transport asks it for each number.
  return std::make_shared<protocol::TBinaryProtocolT<transport::TBufferBase>>(
      transport, max_bytes, kMaxListEntries, kStrict, kStrict);
}

}  // namespace

struct Connection::Impl {
  Impl(const HBaseOptions& options, const HostPort& peer, std::unique_ptr<Socket> connected)
      : max_answer_bytes(options.max_answer_bytes),
        socket(std::make_shared<SocketTransport>(std::move(connected))) {
    const auto limits = std::make_shared<apache::thrift::TConfiguration>(
        static_cast<int>(max_answer_bytes), static_cast<int>(max_answer_bytes));
    if (options.framed) {
      framed = std::make_shared<Framed>(socket, limits);
      client = std::make_unique<hbase_thrift::THBaseServiceClient>(MakeProtocol(options, framed));
    } else {
      std::shared_ptr<transport::TTransport> bytes = socket;
      if (options.http) bytes = NewHttpTransport(socket, peer.ToString());
      buffered = std::make_shared<Buffered>(std::move(bytes), kBufferBytes, limits);
      client = std::make_unique<hbase_thrift::THBaseServiceClient>(MakeProtocol(options, buffered));
    }
  }

  const size_t max_answer_bytes;
  const std::shared_ptr<SocketTransport> socket;
  std::shared_ptr<Framed> framed;  // one of these two
  std::shared_ptr<Buffered> buffered;
  std::unique_ptr<hbase_thrift::THBaseServiceClient> client;
};

absl::StatusOr<std::unique_ptr<Connection>> Connection::Open(const HBaseOptions& options,
                                                             const HostPort& peer,
                                                             const TlsContext* tls,
                                                             SteadyTime deadline) {
  ASSIGN_OR_RETURN(auto socket, Socket::Connect(peer, tls, deadline));
  return std::unique_ptr<Connection>(
      new Connection(std::make_unique<Impl>(options, peer, std::move(socket))));
}

Connection::Connection(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Connection::~Connection() = default;

hbase_thrift::THBaseServiceClient& Connection::Begin(SteadyTime deadline) {
  impl_->socket->Begin(deadline, impl_->max_answer_bytes);
  if (impl_->framed) impl_->framed->BeginMessage();
  if (impl_->buffered) impl_->buffered->BeginMessage();
  return *impl_->client;
}

}  // namespace orbweaver
