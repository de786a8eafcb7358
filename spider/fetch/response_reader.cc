#include "spider/fetch/response_reader.h"

#include <algorithm>

#include "absl/strings/match.h"
#include <boost/asio/buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>

#include "common/base/text.h"
#include "spider/fetch/header_list.h"

namespace orbweaver {
namespace {

namespace beast = boost::beast;
namespace http = boost::beast::http;
using boost::system::error_code;

// A head of empty fields would otherwise take ten times its bytes. curl takes 5,000.
constexpr size_t kMaxFields = 4096;
// Begins each name of a repaired head, so that Beast gives none of them a meaning: the framing
// fields that it refuses are for BodyFraming to judge.
constexpr char kNameMark = '~';
constexpr uint32_t kNoContent = 204;
constexpr uint32_t kNotModified = 304;

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

// A head with its lines ended properly, its status line completed, its names marked, control
// characters blank, and without lines that are no fields.
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
    repaired.append(1, kNameMark).append(name).append(": ");
    for (const char c : value) {
      const bool control = static_cast<unsigned char>(c) < ' ' || c == 0x7f;
      repaired += control && c != '\t' ? ' ' : c;
    }
    repaired += "\r\n";
  }
  return repaired + "\r\n";
}

ResponseReader::Event EventOf(BodyFraming::Event event) {
  switch (event) {
    case BodyFraming::Event::kMore:
      return ResponseReader::Event::kMore;
    case BodyFraming::Event::kEnd:
      return ResponseReader::Event::kEnd;
    case BodyFraming::Event::kStopped:
      return ResponseReader::Event::kStopped;
    case BodyFraming::Event::kBroken:
      return ResponseReader::Event::kBroken;
  }
  return ResponseReader::Event::kBroken;
}

}  // namespace

// Given one whole head, and no body.
class ResponseReader::HeadParser : public http::basic_parser<false> {
 public:
  HeadParser(ResponseReader* reader, bool repaired) : reader_(*reader), repaired_(repaired) {
    header_limit(UINT32_MAX);  // the caller's
    skip(true);
  }
  bool is_http11() const { return is_http11_; }

 private:
  void on_request_impl(http::verb, beast::string_view, beast::string_view, int,
                       error_code&) override {}
  void on_response_impl(int code, beast::string_view, int version, error_code&) override {
    reader_.status_ = static_cast<uint32_t>(code);
    is_http11_ = version >= 11;
  }
  void on_field_impl(http::field, beast::string_view name, beast::string_view value,
                     error_code& error) override {
    if (reader_.headers_.size() >= kMaxFields) {
      error = http::error::header_limit;
      return;
    }
    if (repaired_) name.remove_prefix(1);
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
  size_t on_body_impl(beast::string_view body, error_code&) override { return body.size(); }
  void on_chunk_header_impl(uint64_t, beast::string_view, error_code&) override {}
  size_t on_chunk_body_impl(uint64_t, beast::string_view body, error_code&) override {
    return body.size();
  }
  void on_finish_impl(error_code&) override {}

  ResponseReader& reader_;
  const bool repaired_;
  bool is_http11_ = false;
};

void ResponseReader::Begin(bool no_body) {
  no_body_ = no_body;
  has_bytes_ = false;
  head_done_ = false;
  passed_bytes_ = 0;
  status_ = 0;
  head_.clear();
  headers_.clear();
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

ResponseReader::Event ResponseReader::Read(std::string_view* bytes, BodySink& sink) {
  if (!head_done_) return ReadHead(bytes);
  return EventOf(framing_.Read(bytes, sink));
}

ResponseReader::Event ResponseReader::ReadEnd() {
  return head_done_ ? EventOf(framing_.ReadEnd()) : Event::kBroken;
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
    if (!ParseHead(head_, /*repaired=*/false) && !ParseHead(Repair(head_), /*repaired=*/true)) {
      return Event::kBroken;
    }
    // 101: nobody asked for another protocol.
    if (status_ < 100 || status_ == 101) return Event::kBroken;
    if (status_ >= 200) break;
    passed_bytes_ += head_.size();
    head_.clear();
    if (passed_bytes_ >= max_head_bytes_) return Event::kTooLarge;
  }
  if (!BeginBody()) return Event::kBroken;
  head_done_ = true;
  return Event::kHead;
}

bool ResponseReader::ParseHead(std::string_view text, bool repaired) {
  status_ = 0;
  headers_.clear();
  texts_.clear();
  texts_.reserve(text.size());
  HeadParser parser(this, repaired);
  error_code error;
  // Twice when it stops behind the status line.
  while (!error && !parser.is_header_done() && !text.empty()) {
    text.remove_prefix(parser.put(boost::asio::buffer(text.data(), text.size()), error));
  }
  if (error || !parser.is_header_done()) return false;
  bool close = repaired;
  bool keep = parser.is_http11();
  for (const std::string_view name : {"connection", "proxy-connection"}) {
    ForEachElement(headers_, name, [&](std::string_view option) {
      close |= absl::EqualsIgnoreCase(ToAbsl(option), "close");
      keep |= absl::EqualsIgnoreCase(ToAbsl(option), "keep-alive");
    });
  }
  keep_alive_ = keep && !close;
  return true;
}

// False: its headers contradict each other.
bool ResponseReader::BeginBody() {
  const bool empty = no_body_ || status_ == kNoContent || status_ == kNotModified;
  if (!empty) return framing_.Begin(headers_);
  framing_.BeginEmpty();
  return true;
}

}  // namespace orbweaver
