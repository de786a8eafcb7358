// A body's content encoding undone as it comes, within bounds that no body can exceed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace orbweaver {

enum class ContentCoding : uint8_t { kIdentity, kGzip, kDeflate, kBrotli, kZstd };

// What requests say in Accept-Encoding.
inline constexpr std::string_view kAcceptEncoding = "gzip, deflate, br, zstd";

// Of a Content-Encoding header, in any case; empty means kIdentity. nullopt: unknown, or several.
std::optional<ContentCoding> ContentCodingOf(std::string_view content_encoding);

struct BodyBounds {
  size_t max_bytes = 0;  // decoded
  // How many times what came a body may become; held against what lies beyond kFreeBytes.
  uint32_t max_compression = 0;
  static constexpr size_t kFreeBytes = size_t{1} << 20;
};

// Place: in each fetch, between the response's framing and the result. Begin, then Take for each
// piece, then End. Takes memory for the decoder (up to 8 MiB by the body's own wish, for zstd and
// br) from Begin to End. Not thread-safe.
class BodyDecoder {
 public:
  enum class Verdict : uint8_t {
    kGoesOn,
    kFull,    // max_bytes are there, and there was more
    kBomb,    // max_compression
    kBroken,  // not of this encoding, or cut off
  };

  BodyDecoder();
  ~BodyDecoder();

  // `body` is appended to, and must live until End.
  void Begin(ContentCoding coding, const BodyBounds& bounds, std::string* body);

  // After anything but kGoesOn there is nothing more to take.
  Verdict Take(std::string_view piece);

  // The body is over; kGoesOn: it was complete. An empty one is, in every encoding. Frees the
  // decoder; needed also when Take ended it.
  Verdict End();

  // What one encoding does. `piece` is cut by what it took; at most `room` bytes are written to
  // `out`. kDone: the stream has ended.
  class Stream {
   public:
    enum class Result : uint8_t { kMore, kDone, kBroken };
    virtual ~Stream() = default;
    virtual Result Run(std::string_view* piece, char* out, size_t room, size_t* written) = 0;
    // Whether what follows a stream that is done may be another one.
    virtual bool Restart(std::string_view /*rest*/) { return false; }
  };

 private:
  Verdict Append(std::string_view decoded);
  Verdict TakeEncoded(std::string_view piece);

  BodyBounds bounds_;
  std::string* body_ = nullptr;
  std::unique_ptr<Stream> stream_;  // nullptr: identity
  bool done_ = false;               // the stream; another one may follow
  bool over_ = false;               // something else followed, and is passed over
  uint64_t taken_ = 0;              // bytes of the encoded body
};

}  // namespace orbweaver
