// The bodies of answers: bounds, types, encodings, errors.
#include <zlib.h>

#include "tests/support/answer_reader_fixture.h"

namespace orbweaver {
namespace {

std::string Gzip(std::string_view text) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 9, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(deflateBound(&stream, text.size()), 0);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

class AnswerBodyTest : public AnswerReaderTest {};

TEST_F(AnswerBodyTest, ABodyIsCutAtItsBoundOrRefused) {
  options_.max_body_bytes = 4;
  const std::string bytes = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";
  Read cut = TakeAnyhow(bytes);
  EXPECT_EQ(cut.body(), "hell");
  EXPECT_TRUE(cut.result.body_truncated);
  EXPECT_EQ(cut.next, Next::kClose);
  EXPECT_EQ(Take(bytes, SIZE_MAX, {.max_body_bytes = 5}).body(), "hello");
  options_.truncate = false;
  EXPECT_EQ(TakeAnyhow(bytes).outcome(), Failure(FailureCause::kTooLarge));
  EXPECT_EQ(TakeAnyhow("HTTP/1.1 200 OK\r\n\r\nhello").outcome(), Failure(FailureCause::kTooLarge));
  // A body beyond the caller's own bound is cut.
  EXPECT_EQ(Take(bytes, SIZE_MAX, {.max_body_bytes = 2}).body(), "he");
}

// `orbweaver check` wants the first byte, of streams too, which have no end.
TEST_F(AnswerBodyTest, OfABoundedBodyInGzipNoMoreIsReadThanItsBoundNeeds) {
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += fmt::format("{} ", i * 7919 % 10'007);
  const std::string packed = Gzip(text);
  const std::string bytes = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n" + packed;
  for (const size_t bound : {size_t{1}, size_t{10'000}}) {
    const Read read = Take(bytes, 100, {.max_body_bytes = bound});
    EXPECT_EQ(read.body(), text.substr(0, bound));
    EXPECT_TRUE(read.result.body_truncated);
    EXPECT_EQ(read.next, Next::kClose);
    EXPECT_GT(read.left, packed.size() / 2) << bound;
  }
}

TEST_F(AnswerBodyTest, AnErrorsBodyIsPassedOverWhileItIsShort) {
  const auto error = [](size_t bytes) {
    return fmt::format("HTTP/1.1 500 No\r\nContent-Length: {}\r\n\r\n{}", bytes,
                       std::string(bytes, 'x'));
  };
  EXPECT_EQ(Take(error(60'000)).next, Next::kKeep);
  const Read longer = Take(error(10 << 20), 10'000);
  EXPECT_EQ(longer.outcome(), "500");
  EXPECT_EQ(longer.next, Next::kClose);
  EXPECT_GT(longer.left, size_t{9} << 20) << "it was read to its end";
}

TEST_F(AnswerBodyTest, OtherTypesAreNotReadUnlessAskedFor) {
  const std::string video =
      "HTTP/1.1 200 OK\r\nContent-Type: video/mp4\r\nContent-Length: 1\r\n\r\nx";
  const Read refused = Take(video);
  EXPECT_EQ(refused.outcome(), Failure(FailureCause::kContentType));
  EXPECT_EQ(refused.result.status, 200u);
  EXPECT_EQ(Take(video, SIZE_MAX, {.any_type = true}).body(), "x");
  // An error's type does not matter.
  EXPECT_EQ(
      Take("HTTP/1.1 404 No\r\nContent-Type: video/mp4\r\nContent-Length: 0\r\n\r\n").outcome(),
      "404");
}

TEST_F(AnswerBodyTest, AnEncodingThatIsNotUndoneIsAFailure) {
  EXPECT_EQ(
      Take("HTTP/1.1 200 OK\r\nContent-Encoding: compress\r\nContent-Length: 1\r\n\r\nx").outcome(),
      Failure(FailureCause::kEncoding));
  EXPECT_EQ(
      Take("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 1\r\n\r\nx").outcome(),
      Failure(FailureCause::kEncoding));
  EXPECT_EQ(
      Take("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 0\r\n\r\n").outcome(),
      "200");
}

TEST_F(AnswerBodyTest, AnEncodingThatIsNoneIsIdentity) {
  for (const char* encoding : {"none", "utf-8", "unknown", "x-secret", "identity", ""}) {
    const Read read = TakeAnyhow(fmt::format(
        "HTTP/1.1 200 OK\r\nContent-Encoding: {}\r\nContent-Length: 5\r\n\r\nhello", encoding));
    EXPECT_EQ(read.body(), "hello") << encoding;
    EXPECT_EQ(read.next, Next::kKeep) << encoding;
  }
}

TEST_F(AnswerBodyTest, SeveralEncodingsAreUndone) {
  const std::string twice = Gzip(Gzip("hello"));
  for (const char* headers :
       {"Content-Encoding: gzip, gzip\r\n", "Content-Encoding: gzip\r\nContent-Encoding: gzip\r\n",
        "Content-Encoding: x-gzip,GZIP\r\n",
        "Content-Encoding: gzip\r\nTransfer-Encoding: gzip\r\n",
        "Transfer-Encoding: gzip, gzip\r\n"}) {
    const Read read = TakeAnyhow(fmt::format("HTTP/1.1 200 OK\r\n{}\r\n{}", headers, twice));
    EXPECT_EQ(read.outcome(), "200") << headers;
    EXPECT_EQ(read.body(), "hello") << headers;
    EXPECT_EQ(read.result.received_bytes, twice.size()) << headers;
    EXPECT_FALSE(read.result.body_truncated) << headers;
  }
  const Read chunked = TakeAnyhow(fmt::format(
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n{:x}\r\n{}\r\n0\r\n\r\n",
      Gzip("hello").size(), Gzip("hello")));
  EXPECT_EQ(chunked.body(), "hello");
}

TEST_F(AnswerBodyTest, WhatIsCutOffOfAnEncodingIsKeptAndMarked) {
  const std::string encoded = Gzip("hello");
  const auto answer = [&](size_t missing) {
    const std::string_view body = std::string_view(encoded).substr(0, encoded.size() - missing);
    return fmt::format("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: {}\r\n\r\n{}",
                       body.size(), body);
  };
  EXPECT_FALSE(TakeAnyhow(answer(0)).result.body_truncated);
  for (const size_t missing : {1, 8}) {
    const Read read = TakeAnyhow(answer(missing));
    EXPECT_EQ(read.body(), "hello") << missing;
    EXPECT_TRUE(read.result.body_truncated) << missing;
  }
  options_.truncate = false;
  EXPECT_EQ(TakeAnyhow(answer(8)).outcome(), Failure(FailureCause::kEncoding));
}

TEST_F(AnswerBodyTest, BodiesOfErrorsAreReadWhereTheyAreAskedForAndFailNothing) {
  const std::string gone =
      "HTTP/1.1 404 Gone\r\nContent-Type: image/png\r\nContent-Length: 4\r\n\r\nbody";
  EXPECT_EQ(Take(gone).body(), "");
  options_.error_bodies = true;
  for (const size_t piece : {size_t{1}, SIZE_MAX}) {
    const Read read = Take(gone, piece);
    EXPECT_EQ(read.outcome(), "404");
    EXPECT_EQ(read.body(), "body");
    EXPECT_FALSE(read.result.body_truncated);
    EXPECT_EQ(read.next, Next::kKeep);
  }
  // Cut off, encoded wrongly or unknown, and too large.
  const Read cut = Take(gone.substr(0, gone.size() - 2));
  EXPECT_EQ(cut.outcome(), "404");
  EXPECT_EQ(cut.body(), "bo");
  EXPECT_TRUE(cut.result.body_truncated && cut.result.ended_early);
  for (const char* const coding : {"gzip", "unheard-of"}) {
    const Read read = Take("HTTP/1.1 500 x\r\nContent-Encoding: " + std::string(coding) +
                           "\r\nContent-Length: 4\r\n\r\nbody");
    EXPECT_EQ(read.outcome(), "500") << coding;
  }
  options_.max_body_bytes = 2;
  options_.truncate = false;
  const Read large = Take(gone);
  EXPECT_EQ(large.outcome(), "404");
  EXPECT_EQ(large.body(), "bo");
  EXPECT_TRUE(large.result.body_truncated && !large.result.ended_early);
}

}  // namespace
}  // namespace orbweaver
