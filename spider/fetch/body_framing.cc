#include "spider/fetch/body_framing.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "absl/strings/match.h"

#include "common/base/text.h"
#include "spider/fetch/header_list.h"

namespace orbweaver {
namespace {

// Of a chunk's size and extensions, or of all trailers.
constexpr size_t kMaxLineBytes = 16 << 10;

// The body's length by its Content-Length headers.
struct Length {
  std::optional<uint64_t> bytes;  // absent: nothing, or no number
  bool regular = true;            // at most one number
  bool contradictory = false;
};

Length LengthOf(std::span<const HttpHeader> headers) {
  Length length;
  bool is_number = true;
  ForEachElement(headers, "content-length", [&](std::string_view element) {
    uint64_t bytes = 0;
    const char* const end = element.data() + element.size();
    const auto [at, error] = std::from_chars(element.data(), end, bytes);
    is_number &= error == std::errc() && at == end;
    if (length.bytes) {
      length.regular = false;
      length.contradictory |= bytes != *length.bytes;
    }
    length.bytes = bytes;
  });
  if (!is_number) return {.bytes = std::nullopt, .regular = false};
  return length;
}

int HexValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

void BodyFraming::BeginEmpty() {
  kind_ = Kind::kLength;
  left_ = 0;
  regular_ = true;
}

bool BodyFraming::Begin(std::span<const HttpHeader> headers) {
  size_t transfer_codings = 0;
  bool chunked = false;
  ForEachElement(headers, "transfer-encoding", [&](std::string_view coding) {
    ++transfer_codings;
    chunked |= absl::EqualsIgnoreCase(ToAbsl(coding), "chunked");
  });
  const Length length = LengthOf(headers);
  regular_ = length.regular;
  if (transfer_codings > 0) {
    regular_ = regular_ && chunked && transfer_codings == 1 && !length.bytes;
  }
  left_ = 0;
  if (chunked) {
    kind_ = Kind::kChunked;
    step_ = Step::kSize;
    has_size_ = false;
    line_bytes_ = 0;
    return true;
  }
  kind_ = length.bytes ? Kind::kLength : Kind::kUntilClose;
  left_ = length.bytes.value_or(0);
  return !length.contradictory;
}

BodyFraming::Event BodyFraming::Read(std::string_view* bytes, BodySink& sink) {
  if (kind_ == Kind::kLength && left_ == 0) return Event::kEnd;
  while (!bytes->empty()) {
    if (kind_ != Kind::kChunked || step_ == Step::kData) {
      if (const Event event = ReadData(bytes, sink); event != Event::kMore) return event;
      continue;
    }
    if (++line_bytes_ > kMaxLineBytes || !TakeByte(bytes->front())) return Event::kBroken;
    bytes->remove_prefix(1);
    if (step_ == Step::kOver) return Event::kEnd;
  }
  return Event::kMore;
}

BodyFraming::Event BodyFraming::ReadData(std::string_view* bytes, BodySink& sink) {
  std::string_view piece = *bytes;
  if (kind_ != Kind::kUntilClose) {
    piece = piece.substr(0, static_cast<size_t>(std::min<uint64_t>(left_, piece.size())));
    left_ -= piece.size();
  }
  bytes->remove_prefix(piece.size());
  if (!sink.TakePiece(piece)) return Event::kStopped;
  if (kind_ == Kind::kUntilClose || left_ > 0) return Event::kMore;
  if (kind_ == Kind::kLength) return Event::kEnd;
  step_ = Step::kDataEnd;
  after_cr_ = false;
  line_bytes_ = 0;
  return Event::kMore;
}

// False: this byte may not stand here.
bool BodyFraming::TakeByte(char c) {
  switch (step_) {
    case Step::kSize:
      return TakeSize(c);
    case Step::kExtension:
    case Step::kTrailerField:
      if (c == '\n') EndLine();
      break;
    case Step::kDataEnd:
      if (c != '\n' && (c != '\r' || after_cr_)) return false;
      if (c == '\n') EndLine();
      break;
    case Step::kTrailer:
      if (c == '\n') {
        EndLine();
      } else if (c != '\r' || after_cr_) {
        step_ = Step::kTrailerField;
      }
      break;
    case Step::kData:
    case Step::kOver:
      break;
  }
  after_cr_ = c == '\r';
  return true;
}

bool BodyFraming::TakeSize(char c) {
  if (const int digit = HexValue(c); digit >= 0) {
    if (left_ >> 60 != 0) return false;
    left_ = left_ * 16 + static_cast<uint64_t>(digit);
    has_size_ = true;
    return true;
  }
  // Behind the size may stand extensions and blanks, but no text: that would be a body without
  // chunks whose first letters happen to be digits.
  if (!has_size_ || std::string_view(" \t;\r\n").find(c) == std::string_view::npos) return false;
  regular_ &= c == ';' || c == '\r' || c == '\n';
  step_ = Step::kExtension;
  after_cr_ = false;
  return TakeByte(c);
}

void BodyFraming::EndLine() {
  regular_ &= after_cr_;
  switch (step_) {
    case Step::kDataEnd:
      step_ = Step::kSize;
      has_size_ = false;
      break;
    case Step::kExtension:
      step_ = left_ > 0 ? Step::kData : Step::kTrailer;
      line_bytes_ = 0;
      break;
    case Step::kTrailer:
      step_ = Step::kOver;
      break;
    default:
      step_ = Step::kTrailer;
      break;
  }
}

BodyFraming::Event BodyFraming::ReadEnd() const {
  switch (kind_) {
    case Kind::kUntilClose:
      return Event::kEnd;
    case Kind::kLength:
      return left_ == 0 ? Event::kEnd : Event::kBroken;
    case Kind::kChunked:
      // All chunks have come; the end of the trailers is of no use to anybody.
      return step_ == Step::kTrailer || step_ == Step::kTrailerField || step_ == Step::kOver
                 ? Event::kEnd
                 : Event::kBroken;
  }
  return Event::kBroken;
}

}  // namespace orbweaver
