// Past 400 lines, since all cases share the functions that pack and damage bodies.
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
using Wanted = BodyDecoder::Wanted;
constexpr ContentCoding kCodings[] = {ContentCoding::kIdentity, ContentCoding::kGzip,
                                      ContentCoding::kDeflate, ContentCoding::kBrotli,
                                      ContentCoding::kZstd};
constexpr int kRaw = -MAX_WBITS, kZlib = MAX_WBITS, kGzip = MAX_WBITS + 16;

// Ends `stream`.
std::string Packed(z_stream* stream, std::string_view text) {
  std::string out(deflateBound(stream, text.size()) + 64, 0);
  stream->next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream->avail_in = static_cast<uInt>(text.size());
  stream->next_out = reinterpret_cast<Bytef*>(out.data());
  stream->avail_out = static_cast<uInt>(out.size());
  CHECK(deflate(stream, Z_FINISH) == Z_STREAM_END);
  out.resize(stream->total_out);
  deflateEnd(stream);
  return out;
}

std::string Deflate(std::string_view text, int window_bits) {
  z_stream stream{};
  CHECK(deflateInit2(&stream, 9, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  return Packed(&stream, text);
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
Verdict Decode(const ContentCodings& codings, std::string_view encoded, std::string* body,
               size_t piece = SIZE_MAX, size_t max_bytes = 10 << 20, uint32_t max_compression = 250,
               Wanted wanted = Wanted::kAsItComes) {
  BodyDecoder decoder;
  body->clear();
  decoder.Begin(codings, {.max_bytes = max_bytes, .max_compression = max_compression}, body,
                wanted);
  while (!encoded.empty()) {
    const std::string_view next = encoded.substr(0, piece);
    const Verdict verdict = decoder.Take(next);
    if (verdict != Verdict::kGoesOn) {
      decoder.Drop();
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
        EXPECT_EQ(Decode({coding}, Encode(coding, text), &body, piece), Verdict::kGoesOn);
        EXPECT_EQ(body, text) << static_cast<int>(coding) << " in pieces of " << piece;
      }
    }
  }
}

TEST(BodyDecoderTest, DeflateMayComeWithoutZlibsFrame) {
  const std::string text = Text(50'000);
  for (const size_t piece : {size_t{1}, SIZE_MAX}) {
    std::string body;
    EXPECT_EQ(Decode({ContentCoding::kDeflate}, Deflate(text, kRaw), &body, piece),
              Verdict::kGoesOn);
    EXPECT_EQ(body, text);
  }
}

TEST(BodyDecoderTest, AGzipBodyMayHaveSeveralMembersAndJunkBehindThem) {
  const std::string a = Text(1000), b = Text(500);
  for (const size_t piece : {size_t{1}, SIZE_MAX}) {
    std::string body;
    EXPECT_EQ(Decode({ContentCoding::kGzip}, Encode(ContentCoding::kGzip, a), &body, piece),
              Verdict::kGoesOn);
    EXPECT_EQ(Decode({ContentCoding::kGzip},
                     Encode(ContentCoding::kGzip, a) + std::string(20, '\0'), &body, piece),
              Verdict::kGoesOn);
    EXPECT_EQ(body, a);
  }
  // Wherever they are cut.
  for (const ContentCoding coding : {ContentCoding::kGzip, ContentCoding::kZstd}) {
    for (const size_t piece : {size_t{1}, size_t{3}, SIZE_MAX}) {
      std::string body;
      EXPECT_EQ(Decode({coding}, Encode(coding, a) + Encode(coding, b), &body, piece),
                Verdict::kGoesOn);
      EXPECT_EQ(body, a + b) << static_cast<int>(coding) << " in pieces of " << piece;
    }
  }
}

TEST(BodyDecoderTest, WhatIsCutOffLeavesItsBeginning) {
  const std::string text = Text(200'000);
  for (const ContentCoding coding : kCodings) {
    if (coding == ContentCoding::kIdentity) continue;
    const std::string encoded = Encode(coding, text);
    std::string body;
    EXPECT_EQ(Decode({coding}, encoded.substr(0, 1), &body), Verdict::kBroken);
    for (const size_t kept : {encoded.size() * 9 / 10, encoded.size() - 1}) {
      EXPECT_EQ(Decode({coding}, encoded.substr(0, kept), &body), Verdict::kCut)
          << static_cast<int>(coding) << " " << kept;
      EXPECT_TRUE(!body.empty() && text.starts_with(body)) << static_cast<int>(coding);
    }
  }
}

TEST(BodyDecoderTest, GzipWithoutItsTrailerIsAllThere) {
  const std::string text = Text(10'000);
  const std::string encoded = Encode(ContentCoding::kGzip, text);
  std::string body;
  EXPECT_EQ(Decode({ContentCoding::kGzip}, encoded.substr(0, encoded.size() - 8), &body),
            Verdict::kCut);
  EXPECT_EQ(body, text);
}

TEST(BodyDecoderTest, WhatIsOfAnotherCodingIsBroken) {
  for (const ContentCoding coding : kCodings) {
    if (coding == ContentCoding::kIdentity) continue;
    std::string body;
    EXPECT_EQ(Decode({coding}, "<html>this is not encoded at all</html>", &body), Verdict::kBroken)
        << static_cast<int>(coding);
  }
}

TEST(BodyDecoderTest, CodingsOverOthersAreUndoneFromTheLastToTheFirst) {
  const std::string text = Text(40'000);
  for (const ContentCoding inner : kCodings) {
    for (const ContentCoding outer : kCodings) {
      const std::string encoded = Encode(outer, Encode(inner, text));
      for (const size_t piece : {size_t{7}, SIZE_MAX}) {
        std::string body;
        EXPECT_EQ(Decode({inner, outer}, encoded, &body, piece), Verdict::kGoesOn)
            << static_cast<int>(inner) << " in " << static_cast<int>(outer);
        EXPECT_EQ(body, text);
      }
    }
  }
}

TEST(BodyDecoderTest, OfCodingsOverOthersTheBeginningIsKeptToo) {
  const std::string text = Text(100'000);
  const std::string encoded =
      Encode(ContentCoding::kBrotli, Encode(ContentCoding::kGzip, text) + "junk");
  std::string body;
  EXPECT_EQ(Decode({ContentCoding::kGzip, ContentCoding::kBrotli},
                   encoded.substr(0, encoded.size() - 10), &body),
            Verdict::kCut);
  EXPECT_TRUE(!body.empty() && text.starts_with(body));
}

TEST(BodyDecoderTest, ABombInABombIsSeenAtEitherOfThem) {
  const std::string zeros(size_t{16} << 20, '\0');
  for (const ContentCoding outer : {ContentCoding::kGzip, ContentCoding::kBrotli}) {
    const std::string encoded = Encode(outer, Encode(ContentCoding::kGzip, zeros));
    std::string body;
    EXPECT_EQ(Decode({ContentCoding::kGzip, outer}, encoded, &body, SIZE_MAX, size_t{100} << 20),
              Verdict::kBomb);
    EXPECT_LT(body.size(), size_t{4} << 20);
  }
  // The inner one unpacks to nothing, however much it takes: members without content.
  std::string members;
  const std::string member = Encode(ContentCoding::kGzip, "");
  while (members.size() < size_t{4} << 20) members += member;
  const std::string encoded = Encode(ContentCoding::kGzip, members);
  for (const uint32_t max_compression : {250u, 1'000'000u}) {
    std::string body;
    EXPECT_EQ(Decode({ContentCoding::kGzip, ContentCoding::kGzip}, encoded, &body, SIZE_MAX,
                     size_t{1} << 20, max_compression),
              Verdict::kBomb);
    EXPECT_EQ(body, "");
  }
}

TEST(BodyDecoderTest, ABodyOfExactlyTheBoundIsWholeAndOneByteMoreIsNot) {
  const std::string text = Text(100'000);
  for (const ContentCoding coding : kCodings) {
    const std::string encoded = Encode(coding, text);
    for (const size_t piece : {size_t{100}, SIZE_MAX}) {
      std::string body;
      EXPECT_EQ(Decode({coding}, encoded, &body, piece, 100'000), Verdict::kGoesOn);
      EXPECT_EQ(Decode({coding}, encoded, &body, piece, 99'999), Verdict::kFull);
      EXPECT_EQ(body, text.substr(0, 99'999));
    }
  }
}

TEST(BodyDecoderTest, ABombIsSeenBeforeItHasGrown) {
  const std::string zeros(16 << 20, '\0');
  for (const ContentCoding coding : kCodings) {
    if (coding == ContentCoding::kIdentity) continue;
    std::string body;
    EXPECT_EQ(Decode({coding}, Encode(coding, zeros), &body, SIZE_MAX, 100 << 20), Verdict::kBomb)
        << static_cast<int>(coding);
    EXPECT_LT(body.size(), size_t{8} << 20) << static_cast<int>(coding);
  }
}

TEST(BodyDecoderTest, ASmallBodyMayBeVeryCompressible) {
  const std::string zeros(BodyBounds::kFreeBytes, '\0');
  std::string body;
  EXPECT_EQ(Decode({ContentCoding::kGzip}, Encode(ContentCoding::kGzip, zeros), &body, SIZE_MAX,
                   100 << 20, 2),
            Verdict::kGoesOn);
}

TEST(BodyDecoderTest, AWindowThatNoBrowserTakesIsRefused) {
  // A frame header that asks for 1 GiB (RFC 8878, section 3.1.1.1.2).
  const std::string frame("\x28\xb5\x2f\xfd\x00\xa0\x01\x00\x00", 9);
  std::string body;
  EXPECT_EQ(Decode({ContentCoding::kZstd}, frame, &body), Verdict::kBroken);
}

// Text, noise and runs, one after the other.
std::string Mixture(Random& random, size_t bytes) {
  std::string mixture;
  while (mixture.size() < bytes) {
    const size_t some = 1 + random.Below(std::max<size_t>(1, bytes / 3));
    switch (random.Below(3)) {
      case 0:
        mixture += Text(some);
        break;
      case 1:
        mixture.append(some, static_cast<char>(random.Below(256)));
        break;
      default:
        for (size_t i = 0; i < some; ++i) mixture += static_cast<char>(random.Below(256));
    }
  }
  mixture.resize(bytes);
  return mixture;
}

// One member, by any of zlib's strategies, with any of the optional parts of a head.
std::string Member(Random& random, const std::string& text) {
  constexpr int kStrategies[] = {Z_DEFAULT_STRATEGY, Z_FILTERED, Z_HUFFMAN_ONLY, Z_RLE, Z_FIXED};
  z_stream stream{};
  CHECK(deflateInit2(&stream, static_cast<int>(random.Below(10)), Z_DEFLATED, kGzip,
                     1 + static_cast<int>(random.Below(9)), kStrategies[random.Below(5)]) == Z_OK);
  std::string name = "a name", extra = "more";
  gz_header head{};
  if (random.Below(4) == 0) head.name = reinterpret_cast<Bytef*>(name.data());
  if (random.Below(4) == 0) head.comment = reinterpret_cast<Bytef*>(name.data());
  if (random.Below(4) == 0) {
    head.extra = reinterpret_cast<Bytef*>(extra.data());
    head.extra_len = static_cast<uInt>(extra.size());
  }
  head.hcrc = random.Below(4) == 0 ? 1 : 0;
  CHECK(deflateSetHeader(&stream, &head) == Z_OK);
  return Packed(&stream, text);
}

// In one of the ways in which bodies come damaged, or none. Heads and trailers are hit as often as
// all between them.
void Damage(Random& random, std::string* packed) {
  const auto somewhere = [&] {
    const size_t end = std::min<size_t>(packed->size(), 20);
    switch (random.Below(3)) {
      case 0:
        return random.Below(end);
      case 1:
        return packed->size() - 1 - random.Below(end);
      default:
        return random.Below(packed->size());
    }
  };
  switch (random.Below(8)) {
    case 0:
      packed->resize(somewhere());
      break;
    case 1:
      *packed += Mixture(random, random.Below(30));
      break;
    case 2:
      *packed += Member(random, Mixture(random, random.Below(300)));
      break;
    case 3:
      packed->erase(somewhere(), 1);
      break;
    case 4:
      packed->insert(somewhere(), 1, static_cast<char>(random.Below(256)));
      break;
    case 5:
    case 6:
      for (size_t hits = 1 + random.Below(3); hits > 0; --hits) {
        (*packed)[somewhere()] ^= static_cast<char>(1 << random.Below(8));
      }
      break;
    default:
      break;
  }
}

TEST(BodyDecoderTest, ABodyThatIsHeldBackIsTheOneThatIsUnpackedAsItComes) {
  Random random(7);
  size_t of_each[5] = {};
  for (int i = 0; i < 2'000; ++i) {
    const std::string text = Mixture(random, random.Below(random.Below(20) == 0 ? 50'000 : 2'000));
    std::string packed = Member(random, text);
    Damage(random, &packed);
    const size_t max_bytes = random.Below(4) == 0 ? random.Below(text.size() + 2) : 1 << 20;
    const size_t piece = random.Below(2) == 0 ? SIZE_MAX : 1 + random.Below(1000);
    std::string expected, body;
    const Verdict verdict = Decode({ContentCoding::kGzip}, packed, &expected, piece, max_bytes);
    ASSERT_EQ(Decode({ContentCoding::kGzip}, packed, &body, piece, max_bytes, 250, Wanted::kAtEnd),
              verdict)
        << i;
    ASSERT_TRUE(body == expected) << i;
    ++of_each[static_cast<int>(verdict)];
  }
  for (const Verdict verdict :
       {Verdict::kGoesOn, Verdict::kFull, Verdict::kBroken, Verdict::kCut}) {
    EXPECT_GT(of_each[static_cast<int>(verdict)], 100u) << static_cast<int>(verdict);
  }
}

TEST(BodyDecoderTest, OfMembersThatAreHeldBackEachIsThere) {
  const std::string text = Text(1000);
  const std::string member = Encode(ContentCoding::kGzip, text);
  std::string body;
  EXPECT_EQ(Decode({ContentCoding::kGzip}, member + member, &body, SIZE_MAX, 10 << 20, 250,
                   Wanted::kAtEnd),
            Verdict::kGoesOn);
  EXPECT_EQ(body, text + text);
}

TEST(BodyDecoderTest, OfABodyThatIsHeldBackNoMoreIsHeldThanItsBound) {
  Random random(8);
  std::string noise(2 * BodyDecoder::kMostHeldBytes, '\0');
  for (char& c : noise) c = static_cast<char>(random.Below(256));
  const std::string packed = Encode(ContentCoding::kGzip, noise);
  ASSERT_GT(packed.size(), BodyDecoder::kMostHeldBytes);
  std::string body;
  EXPECT_EQ(Decode({ContentCoding::kGzip}, packed, &body, 1000, 10 << 20, 250, Wanted::kAtEnd),
            Verdict::kGoesOn);
  EXPECT_TRUE(body == noise);
  // Beyond it a body is unpacked as it comes, so that its verdict comes before its end.
  BodyDecoder decoder;
  body.clear();
  decoder.Begin({ContentCoding::kGzip}, {.max_bytes = 1000, .max_compression = 250}, &body,
                Wanted::kAtEnd);
  const auto held = std::string_view(packed).substr(0, BodyDecoder::kMostHeldBytes);
  EXPECT_EQ(decoder.Take(held), Verdict::kGoesOn);
  EXPECT_EQ(body, "");
  EXPECT_EQ(decoder.Take("x"), Verdict::kFull);
  decoder.Drop();
  EXPECT_EQ(body, noise.substr(0, 1000));
}

TEST(BodyDecoderTest, ABodyThatIsHeldBackAndDroppedLeavesNothing) {
  BodyDecoder decoder;
  std::string body;
  for (const bool is_dropped : {true, false}) {
    decoder.Begin({ContentCoding::kGzip}, {.max_bytes = 1000, .max_compression = 250}, &body,
                  Wanted::kAtEnd);
    EXPECT_EQ(decoder.Take(Encode(ContentCoding::kGzip, "text")), Verdict::kGoesOn);
    if (is_dropped) decoder.Drop();
    EXPECT_EQ(decoder.End(), Verdict::kGoesOn);
    EXPECT_EQ(body, is_dropped ? "" : "text");
  }
}

TEST(BodyDecoderTest, ABombThatIsHeldBackIsOneToo) {
  for (const size_t megabytes : {2, 20}) {
    const std::string zeros(megabytes << 20, '\0');
    std::string body;
    EXPECT_EQ(Decode({ContentCoding::kGzip}, Encode(ContentCoding::kGzip, zeros), &body, SIZE_MAX,
                     size_t{300} << 20, 250, Wanted::kAtEnd),
              Verdict::kBomb);
    EXPECT_LT(body.size(), size_t{2} << 20);
  }
}

std::string CodingsOf(const std::vector<std::pair<std::string_view, std::string_view>>& pairs) {
  std::vector<HttpHeader> headers;
  for (const auto& [name, value] : pairs) headers.push_back({.name = name, .value = value});
  ContentCodings codings;
  if (!ReadContentCodings(headers, &codings)) return "refused";
  std::string text;
  for (const ContentCoding coding : codings) text += "igdbz"[static_cast<int>(coding)];
  return text;
}

TEST(ContentCodingTest, NamesInAnyCaseInTheOrderInWhichTheyWereApplied) {
  EXPECT_EQ(CodingsOf({}), "");
  EXPECT_EQ(CodingsOf({{"content-encoding", "GZip"}}), "g");
  EXPECT_EQ(CodingsOf({{"content-encoding", "x-gzip , br"}}), "gb");
  EXPECT_EQ(CodingsOf({{"content-encoding", "deflate"}, {"content-encoding", ",zstd,"}}), "dz");
  EXPECT_EQ(CodingsOf({{"transfer-encoding", "gzip, chunked"}, {"content-encoding", "br"}}), "bg");
}

TEST(ContentCodingTest, WhatIsNoCodingMeansNothing) {
  for (const char* value : {"", "none", "identity", "utf-8", "UTF-8, identity", "unknown", "gzipp",
                            "text/html", "*", "chunked"}) {
    EXPECT_EQ(CodingsOf({{"content-encoding", value}}), "") << value;
  }
  EXPECT_EQ(CodingsOf({{"content-encoding", "utf-8, gzip"}}), "g");
}

TEST(ContentCodingTest, CodingsThatAreNotUndoneAndTooManyAreRefused) {
  EXPECT_EQ(CodingsOf({{"content-encoding", "gzip, compress"}}), "refused");
  EXPECT_EQ(CodingsOf({{"content-encoding", "dcz"}}), "refused");
  EXPECT_EQ(CodingsOf({{"content-encoding", "gzip, gzip, gzip, gzip"}}), "gggg");
  EXPECT_EQ(CodingsOf({{"content-encoding", "gzip, gzip, gzip, gzip, gzip"}}), "refused");
}

}  // namespace
}  // namespace orbweaver
