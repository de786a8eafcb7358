#include "spider/fetch/body_decoder.h"

#include <algorithm>
#include <array>
#include <brotli/decode.h>
#include <libdeflate.h>
#include <memory>
#include <zlib.h>
#include <zstd.h>

#include "absl/strings/match.h"

#include "common/base/check.h"
#include "common/base/text.h"
#include "spider/fetch/header_list.h"

namespace orbweaver {
namespace {

using Stream = BodyDecoder::Stream;

constexpr size_t kPieceBytes = size_t{32} << 10;
// RFC 1952, section 2.3: a member's head without its optional parts, and its trailer.
constexpr size_t kLeastMemberBytes = 10 + 8;
constexpr size_t kFlagsAt = 3;
constexpr uint8_t kHeadChecksumFlag = 2;
// RFC 1951: 258 bytes for two bits.
constexpr uint64_t kMostDeflated = 1032;
// RFC 9659: windows beyond 8 MiB need not be decoded.
constexpr int kMaxZstdWindowLog = 23;

// gzip (RFC 1952), and deflate: zlib's format (RFC 9110, section 8.4.1.2), or the raw one that some
// servers send instead.
class Inflate : public Stream {
 public:
  explicit Inflate(bool gzip) : gzip_(gzip) {}
  ~Inflate() override {
    if (open_) inflateEnd(&stream_);
  }

  Result Run(std::string_view* piece, char* out, size_t room, size_t* written) override {
    if (!open_ && !Open(piece)) return Result::kMore;
    if (prefix_used_ < prefix_.size()) {
      std::string_view prefix = std::string_view(prefix_).substr(prefix_used_);
      const size_t before = prefix.size();
      const Result result = Step(&prefix, out, room, written);
      prefix_used_ += before - prefix.size();
      if (result != Result::kMore || *written > 0 || !prefix.empty()) return result;
    }
    return Step(piece, out, room, written);
  }

  // A gzip file may have several members, one after the other.
  std::string_view Magic() const override { return gzip_ ? "\x1f\x8b" : std::string_view(); }
  void Restart() override {
    CHECK(inflateReset(&stream_) == Z_OK);
    std::string_view magic = Magic();
    char out = 0;
    size_t written = 0;
    Step(&magic, &out, sizeof out, &written);
    CHECK(magic.empty() && written == 0);
  }

 private:
  // The first two bytes tell zlib's format from the raw one.
  bool Open(std::string_view* piece) {
    while (!gzip_ && prefix_.size() < 2) {
      if (piece->empty()) return false;
      prefix_.push_back(piece->front());
      piece->remove_prefix(1);
    }
    int window_bits = MAX_WBITS + 16;
    if (!gzip_) {
      const auto first = static_cast<uint8_t>(prefix_[0]);
      const auto second = static_cast<uint8_t>(prefix_[1]);
      const bool zlib = (first & 0x0f) == 8 && (first * 256 + second) % 31 == 0;
      window_bits = zlib ? MAX_WBITS : -MAX_WBITS;
    }
    CHECK(inflateInit2(&stream_, window_bits) == Z_OK);
    open_ = true;
    return true;
  }

  Result Step(std::string_view* piece, char* out, size_t room, size_t* written) {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(piece->data()));
    stream_.avail_in = static_cast<uInt>(piece->size());
    stream_.next_out = reinterpret_cast<Bytef*>(out);
    stream_.avail_out = static_cast<uInt>(room);
    const int result = inflate(&stream_, Z_NO_FLUSH);
    piece->remove_prefix(piece->size() - stream_.avail_in);
    *written = room - stream_.avail_out;
    if (result == Z_STREAM_END) return Result::kDone;
    return result == Z_OK || result == Z_BUF_ERROR ? Result::kMore : Result::kBroken;
  }

  const bool gzip_;
  bool open_ = false;
  z_stream stream_{};
  std::string prefix_;
  size_t prefix_used_ = 0;
};

class Brotli : public Stream {
 public:
  ~Brotli() override { BrotliDecoderDestroyInstance(state_); }

  Result Run(std::string_view* piece, char* out, size_t room, size_t* written) override {
    size_t left = piece->size(), free = room;
    const auto* in = reinterpret_cast<const uint8_t*>(piece->data());
    auto* at = reinterpret_cast<uint8_t*>(out);
    const auto result = BrotliDecoderDecompressStream(state_, &left, &in, &free, &at, nullptr);
    piece->remove_prefix(piece->size() - left);
    *written = room - free;
    if (result == BROTLI_DECODER_RESULT_SUCCESS) return Result::kDone;
    return result == BROTLI_DECODER_RESULT_ERROR ? Result::kBroken : Result::kMore;
  }

 private:
  BrotliDecoderState* const state_ = BrotliDecoderCreateInstance(nullptr, nullptr, nullptr);
};

class Zstd : public Stream {
 public:
  Zstd() {
    CHECK(!ZSTD_isError(ZSTD_DCtx_setParameter(context_, ZSTD_d_windowLogMax, kMaxZstdWindowLog)));
  }
  ~Zstd() override { ZSTD_freeDCtx(context_); }

  Result Run(std::string_view* piece, char* out, size_t room, size_t* written) override {
    ZSTD_inBuffer in{.src = piece->data(), .size = piece->size(), .pos = 0};
    ZSTD_outBuffer to{.dst = out, .size = room, .pos = 0};
    const size_t result = ZSTD_decompressStream(context_, &to, &in);
    piece->remove_prefix(in.pos);
    *written = to.pos;
    if (ZSTD_isError(result)) return Result::kBroken;
    return result == 0 ? Result::kDone : Result::kMore;
  }

  std::string_view Magic() const override { return "\x28\xb5\x2f\xfd"; }
  void Restart() override {
    std::string_view magic = Magic();
    char out = 0;
    size_t written = 0;
    Run(&magic, &out, sizeof out, &written);
    CHECK(magic.empty() && written == 0);
  }

 private:
  ZSTD_DCtx* const context_ = ZSTD_createDCtx();
};

}  // namespace

bool ReadContentCodings(std::span<const HttpHeader> headers, ContentCodings* codings) {
  constexpr std::pair<std::string_view, ContentCoding> kNames[] = {
      {"gzip", ContentCoding::kGzip},
      {"x-gzip", ContentCoding::kGzip},
      {"deflate", ContentCoding::kDeflate},
      {"br", ContentCoding::kBrotli},
      {"zstd", ContentCoding::kZstd}};
  // IANA's registry has these too: what they make of a page is none.
  constexpr std::string_view kOthers[] = {"aes128gcm", "compress",     "dcb",       "dcz",
                                          "exi",       "pack200-gzip", "x-compress"};
  codings->clear();
  bool known = true;
  // Transfer codings were applied after content codings.
  for (const std::string_view header : {"content-encoding", "transfer-encoding"}) {
    ForEachElement(headers, header, [&](std::string_view element) {
      const auto is = [element](std::string_view name) {
        return absl::EqualsIgnoreCase(ToAbsl(element), ToAbsl(name));
      };
      for (const auto& [name, coding] : kNames) {
        if (is(name)) codings->push_back(coding);
      }
      known &= std::ranges::none_of(kOthers, is);
    });
  }
  return known && codings->size() <= kMaxCodings;
}

BodyDecoder::BodyDecoder() = default;
BodyDecoder::~BodyDecoder() = default;

void BodyDecoder::Begin(const ContentCodings& codings, const BodyBounds& bounds, std::string* body,
                        Wanted wanted) {
  bounds_ = bounds;
  body_ = body;
  Drop();
  is_held_ = wanted == Wanted::kAtEnd && codings.size() == 1 && codings[0] == ContentCoding::kGzip;
  for (size_t i = codings.size(); i-- > 0;) {
    switch (codings[i]) {
      case ContentCoding::kIdentity:
        break;
      case ContentCoding::kGzip:
      case ContentCoding::kDeflate:
        layers_.push_back(
            {.stream = std::make_unique<Inflate>(codings[i] == ContentCoding::kGzip)});
        break;
      case ContentCoding::kBrotli:
        layers_.push_back({.stream = std::make_unique<Brotli>()});
        break;
      case ContentCoding::kZstd:
        layers_.push_back({.stream = std::make_unique<Zstd>()});
        break;
    }
  }
}

BodyDecoder::Verdict BodyDecoder::Append(std::string_view decoded) {
  const size_t room = bounds_.max_bytes - std::min(bounds_.max_bytes, body_->size());
  body_->append(decoded.substr(0, room));
  return decoded.size() > room ? Verdict::kFull : Verdict::kGoesOn;
}

BodyDecoder::Verdict BodyDecoder::Take(std::string_view piece) {
  if (!is_held_) return Pass(0, piece);
  if (held_.size() + piece.size() <= kMostHeldBytes) {
    held_ += piece;
    return Verdict::kGoesOn;
  }
  is_held_ = false;
  const std::string held = std::move(held_);
  held_ = {};
  const Verdict verdict = Pass(0, held);
  return verdict == Verdict::kGoesOn ? Pass(0, piece) : verdict;
}

BodyDecoder::Verdict BodyDecoder::Pass(size_t index, std::string_view piece) {
  if (index == layers_.size()) return Append(piece);
  Layer& layer = layers_[index];
  std::array<char, kPieceBytes> out;
  for (;;) {
    if (layer.done) LookForAnother(layer, &piece);
    if (layer.done || layer.over) return Verdict::kGoesOn;
    const size_t before = piece.size();
    size_t written = 0;
    const Stream::Result result = layer.stream->Run(&piece, out.data(), out.size(), &written);
    const size_t used = before - piece.size();
    layer.taken += used;
    layer.given += written;
    const Verdict verdict = written > 0 ? Pass(index + 1, {out.data(), written}) : Verdict::kGoesOn;
    if (Exceeds(layer)) return Verdict::kBomb;
    if (verdict != Verdict::kGoesOn) return verdict;
    if (result == Stream::Result::kBroken) return Verdict::kBroken;
    layer.done = result == Stream::Result::kDone;
    if (!layer.done && written < out.size() && (piece.empty() || (used == 0 && written == 0))) {
      return piece.empty() ? Verdict::kGoesOn : Verdict::kBroken;
    }
  }
}

// The magic may come in several pieces.
void BodyDecoder::LookForAnother(Layer& layer, std::string_view* piece) {
  const std::string_view magic = layer.stream->Magic();
  while (!piece->empty() && !layer.over && layer.done) {
    layer.over = layer.magic == magic.size() || piece->front() != magic[layer.magic];
    if (layer.over) return;
    piece->remove_prefix(1);
    layer.taken += 1;
    if (++layer.magic < magic.size()) continue;
    layer.stream->Restart();
    layer.done = false;
    layer.magic = 0;
  }
}

bool BodyDecoder::Exceeds(const Layer& layer) const {
  if (layer.given <= BodyBounds::kFreeBytes) return false;
  const uint64_t counted = layer.given - BodyBounds::kFreeBytes;
  if (counted > layers_.front().taken * bounds_.max_compression) return true;
  return &layer != &layers_.back() && counted > bounds_.max_bytes;
}

bool BodyDecoder::UnpackHeld() {
  if (held_.size() < kLeastMemberBytes) return false;
  // libdeflate does not look at it.
  if ((static_cast<uint8_t>(held_[kFlagsAt]) & kHeadChecksumFlag) != 0) return false;
  uint64_t size = 0;  // as the trailer says; libdeflate holds it against what it finds
  for (size_t i = 1; i <= 4; ++i) size = size << 8 | static_cast<uint8_t>(held_[held_.size() - i]);
  const size_t before = body_->size();
  // Up to kFreeBytes nothing is a bomb.
  if (size == 0 || size > std::min<uint64_t>(held_.size() * kMostDeflated, BodyBounds::kFreeBytes))
    return false;
  if (before + size > bounds_.max_bytes) return false;
  body_->resize(before + size);
  const std::unique_ptr<libdeflate_decompressor, decltype(&libdeflate_free_decompressor)> unpack(
      libdeflate_alloc_decompressor(), libdeflate_free_decompressor);
  CHECK(unpack != nullptr);
  size_t used = 0;
  const auto result =
      libdeflate_gzip_decompress_ex(unpack.get(), held_.data(), held_.size(),
                                    body_->data() + before, body_->size() - before, &used, nullptr);
  if (result == LIBDEFLATE_SUCCESS && used == held_.size()) return true;
  body_->resize(before);
  return false;
}

BodyDecoder::Verdict BodyDecoder::End() {
  bool complete = is_held_ && UnpackHeld();
  if (is_held_ && !complete) {
    const Verdict verdict = Pass(0, held_);
    if (verdict != Verdict::kGoesOn) {
      Drop();
      return verdict;
    }
  }
  complete |= std::ranges::all_of(
      layers_, [](const Layer& layer) { return layer.done || layer.over || layer.taken == 0; });
  Drop();
  if (complete) return Verdict::kGoesOn;
  return body_->empty() ? Verdict::kBroken : Verdict::kCut;
}

void BodyDecoder::Drop() {
  layers_.clear();
  is_held_ = false;
  held_ = {};
}

}  // namespace orbweaver
