#include "spider/fetch/response_reader.h"

#include <algorithm>
#include <optional>

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>

#include "common/base/check.h"

namespace orbweaver {
namespace {

namespace beast = boost::beast;
namespace http = boost::beast::http;
using boost::system::error_code;

// Lines of chunks: sizes, extensions, trailers.
constexpr size_t kMaxChunkLineBytes = 16 << 10;
// What ends a chunked body, at least. Beast, given less a second time, asserts that there is more.
constexpr size_t kLastChunkBytes = std::string_view("0\r\n\r\n").size();
// A head of empty fields would otherwise take ten times its bytes.
constexpr size_t kMaxFields = 1000;

// Where the head at the start of `text` ends, looking from `from` on: behind the first empty line.
// npos: not yet.
size_t EndOfHead(std::string_view text, size_t from) {
  for (size_t at = text.find('\n', from); at != std::string_view::npos;
       at = text.find('\n', at + 1)) {
    const std::string_view next = text.substr(at + 1, 2);
    if (next.starts_with('\n')) return at + 2;
    if (next == "\r\n") return at + 3;
  }
  return std::string_view::npos;
}

bool IsFieldName(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) {
    return c > ' ' && c < 0x7f &&
           std::string_view("()<>@,;:\\\"/[]?={}").find(c) == std::string_view::npos;
  });
}

// A head with its lines ended properly, its status line completed and without lines that are no
// fields.
std::string Repair(std::string_view head) {
  std::string repaired;
  bool first = true;
  while (!head.empty()) {
    const size_t end = head.find('\n');
    std::string_view line = head.substr(0, end);
    head.remove_prefix(end == std::string_view::npos ? head.size() : end + 1);
    while (line.ends_with('\r') || line.ends_with(' ')) line.remove_suffix(1);
    if (first) {
      repaired += line;
      if (line.size() == std::string_view("HTTP/1.1 200").size()) repaired += ' ';
      repaired += "\r\n";
      first = false;
      continue;
    }
    std::string_view name = line.substr(0, line.find(':'));
    if (name.size() == line.size()) continue;
    const std::string_view value = line.substr(name.size() + 1);
    while (name.ends_with(' ')) name.remove_suffix(1);
    if (!IsFieldName(name)) continue;
    repaired.append(name).append(": ").append(value).append("\r\n");
  }
  return repaired + "\r\n";
}

}  // namespace

struct ResponseReader::Parser {
  class Http : public http::basic_parser<false> {
   public:
    explicit Http(ResponseReader* reader) : reader_(*reader) {}
    BodySink* sink = nullptr;

   private:
    static constexpr auto kStop = http::error::end_of_stream;

    void on_request_impl(http::verb, beast::string_view, beast::string_view, int,
                         error_code&) override {}
    void on_response_impl(int code, beast::string_view, int, error_code&) override {
      reader_.status_ = static_cast<uint32_t>(code);
    }
    void on_field_impl(http::field, beast::string_view name, beast::string_view value,
                       error_code& error) override {
      if (reader_.headers_.size() >= kMaxFields) {
        error = http::error::header_limit;
        return;
      }
      std::string& texts = reader_.texts_;
      // The whole head fits into what was reserved: no view moves.
      const size_t at = texts.size();
      for (const char c : name) texts += c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
      texts.append(value.data(), value.size());
      reader_.headers_.push_back({.name = std::string_view(texts).substr(at, name.size()),
                                  .value = std::string_view(texts).substr(at + name.size())});
    }
    void on_header_impl(error_code&) override {}
    void on_body_init_impl(const boost::optional<uint64_t>&, error_code&) override {}
    size_t on_body_impl(beast::string_view body, error_code& error) override {
      if (!sink->TakePiece({body.data(), body.size()})) error = kStop;
      return body.size();
    }
    void on_chunk_header_impl(uint64_t, beast::string_view, error_code&) override {}
    size_t on_chunk_body_impl(uint64_t, beast::string_view body, error_code& error) override {
      return on_body_impl(body, error);
    }
    void on_finish_impl(error_code&) override {}

    ResponseReader& reader_;
  };

  std::optional<Http> http;
};

ResponseReader::ResponseReader(size_t max_head_bytes)
    : max_head_bytes_(max_head_bytes), parser_(std::make_unique<Parser>()) {}
ResponseReader::~ResponseReader() = default;

void ResponseReader::Begin(bool no_body) {
  no_body_ = no_body;
  has_bytes_ = false;
  head_done_ = false;
  passed_bytes_ = 0;
  status_ = 0;
  head_.clear();
  headers_.clear();
  pending_.clear();
}

std::string_view ResponseReader::Header(std::string_view name) const {
  for (const HttpHeader& header : headers_) {
    if (header.name == name) return header.value;
  }
  return {};
}

void ResponseReader::MoveHead(std::string* head, std::vector<HttpHeader>* headers,
                              std::string* header_text) {
  // Swapped, so that the memory comes back with the next answer.
  head->swap(head_);
  headers->swap(headers_);
  header_text->swap(texts_);
  head_.clear();
  headers_.clear();
}

bool ResponseReader::keep_alive() const { return parser_->http->keep_alive(); }

ResponseReader::Event ResponseReader::Read(std::string_view* bytes, BodySink& sink) {
  if (!head_done_) return ReadHead(bytes);
  return ReadBody(bytes, sink);
}

ResponseReader::Event ResponseReader::ReadHead(std::string_view* bytes) {
  for (;;) {
    if (bytes->empty()) return Event::kMore;
    has_bytes_ = true;
    const size_t before = head_.size();
    const size_t room = max_head_bytes_ - passed_bytes_ - before;
    const std::string_view fitting = bytes->substr(0, room);
    // Most heads come whole, with the body behind them, which is not to be copied.
    const size_t whole = before == 0 ? EndOfHead(fitting, 0) : std::string_view::npos;
    head_ += fitting.substr(0, whole);
    const size_t end = EndOfHead(head_, before < 2 ? 0 : before - 2);
    if (end == std::string_view::npos) {
      if (bytes->size() >= room) return Event::kTooLarge;
      bytes->remove_prefix(bytes->size());
      return Event::kMore;
    }
    head_.resize(end);
    bytes->remove_prefix(end - before);
    if (!ParseHead(head_) && !ParseHead(Repair(head_))) return Event::kBroken;
    // 101: nobody asked for another protocol.
    if (status_ < 100 || status_ == 101) return Event::kBroken;
    if (status_ >= 200) break;
    passed_bytes_ += head_.size();
    head_.clear();
    if (passed_bytes_ >= max_head_bytes_) return Event::kTooLarge;
  }
  head_done_ = true;
  return Event::kHead;
}

bool ResponseReader::ParseHead(std::string_view text) {
  status_ = 0;
  headers_.clear();
  texts_.clear();
  texts_.reserve(text.size());
  auto& parser = parser_->http.emplace(this);
  parser.header_limit(static_cast<uint32_t>(max_head_bytes_ + 1024));
  parser.body_limit(boost::none);
  if (no_body_) parser.skip(true);
  error_code error;
  // Twice when it stops behind the status line.
  while (!error && !parser.is_header_done() && !text.empty()) {
    text.remove_prefix(parser.put(boost::asio::buffer(text.data(), text.size()), error));
  }
  return !error && parser.is_header_done();
}

ResponseReader::Event ResponseReader::ReadBody(std::string_view* bytes, BodySink& sink) {
  auto& parser = *parser_->http;
  parser.sink = &sink;
  parser.eager(true);
  if (parser.is_done()) return Event::kEnd;
  if (bytes->empty()) return Event::kMore;
  // What is left of the last bytes comes first: the beginning of a line.
  const bool joined = !pending_.empty();
  if (joined) pending_ += *bytes;
  if (joined && pending_.size() < kLastChunkBytes) {
    bytes->remove_prefix(bytes->size());
    return Event::kMore;
  }
  const std::string_view input = joined ? std::string_view(pending_) : *bytes;
  const size_t size = input.size();
  error_code error;
  const size_t used = parser.put(boost::asio::buffer(input.data(), size), error);
  if (parser.is_done() && (!error || error == http::error::need_more)) {
    bytes->remove_prefix(bytes->size() - (size - used));
    return Event::kEnd;
  }
  if (error == http::error::end_of_stream) return Event::kStopped;
  if (error && error != http::error::need_more) return Event::kBroken;
  if (size - used > kMaxChunkLineBytes) return Event::kBroken;
  if (joined) {
    pending_.erase(0, used);
  } else {
    pending_.assign(input.substr(used));
  }
  bytes->remove_prefix(bytes->size());
  return Event::kMore;
}

ResponseReader::Event ResponseReader::ReadEnd() {
  if (!head_done_) return Event::kBroken;
  auto& parser = *parser_->http;
  if (parser.is_done()) return Event::kEnd;
  error_code error;
  parser.put_eof(error);
  return error ? Event::kBroken : Event::kEnd;
}

}  // namespace orbweaver
