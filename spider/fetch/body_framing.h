// Where an answer's body ends, and its bytes freed from chunks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "common/model/spider_log.h"

namespace orbweaver {

// Receives a body's pieces without their framing.
class BodySink {
 public:
  virtual ~BodySink() = default;
  // False: no more of it is wanted.
  virtual bool TakePiece(std::string_view piece) = 0;
};

// RFC 9112, section 6, read as liberally as curl and browsers read it: Transfer-Encoding decides
// over Content-Length, a length that is no number counts as absent, chunks may have line feeds
// alone and blanks behind their sizes. No request can be smuggled by that, since it is a client
// that reads, and since no connection is kept after such an answer (regular).
//
// Place: in ResponseReader, behind each head; no I/O. Holds no bytes. Not thread-safe.
class BodyFraming {
 public:
  enum class Event : uint8_t {
    kMore,     // all was taken, and more is needed
    kEnd,      // the body is complete; what is left of the bytes is none of it
    kStopped,  // the sink wants no more
    kBroken,   // not as its head says, or not complete
  };

  // There is no body, whatever headers say: of 1xx, 204, 304 and the answers to CONNECT and HEAD.
  void BeginEmpty();
  // As the headers say, whose names are in lower case. False: they name two lengths.
  bool Begin(std::span<const HttpHeader> headers);

  // Goes on with `bytes`, and cuts what was taken off their beginning. After anything but kMore not
  // before the next Begin.
  Event Read(std::string_view* bytes, BodySink& sink);
  // The server has ended the connection: kEnd when that ends the body, else kBroken.
  Event ReadEnd() const;

  // Of what Begin was given; 0: the headers name no length that counts. Valid until Read.
  uint64_t announced_bytes() const { return left_; }

  // After kEnd: the body ended where every reader of HTTP sees its end, so the connection may serve
  // another request.
  bool regular() const { return regular_ && kind_ != Kind::kUntilClose; }

 private:
  enum class Kind : uint8_t { kLength, kChunked, kUntilClose };
  // Of chunks: where the next byte stands.
  enum class Step : uint8_t {
    kSize,
    kExtension,  // behind the size
    kData,
    kDataEnd,  // the line's end behind the data
    kTrailer,  // at the beginning of a line
    kTrailerField,
    kOver,
  };

  Event ReadData(std::string_view* bytes, BodySink& sink);
  bool TakeByte(char c);
  bool TakeSize(char c);
  // Whether the line that ends here ends as it should: CRLF.
  void EndLine();

  Kind kind_ = Kind::kLength;
  Step step_ = Step::kSize;
  bool regular_ = true;
  bool has_size_ = false;  // a digit of it
  bool after_cr_ = false;  // the byte before was a CR
  uint64_t left_ = 0;      // of the length, or of the chunk's data
  size_t line_bytes_ = 0;  // of the line, or of all trailers
};

}  // namespace orbweaver
