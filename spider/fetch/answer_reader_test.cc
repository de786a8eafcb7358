#include "spider/fetch/answer_reader.h"

#include <zlib.h>

#include "fmt/format.h"
#include <gtest/gtest.h>

namespace orbweaver {
namespace {

using Next = AnswerReader::Next;

// The result of an answer whose bytes came in pieces of so many.
struct Read {
  FetchResult result;
  Next next = Next::kRead;
  size_t left = 0;  // bytes that were not given any more

  std::string_view body() const { return result.body; }
  // "200", or the cause's number.
  std::string outcome() const {
    return result.failure ? fmt::format("failure {}", static_cast<int>(*result.failure))
                          : fmt::format("{}", result.status);
  }
};

std::string Failure(FailureCause cause) {
  return fmt::format("failure {}", static_cast<int>(cause));
}

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

class AnswerReaderTest : public testing::Test {
 protected:
  Read Take(std::string_view bytes, size_t piece = SIZE_MAX, FetchRequest request = {}) {
    const ContentTypes types(options_.content_types);
    AnswerReader reader(options_, types);
    Read read;
    reader.Begin(request, &read.result);
    while (read.next == Next::kRead && !bytes.empty()) {
      const std::string_view next = bytes.substr(0, piece);
      bytes.remove_prefix(next.size());
      read.next = reader.Take(next);
    }
    read.left = bytes.size();
    if (read.next == Next::kRead) read.next = reader.TakeEnd();
    return read;
  }
  // Whatever the pieces are, the same comes of it.
  Read TakeAnyhow(std::string_view bytes) {
    Read whole = Take(bytes);
    for (const size_t piece : {1, 2, 3, 7}) {
      const Read pieces = Take(bytes, piece);
      EXPECT_EQ(pieces.outcome(), whole.outcome()) << piece;
      EXPECT_EQ(pieces.body(), whole.body()) << piece;
      EXPECT_EQ(pieces.result.headers.size(), whole.result.headers.size()) << piece;
      EXPECT_EQ(pieces.result.response_head, whole.result.response_head) << piece;
    }
    return whole;
  }

  FetchOptions options_;
};

TEST_F(AnswerReaderTest, AnAnswerWithItsLengthCanBeFollowedByAnother) {
  const Read read =
      TakeAnyhow("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 5\r\n\r\nhello");
  EXPECT_EQ(read.outcome(), "200");
  EXPECT_EQ(read.body(), "hello");
  EXPECT_EQ(read.next, Next::kKeep);
  EXPECT_EQ(read.result.received_bytes, 5u);
  EXPECT_EQ(read.result.Header("content-type"), "text/html");
}

TEST_F(AnswerReaderTest, ChunksAreJoinedAndTrailersDropped) {
  const Read read = TakeAnyhow(
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;a=b\r\nhel\r\n2\r\nlo\r\n0\r\nX: "
      "y\r\n\r\n");
  EXPECT_EQ(read.outcome(), "200");
  EXPECT_EQ(read.body(), "hello");
  EXPECT_EQ(read.next, Next::kKeep);
}

// Where its parser asserts, it asserts that the end of a body does not come in such pieces.
TEST_F(AnswerReaderTest, ABodyOfNoChunksMayComeByTheByte) {
  for (const char* end : {"0\r\n\r\n", "0\r\nX: y\r\n\r\n", "000\r\n\r\n"}) {
    const Read read =
        TakeAnyhow(std::string("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n") + end);
    EXPECT_EQ(read.outcome(), "200") << end;
    EXPECT_EQ(read.body(), "");
    EXPECT_EQ(read.next, Next::kKeep);
  }
}

TEST_F(AnswerReaderTest, ABodyWithoutLengthEndsWithItsConnection) {
  const Read read = TakeAnyhow("HTTP/1.1 200 OK\r\n\r\nhello");
  EXPECT_EQ(read.body(), "hello");
  EXPECT_EQ(read.next, Next::kClose);
}

TEST_F(AnswerReaderTest, ConnectionsAreKeptAsTheServerSays) {
  EXPECT_EQ(Take("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n").next,
            Next::kClose);
  EXPECT_EQ(Take("HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n").next, Next::kClose);
  EXPECT_EQ(Take("HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 0\r\n\r\n").next,
            Next::kKeep);
  // Bytes behind the answer are of nobody's.
  EXPECT_EQ(Take("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\nHTTP/1.1 200 OK\r\n").next,
            Next::kClose);
}

TEST_F(AnswerReaderTest, AnswersInBetweenArePassedOver) {
  const Read read = TakeAnyhow(
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
      "HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\nno");
  EXPECT_EQ(read.outcome(), "404");
  EXPECT_EQ(read.next, Next::kKeep);
  EXPECT_EQ(read.body(), "") << "bodies of errors are not wanted";
  EXPECT_EQ(Take("HTTP/1.1 101 Switching Protocols\r\n\r\n").outcome(),
            Failure(FailureCause::kProtocol));
  std::string endless;
  while (endless.size() < options_.max_header_bytes + 100)
    endless += "HTTP/1.1 100 Continue\r\n\r\n";
  EXPECT_EQ(Take(endless).outcome(), Failure(FailureCause::kTooLarge));
}

TEST_F(AnswerReaderTest, AnswersWithoutContentHaveNone) {
  for (const char* status : {"204 No Content", "304 Not Modified"}) {
    const Read read = Take(fmt::format("HTTP/1.1 {}\r\nContent-Length: 100\r\n\r\n", status));
    EXPECT_EQ(read.outcome(), std::string(status).substr(0, 3));
    EXPECT_EQ(read.next, Next::kKeep);
  }
}

TEST_F(AnswerReaderTest, CommonFaultsOfHeadsArePutRight) {
  EXPECT_EQ(TakeAnyhow("HTTP/1.1 200\r\nContent-Length: 2\r\n\r\nok").body(), "ok");
  EXPECT_EQ(TakeAnyhow("HTTP/1.1 200 OK\nContent-Length: 2\n\nok").body(), "ok");
  EXPECT_EQ(TakeAnyhow("HTTP/1.1 200 OK\r\nContent-Length: 2\n\r\nok").body(), "ok");
  EXPECT_EQ(TakeAnyhow("HTTP/1.1 200 OK\r\nContent Type: x\r\njunk\r\nContent-Length : 2\r\n\r\nok")
                .body(),
            "ok");
}

TEST_F(AnswerReaderTest, WhatIsNotHttpIsAProtocolFailure) {
  for (const std::string_view bytes :
       {std::string_view("SSH-2.0-OpenSSH_9.2\r\n\r\n"), std::string_view("\r\n\r\n"),
        std::string_view("HTTP/2 200\r\n\r\n"), std::string_view("HTTP/1.1 abc\r\n\r\n"),
        std::string_view("HTTP/1.1 099 x\r\n\r\n"), std::string_view("<html>\n\n</html>"),
        std::string_view("\0\0\0\n\n", 5),
        std::string_view("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n"),
        std::string_view(
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello")}) {
    EXPECT_EQ(TakeAnyhow(bytes).outcome(), Failure(FailureCause::kProtocol)) << bytes;
  }
}

TEST_F(AnswerReaderTest, WhatIsCutOffIsNoAnswer) {
  EXPECT_EQ(Take("").outcome(), Failure(FailureCause::kReset));
  EXPECT_EQ(Take("HTTP/1.1 200 OK\r\n").outcome(), Failure(FailureCause::kProtocol));
  EXPECT_EQ(Take("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello").outcome(),
            Failure(FailureCause::kProtocol));
  EXPECT_EQ(Take("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n").outcome(),
            Failure(FailureCause::kProtocol));
  EXPECT_EQ(Take("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello").body(), "");
  // Of a body that nobody wants the end is not missed.
  EXPECT_EQ(Take("HTTP/1.1 404 No\r\nContent-Length: 9\r\n\r\nhello").outcome(), "404");
}

TEST_F(AnswerReaderTest, AHeadIsBoundedInBytesAndFields) {
  options_.max_header_bytes = 1000;
  const std::string fits = "HTTP/1.1 200 OK\r\nX: " + std::string(900, 'x') + "\r\n\r\n";
  EXPECT_EQ(TakeAnyhow(fits).outcome(), "200");
  const std::string larger = "HTTP/1.1 200 OK\r\nX: " + std::string(1000, 'x') + "\r\n\r\n";
  EXPECT_EQ(TakeAnyhow(larger).outcome(), Failure(FailureCause::kTooLarge));
  options_.max_header_bytes = 64 << 10;
  std::string fields = "HTTP/1.1 200 OK\r\n";
  for (int i = 0; i < 5000; ++i) fields += "a:\r\n";
  EXPECT_EQ(Take(fields + "\r\n").outcome(), Failure(FailureCause::kProtocol));
}

TEST_F(AnswerReaderTest, ALineOfAChunkThatNeverEndsIsRefused) {
  const std::string head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;";
  for (const size_t piece : {size_t{1000}, SIZE_MAX}) {
    const Read read = Take(head + std::string(1 << 20, 'x'), piece);
    EXPECT_EQ(read.outcome(), Failure(FailureCause::kProtocol));
    if (piece == 1000) EXPECT_GT(read.left, size_t{900} << 10) << "it was read to its end";
  }
}

TEST_F(AnswerReaderTest, ABodyIsCutAtItsBoundOrRefused) {
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

TEST_F(AnswerReaderTest, AnErrorsBodyIsPassedOverWhileItIsShort) {
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

TEST_F(AnswerReaderTest, OtherTypesAreNotReadUnlessAskedFor) {
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

TEST_F(AnswerReaderTest, AnEncodingThatIsNotUndoneIsAFailure) {
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

TEST_F(AnswerReaderTest, AnEncodingThatIsNoneIsIdentity) {
  for (const char* encoding : {"none", "utf-8", "unknown", "x-secret", "identity", ""}) {
    const Read read = TakeAnyhow(fmt::format(
        "HTTP/1.1 200 OK\r\nContent-Encoding: {}\r\nContent-Length: 5\r\n\r\nhello", encoding));
    EXPECT_EQ(read.body(), "hello") << encoding;
    EXPECT_EQ(read.next, Next::kKeep) << encoding;
  }
}

TEST_F(AnswerReaderTest, SeveralEncodingsAreUndone) {
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

TEST_F(AnswerReaderTest, WhatIsCutOffOfAnEncodingIsKeptAndMarked) {
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

TEST_F(AnswerReaderTest, AnAnswerWithTwoFramingsIsReadAndItsConnectionEnded) {
  const char* const chunks = "5\r\nhello\r\n0\r\n\r\n";
  for (const char* headers : {"Transfer-Encoding: chunked\r\nContent-Length: 3\r\n",
                              "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n",
                              "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
                              "Transfer-Encoding: chunked\r\nContent-Length: x\r\n"}) {
    const Read read =
        TakeAnyhow(fmt::format("HTTP/1.1 200 OK\r\nX-Robots-Tag: a\r\n{}\r\n{}", headers, chunks));
    EXPECT_EQ(read.outcome(), "200") << headers;
    EXPECT_EQ(read.body(), "hello") << headers;
    EXPECT_EQ(read.next, Next::kClose) << headers;
    EXPECT_EQ(read.result.Header("x-robots-tag"), "a") << headers;
  }
  for (const char* length : {"x", "-1"}) {
    const Read read =
        TakeAnyhow(fmt::format("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\nhello", length));
    EXPECT_EQ(read.body(), "hello") << length;
    EXPECT_EQ(read.next, Next::kClose) << length;
  }
}

TEST_F(AnswerReaderTest, ChunksOfIrregularFormEndTheirConnection) {
  const std::string head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  const Read blank = TakeAnyhow(head + "5 \r\nhello\r\n0\r\n\r\n");
  EXPECT_EQ(blank.body(), "hello");
  EXPECT_EQ(blank.next, Next::kClose);
  const Read feeds = TakeAnyhow(head + "5\nhello\n0\n\n");
  EXPECT_EQ(feeds.body(), "hello");
  EXPECT_EQ(feeds.next, Next::kClose);
}

TEST_F(AnswerReaderTest, ManyHeadersWithinTheBoundAreKept) {
  std::string head = "HTTP/1.1 200 OK\r\n";
  for (int i = 0; i < 1500; ++i) head += fmt::format("X-{}: {}\r\n", i, i);
  const Read read = TakeAnyhow(head + "Content-Length: 5\r\n\r\nhello");
  EXPECT_EQ(read.outcome(), "200");
  EXPECT_EQ(read.body(), "hello");
  EXPECT_EQ(read.result.headers.size(), 1501u);
}

TEST_F(AnswerReaderTest, ControlCharactersInAHeaderAreBlanks) {
  const Read read = TakeAnyhow(
      "HTTP/1.1 200 OK\r\nX-A: a\x01"
      "b\r\n~X: c\r\nContent-Length: 5\r\n\r\nhello");
  EXPECT_EQ(read.body(), "hello");
  EXPECT_EQ(read.result.Header("x-a"), "a b");
  EXPECT_EQ(read.result.Header("~x"), "c");
  EXPECT_EQ(read.next, Next::kClose);
}

TEST_F(AnswerReaderTest, FoldedAndRepeatedHeadersAreKept) {
  const Read read = TakeAnyhow(
      "HTTP/1.1 200 OK\r\nX-Robots-Tag: noindex\r\nX-ROBOTS-TAG: nofollow\r\nX-Long: a\r\n b\r\n"
      "Content-Length: 0\r\n\r\n");
  ASSERT_EQ(read.result.headers.size(), 4u);
  EXPECT_EQ(read.result.headers[0].name, "x-robots-tag");
  EXPECT_EQ(read.result.headers[1].value, "nofollow");
  EXPECT_EQ(read.result.Header("x-long"), "a b");
  // Of a result that was moved too.
  FetchResult moved;
  {
    Read other = Take("HTTP/1.1 200 OK\r\nServer: x\r\n\r\n");
    moved = std::move(other.result);
  }
  EXPECT_EQ(moved.Header("server"), "x");
}

TEST_F(AnswerReaderTest, TheAnswerToHeadEndsWithItsHead) {
  for (const char* fields : {"Content-Length: 7\r\n", "Transfer-Encoding: chunked\r\n",
                             "Content-Type: image/png\r\nContent-Encoding: x\r\n"}) {
    const Read read =
        Take(fmt::format("HTTP/1.1 200 OK\r\n{}\r\n", fields), SIZE_MAX, {.head_only = true});
    EXPECT_EQ(read.outcome(), "200") << fields;
    EXPECT_EQ(read.next, Next::kKeep) << fields;
  }
  // A server that sends the body all the same: its bytes are no answer to another request.
  const Read read =
      Take("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", SIZE_MAX, {.head_only = true});
  EXPECT_EQ(read.outcome(), "200");
  EXPECT_EQ(read.next, Next::kClose);
  EXPECT_EQ(read.body(), "");
}

TEST(ContentTypesTest, PatternsMatchTheTypeWithoutItsParameters) {
  const ContentTypes types({"text/*", "application/*+xml"});
  for (const char* wanted : {"text/html", "TEXT/HTML; charset=utf-8", " text/plain ", "",
                             "application/rss+xml", "application/xhtml+xml;q=1", "; charset=x"}) {
    EXPECT_TRUE(types.Wants(wanted)) << wanted;
  }
  for (const char* other :
       {"application/xml", "application/pdf", "xtext/html", "application/rss+xmlx"}) {
    EXPECT_FALSE(types.Wants(other)) << other;
  }
  EXPECT_TRUE(ContentTypes({"*"}).Wants("x/y"));
  EXPECT_FALSE(ContentTypes({}).Wants("text/html"));
  EXPECT_FALSE(ContentTypes({"a*a*a*a*a*a*a*b"}).Wants(std::string(60'000, 'a')));
}

TEST_F(AnswerReaderTest, BodiesOfErrorsAreReadWhereTheyAreAskedForAndFailNothing) {
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
