#include "spider/fetch/body_decoder.h"

#include <brotli/encode.h>
#include <zlib.h>
#include <zstd.h>

#include <gtest/gtest.h>

#include "common/base/check.h"
#include "common/base/random.h"

namespace orbweaver {
namespace {

using Verdict = BodyDecoder::Verdict;
constexpr ContentCoding kCodings[] = {ContentCoding::kIdentity, ContentCoding::kGzip,
                                      ContentCoding::kDeflate, ContentCoding::kBrotli,
                                      ContentCoding::kZstd};
constexpr int kRaw = -MAX_WBITS, kZlib = MAX_WBITS, kGzip = MAX_WBITS + 16;

std::string Deflate(std::string_view text, int window_bits) {
  z_stream stream{};
  CHECK(deflateInit2(&stream, 9, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  std::string out(deflateBound(&stream, text.size()) + 64, 0);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  CHECK(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::string Encode(ContentCoding coding, std::string_view text) {
  switch (coding) {
    case ContentCoding::kIdentity:
      return std::string(text);
    case ContentCoding::kGzip:
      return Deflate(text, kGzip);
    case ContentCoding::kDeflate:
      return Deflate(text, kZlib);
    case ContentCoding::kBrotli: {
      size_t size = BrotliEncoderMaxCompressedSize(text.size()) + 64;
      std::string out(size, 0);
      CHECK(BrotliEncoderCompress(5, 22, BROTLI_MODE_GENERIC, text.size(),
                                  reinterpret_cast<const uint8_t*>(text.data()), &size,
                                  reinterpret_cast<uint8_t*>(out.data())) == BROTLI_TRUE);
      out.resize(size);
      return out;
    }
    case ContentCoding::kZstd: {
      std::string out(ZSTD_compressBound(text.size()), 0);
      out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3));
      return out;
    }
  }
  return {};
}

std::string Text(size_t bytes) {
  Random random(1);
  std::string text;
  while (text.size() < bytes) text += "word" + std::to_string(random.Below(1000)) + " ";
  text.resize(bytes);
  return text;
}

// The verdict of a body given in pieces of `piece` bytes.
Verdict Decode(ContentCoding coding, std::string_view encoded, std::string* body,
               size_t piece = SIZE_MAX, size_t max_bytes = 10 << 20,
               uint32_t max_compression = 250) {
  BodyDecoder decoder;
  body->clear();
  decoder.Begin(coding, {.max_bytes = max_bytes, .max_compression = max_compression}, body);
  while (!encoded.empty()) {
    const std::string_view next = encoded.substr(0, piece);
    const Verdict verdict = decoder.Take(next);
    if (verdict != Verdict::kGoesOn) {
      decoder.End();
      return verdict;
    }
    encoded.remove_prefix(next.size());
  }
  return decoder.End();
}

TEST(BodyDecoderTest, EveryEncodingIsUndoneHoweverItsBytesCome) {
  for (const size_t bytes : {0, 1, 100, 60'000}) {
    const std::string text = Text(bytes);
    for (const ContentCoding coding : kCodings) {
      for (const size_t piece : {size_t{1}, size_t{7}, size_t{1000}, SIZE_MAX}) {
        std::string body;
        EXPECT_EQ(Decode(coding, Encode(coding, text), &body, piece), Verdict::kGoesOn);
        EXPECT_EQ(body, text) << static_cast<int>(coding) << " in pieces of " << piece;
      }
    }
  }
}

TEST(BodyDecoderTest, DeflateMayComeWithoutZlibsFrame) {
  const std::string text = Text(50'000);
  for (const size_t piece : {size_t{1}, SIZE_MAX}) {
    std::string body;
    EXPECT_EQ(Decode(ContentCoding::kDeflate, Deflate(text, kRaw), &body, piece), Verdict::kGoesOn);
    EXPECT_EQ(body, text);
  }
}

TEST(BodyDecoderTest, AGzipBodyMayHaveSeveralMembersAndJunkBehindThem) {
  const std::string a = Text(1000), b = Text(500);
  for (const size_t piece : {size_t{1}, SIZE_MAX}) {
    std::string body;
    EXPECT_EQ(Decode(ContentCoding::kGzip, Encode(ContentCoding::kGzip, a), &body, piece),
              Verdict::kGoesOn);
    EXPECT_EQ(Decode(ContentCoding::kGzip, Encode(ContentCoding::kGzip, a) + std::string(20, '\0'),
                     &body, piece),
              Verdict::kGoesOn);
    EXPECT_EQ(body, a);
  }
  std::string body;
  EXPECT_EQ(Decode(ContentCoding::kGzip,
                   Encode(ContentCoding::kGzip, a) + Encode(ContentCoding::kGzip, b), &body),
            Verdict::kGoesOn);
  EXPECT_EQ(body, a + b);
}

TEST(BodyDecoderTest, WhatIsCutOffOrOfAnotherEncodingIsBroken) {
  const std::string text = Text(10'000);
  for (const ContentCoding coding : kCodings) {
    if (coding == ContentCoding::kIdentity) continue;
    const std::string encoded = Encode(coding, text);
    std::string body;
    for (const size_t kept : {size_t{1}, encoded.size() / 2, encoded.size() - 1}) {
      EXPECT_EQ(Decode(coding, encoded.substr(0, kept), &body), Verdict::kBroken)
          << static_cast<int>(coding) << " " << kept;
    }
    EXPECT_EQ(Decode(coding, "<html>this is not encoded at all</html>", &body), Verdict::kBroken)
        << static_cast<int>(coding);
  }
}

TEST(BodyDecoderTest, ABodyOfExactlyTheBoundIsWholeAndOneByteMoreIsNot) {
  const std::string text = Text(100'000);
  for (const ContentCoding coding : kCodings) {
    const std::string encoded = Encode(coding, text);
    for (const size_t piece : {size_t{100}, SIZE_MAX}) {
      std::string body;
      EXPECT_EQ(Decode(coding, encoded, &body, piece, 100'000), Verdict::kGoesOn);
      EXPECT_EQ(Decode(coding, encoded, &body, piece, 99'999), Verdict::kFull);
      EXPECT_EQ(body, text.substr(0, 99'999));
    }
  }
}

TEST(BodyDecoderTest, ABombIsSeenBeforeItHasGrown) {
  const std::string zeros(16 << 20, '\0');
  for (const ContentCoding coding : kCodings) {
    if (coding == ContentCoding::kIdentity) continue;
    std::string body;
    EXPECT_EQ(Decode(coding, Encode(coding, zeros), &body, SIZE_MAX, 100 << 20), Verdict::kBomb)
        << static_cast<int>(coding);
    EXPECT_LT(body.size(), size_t{8} << 20) << static_cast<int>(coding);
  }
}

TEST(BodyDecoderTest, ASmallBodyMayBeVeryCompressible) {
  const std::string zeros(BodyBounds::kFreeBytes, '\0');
  std::string body;
  EXPECT_EQ(Decode(ContentCoding::kGzip, Encode(ContentCoding::kGzip, zeros), &body, SIZE_MAX,
                   100 << 20, 2),
            Verdict::kGoesOn);
}

TEST(BodyDecoderTest, AWindowThatNoBrowserTakesIsRefused) {
  // A frame header that asks for 1 GiB (RFC 8878, section 3.1.1.1.2).
  const std::string frame("\x28\xb5\x2f\xfd\x00\xa0\x01\x00\x00", 9);
  std::string body;
  EXPECT_EQ(Decode(ContentCoding::kZstd, frame, &body), Verdict::kBroken);
}

TEST(ContentCodingTest, NamesInAnyCaseAndNoOthers) {
  EXPECT_EQ(ContentCodingOf("GZip"), ContentCoding::kGzip);
  EXPECT_EQ(ContentCodingOf("x-gzip"), ContentCoding::kGzip);
  EXPECT_EQ(ContentCodingOf("br"), ContentCoding::kBrotli);
  EXPECT_EQ(ContentCodingOf(""), ContentCoding::kIdentity);
  for (const char* other : {"gzip, br", "compress", "utf-8", "gzipp"}) {
    EXPECT_EQ(ContentCodingOf(other), std::nullopt) << other;
  }
}

}  // namespace
}  // namespace orbweaver
