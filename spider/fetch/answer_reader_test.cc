#include "spider/fetch/answer_reader.h"

#include "fmt/format.h"
#include <gtest/gtest.h>

#include "tests/support/answer_reader_fixture.h"

namespace orbweaver {
namespace {

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

}  // namespace
}  // namespace orbweaver
