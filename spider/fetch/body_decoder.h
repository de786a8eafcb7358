// A body's content codings undone as it comes, within bounds that no body can exceed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/model/spider_log.h"

namespace orbweaver {

enum class ContentCoding : uint8_t { kIdentity, kGzip, kDeflate, kBrotli, kZstd };

// In the order in which they were applied; empty: identity.
using ContentCodings = std::vector<ContentCoding>;

// The Accept-Encoding header of requests.
inline constexpr std::string_view kAcceptEncoding = "gzip, deflate, br, zstd";

// More of them on one body are refused.
inline constexpr size_t kMaxCodings = 4;

// Reads the codings of a body from Content-Encoding and then Transfer-Encoding, as browsers do: an
// unknown name ("utf-8", "none") means nothing. False: there are more than kMaxCodings, or one that
// is registered but not undone here. Header names are in lower case.
bool ReadContentCodings(std::span<const HttpHeader> headers, ContentCodings* codings);

struct BodyBounds {
  size_t max_bytes = 0;  // decoded
  // How many times what came a body may become; held against what lies beyond kFreeBytes.
  uint32_t max_compression = 0;
  static constexpr size_t kFreeBytes = size_t{1} << 20;
};

// Place: in each fetch, between the response's framing and the result. Begin, then Take for each
// piece, then End. Takes memory for each coding (up to 8 MiB by the body's own wish, for zstd and
// br, as far as it is filled) from Begin to End. Not thread-safe.
//
// A body that is wanted only when it is over is held back as it came, where gzip is its only coding
// and up to kMostHeldBytes; at its end libdeflate unpacks it in a third of zlib's time. All but one
// member that is whole, within the bounds and has the right checksum goes through zlib from its
// start: bytes that are cut off, damaged, or behind the member.
//
// With several codings the bounds hold for the result of each: what the first of two unpacks to is
// work for the second, even where that makes nothing of it.
class BodyDecoder {
 public:
  enum class Verdict : uint8_t {
    kGoesOn,
    kFull,    // max_bytes are there, and there was more
    kBomb,    // max_compression, or too much between two codings
    kBroken,  // not of this coding
    kCut,     // of End only: a part is there, and no more came
  };

  enum class Wanted : uint8_t {
    kAsItComes,  // `body` has after each Take all that is known of it
    kAtEnd,      // `body` may be empty, and the verdict unknown, until End
  };
  static constexpr size_t kMostHeldBytes = size_t{256} << 10;

  BodyDecoder();
  ~BodyDecoder();

  // `body` is appended to, and must live until End.
  void Begin(const ContentCodings& codings, const BodyBounds& bounds, std::string* body,
             Wanted wanted = Wanted::kAsItComes);

  // After anything but kGoesOn there is nothing more to take.
  Verdict Take(std::string_view piece);

  // The body is over; kGoesOn: it was complete. An empty one is, in every coding. Frees the
  // decoders.
  Verdict End();
  // In place of End, where no more of it is wanted or Take has ended it. Leaves `body` alone.
  void Drop();

  // Undoes one coding. Consumes bytes from the front of `piece`; writes at most `room` bytes to
  // `out`. kDone: the stream has ended.
  class Stream {
   public:
    enum class Result : uint8_t { kMore, kDone, kBroken };
    virtual ~Stream() = default;
    virtual Result Run(std::string_view* piece, char* out, size_t room, size_t* written) = 0;
    // The first bytes of another stream that may follow one that is done; empty: none may.
    virtual std::string_view Magic() const { return {}; }
    // Those bytes have come: what follows belongs to another stream.
    virtual void Restart() {}
  };

 private:
  struct Layer {
    std::unique_ptr<Stream> stream;
    bool done = false;   // the stream; another one may follow
    bool over = false;   // something else followed, and is passed over
    size_t magic = 0;    // bytes that have come of another one's magic
    uint64_t taken = 0;  // bytes before and behind this coding was undone
    uint64_t given = 0;
  };

  // Unpacks held_ as one gzip member by libdeflate. False: it is not exactly that, or not within
  // the bounds; nothing was done.
  bool UnpackHeld();
  Verdict Append(std::string_view decoded);
  // `piece` to the layer of that index; behind the last of them is the body.
  Verdict Pass(size_t index, std::string_view piece);
  // Looks for another stream at the beginning of `piece`, where this layer's was done.
  void LookForAnother(Layer& layer, std::string_view* piece);
  bool Exceeds(const Layer& layer) const;

  BodyBounds bounds_;
  std::string* body_ = nullptr;
  std::vector<Layer> layers_;  // the coding that was applied last comes first
  bool is_held_ = false;       // all that has come is in held_
  std::string held_;
};

}  // namespace orbweaver
