#include "common/store/hbase/http_transport.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <string_view>
#include <utility>

#include "absl/strings/match.h"
#include "fmt/format.h"
#include <thrift/transport/TTransportException.h>
#include <thrift/transport/TVirtualTransport.h>

#include "common/base/printable.h"

namespace orbweaver {
namespace {

namespace transport = apache::thrift::transport;
using Error = transport::TTransportException;

constexpr size_t kReceiveBytes = 64 << 10;
constexpr size_t kMaxLineBytes = 16 << 10;
constexpr int kMaxHeaderLines = 256;
constexpr std::string_view kTlsAlert = "\x15\x03";  // RFC 8446, section 5.1

[[noreturn]] void Refuse(const std::string& text) { throw Error(Error::UNKNOWN, text); }

std::string Shown(std::string_view text) {
  std::string shown;
  AppendPrintable(text.substr(0, 80), Lines::kEscape, &shown);
  return shown;
}

std::string_view Trimmed(std::string_view text) {
  while (text.starts_with(' ') || text.starts_with('\t')) text.remove_prefix(1);
  while (text.ends_with(' ') || text.ends_with('\t')) text.remove_suffix(1);
  return text;
}

uint64_t Number(std::string_view text, int base) {
  uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, number, base);
  if (parsed.ec != std::errc() || parsed.ptr != end) {
    Refuse(fmt::format("the answer's length is no number: '{}'", Shown(text)));
  }
  return number;
}

bool IsSame(std::string_view a, std::string_view b) {
  return absl::EqualsIgnoreCase({a.data(), a.size()}, {b.data(), b.size()});
}

class HttpTransport : public transport::TVirtualTransport<HttpTransport> {
 public:
  HttpTransport(std::shared_ptr<transport::TTransport> raw, std::string host)
      : raw_(std::move(raw)), host_(std::move(host)) {}

  bool isOpen() const override { return true; }

  // At least one byte of the answer's body; 0 at its end.
  uint32_t read(uint8_t* into, uint32_t size);
  // Keeps the bytes for flush.
  void write(const uint8_t* bytes, uint32_t size) {
    request_.append(reinterpret_cast<const char*>(bytes), size);
  }
  // Sends what was written as one request. The rest of the answer before is read first.
  void flush() override;

 private:
  enum class Next : uint8_t { kHead, kBody, kChunkSize, kChunk, kEndOfChunk, kTrailer, kNothing };

  void ReadHead();
  void ReadChunkSize();
  // Up to and without the line's end.
  std::string ReadLine();
  // More bytes into received_, of which none is left.
  void Receive();

  const std::shared_ptr<transport::TTransport> raw_;
  const std::string host_;
  std::string request_;
  std::string received_;  // from place_ on not used yet
  size_t place_ = 0;
  Next next_ = Next::kNothing;
  uint64_t left_ = 0;  // of the body, or of the chunk
};

void HttpTransport::flush() {
  uint8_t rest = 0;
  if (next_ != Next::kNothing && read(&rest, 1) != 0)
    Refuse("the answer is longer than its message");
  request_.insert(0, fmt::format("POST / HTTP/1.1\r\nHost: {}\r\nUser-Agent: orbweaver\r\n"
                                 "Accept: application/x-thrift\r\n"
                                 "Content-Type: application/x-thrift\r\nContent-Length: {}\r\n\r\n",
                                 host_, request_.size()));
  raw_->write(reinterpret_cast<const uint8_t*>(request_.data()),
              static_cast<uint32_t>(request_.size()));
  raw_->flush();
  request_.clear();
  next_ = Next::kHead;
}

uint32_t HttpTransport::read(uint8_t* into, uint32_t size) {
  for (;;) {
    switch (next_) {
      case Next::kHead:
        ReadHead();
        break;
      case Next::kChunkSize:
        ReadChunkSize();
        break;
      case Next::kEndOfChunk:
        if (!ReadLine().empty()) Refuse("a chunk of the answer has no end");
        next_ = Next::kChunkSize;
        break;
      case Next::kTrailer:
        if (ReadLine().empty()) next_ = Next::kNothing;
        break;
      case Next::kNothing:
        return 0;
      case Next::kBody:
      case Next::kChunk: {
        if (left_ == 0) {
          next_ = next_ == Next::kBody ? Next::kNothing : Next::kEndOfChunk;
          break;
        }
        if (place_ == received_.size()) Receive();
        const size_t count =
            std::min({received_.size() - place_, size_t{size}, static_cast<size_t>(left_)});
        std::memcpy(into, received_.data() + place_, count);
        place_ += count;
        left_ -= count;
        return static_cast<uint32_t>(count);
      }
    }
  }
}

void HttpTransport::ReadHead() {
  const std::string status = ReadLine();
  if (!status.starts_with("HTTP/1.")) {
    Refuse(fmt::format("the answer is no HTTP: '{}'", Shown(status)));
  }
  const std::string_view code = std::string_view(status).substr(std::min(status.size(), size_t{9}));
  bool chunked = false, has_length = false;
  for (int line = 0;; ++line) {
    if (line == kMaxHeaderLines) Refuse("the answer's head is too long");
    const std::string header = ReadLine();
    if (header.empty()) break;
    const size_t colon = header.find(':');
    if (colon == std::string::npos) continue;
    const std::string_view name = std::string_view(header).substr(0, colon);
    const std::string_view value = Trimmed(std::string_view(header).substr(colon + 1));
    if (IsSame(name, "transfer-encoding")) {
      if (!IsSame(value, "chunked")) Refuse(fmt::format("the answer is in {}", Shown(value)));
      chunked = true;
    } else if (IsSame(name, "content-length")) {
      left_ = Number(value, 10);
      has_length = true;
    }
  }
  if (code.starts_with('1')) return;  // another head follows
  if (!code.starts_with("200")) {
    Refuse(fmt::format("the server answers HTTP '{}' to a Thrift call", Shown(code)));
  }
  if (!chunked && !has_length) Refuse("the answer says nothing of its length");
  next_ = chunked ? Next::kChunkSize : Next::kBody;
}

void HttpTransport::ReadChunkSize() {
  const std::string line = ReadLine();
  left_ = Number(Trimmed(std::string_view(line).substr(0, line.find(';'))), 16);
  next_ = left_ == 0 ? Next::kTrailer : Next::kChunk;
}

std::string HttpTransport::ReadLine() {
  std::string line;
  for (;;) {
    if (line.starts_with(kTlsAlert)) Refuse("the server speaks TLS. Set hbase.tls.enabled");
    if (place_ == received_.size()) Receive();
    const size_t end = received_.find('\n', place_);
    const size_t upto = end == std::string::npos ? received_.size() : end;
    line.append(received_, place_, upto - place_);
    place_ = upto;
    if (line.size() > kMaxLineBytes) Refuse("a line of the answer's head is too long");
    if (end == std::string::npos) continue;
    ++place_;
    if (line.ends_with('\r')) line.pop_back();
    return line;
  }
}

void HttpTransport::Receive() {
  received_.resize(kReceiveBytes);
  place_ = 0;
  uint32_t count = 0;
  try {
    count = raw_->read(reinterpret_cast<uint8_t*>(received_.data()), kReceiveBytes);
  } catch (...) {
    received_.clear();
    throw;
  }
  received_.resize(count);
  if (count == 0) throw Error(Error::END_OF_FILE, "the server closed the connection");
}

}  // namespace

std::shared_ptr<transport::TTransport> NewHttpTransport(std::shared_ptr<transport::TTransport> raw,
                                                        std::string host) {
  return std::make_shared<HttpTransport>(std::move(raw), std::move(host));
}

}  // namespace orbweaver
