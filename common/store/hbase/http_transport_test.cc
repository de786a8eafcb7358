#include "common/store/hbase/http_transport.h"

#include <algorithm>
#include <string>
#include <string_view>

#include <gtest/gtest.h>
#include <thrift/transport/TTransportException.h>
#include <thrift/transport/TVirtualTransport.h>

namespace orbweaver {
namespace {

using apache::thrift::transport::TTransport;
using apache::thrift::transport::TTransportException;

// A server that has answered already, and of whose answer each read brings a few bytes.
class Answered : public apache::thrift::transport::TVirtualTransport<Answered> {
 public:
  explicit Answered(std::string answer, size_t at_once) : answer_(answer), at_once_(at_once) {}
  bool isOpen() const override { return true; }
  uint32_t read(uint8_t* into, uint32_t size) {
    const size_t count = std::min({size_t{size}, at_once_, answer_.size() - place_});
    std::copy_n(answer_.data() + place_, count, into);
    place_ += count;
    return static_cast<uint32_t>(count);
  }
  void write(const uint8_t* bytes, uint32_t size) {
    sent_.append(reinterpret_cast<const char*>(bytes), size);
  }
  const std::string& sent() const { return sent_; }

 private:
  const std::string answer_;
  const size_t at_once_;
  size_t place_ = 0;
  std::string sent_;
};

std::string ReadAll(TTransport& http) {
  std::string body;
  uint8_t buffer[7];
  while (const uint32_t count = http.read(buffer, sizeof buffer)) {
    body.append(reinterpret_cast<char*>(buffer), count);
  }
  return body;
}

void Send(TTransport& http, std::string_view text) {
  http.write(reinterpret_cast<const uint8_t*>(text.data()), static_cast<uint32_t>(text.size()));
  http.flush();
}

constexpr char kChunked[] =
    "HTTP/1.1 200 OK\r\nContent-Type: application/x-thrift\r\nTRANSFER-ENCODING: Chunked\r\n\r\n"
    "5;name=value\r\nfirst\r\nb\r\n and second\r\n0\r\nTrailer: x\r\n\r\n";
constexpr char kWhole[] = "HTTP/1.1 200 OK\r\ncontent-length:  4 \r\n\r\nnext";

TEST(HttpTransportTest, ACallIsAPostAndItsAnswerTheBody) {
  const auto raw = std::make_shared<Answered>(kWhole, 1000);
  const auto http = NewHttpTransport(raw, "127.0.0.1:9090");
  Send(*http, "call");
  EXPECT_EQ(raw->sent(),
            "POST / HTTP/1.1\r\nHost: 127.0.0.1:9090\r\nUser-Agent: orbweaver\r\n"
            "Accept: application/x-thrift\r\nContent-Type: application/x-thrift\r\n"
            "Content-Length: 4\r\n\r\ncall");
  EXPECT_EQ(ReadAll(*http), "next");
}

TEST(HttpTransportTest, KeepsItsPlaceBehindAnswersOfEveryFormHoweverTheyArrive) {
  for (size_t at_once = 1; at_once < 300; ++at_once) {
    const auto raw = std::make_shared<Answered>(
        std::string(kChunked) + "HTTP/1.1 100 Continue\r\n\r\n" + kWhole + kChunked, at_once);
    const auto http = NewHttpTransport(raw, "h:1");
    Send(*http, "a");
    EXPECT_EQ(ReadAll(*http), "first and second");
    Send(*http, "b");
    EXPECT_EQ(ReadAll(*http), "next");
    Send(*http, "c");
    EXPECT_EQ(ReadAll(*http), "first and second");
  }
}

TEST(HttpTransportTest, TheEndOfAnAnswerIsReadBeforeTheNextCall) {
  const auto raw = std::make_shared<Answered>(std::string(kChunked) + kWhole, 1000);
  const auto http = NewHttpTransport(raw, "h:1");
  Send(*http, "a");
  uint8_t message[16];  // the whole message: nobody asks for more
  uint32_t count = 0;
  while (count < sizeof message) {
    count += http->read(message + count, static_cast<uint32_t>(sizeof message - count));
  }
  Send(*http, "b");
  EXPECT_EQ(ReadAll(*http), "next");
}

TEST(HttpTransportTest, AnAnswerLongerThanItsMessageBreaksTheConnection) {
  const auto raw = std::make_shared<Answered>(std::string(kChunked) + kWhole, 1000);
  const auto http = NewHttpTransport(raw, "h:1");
  Send(*http, "a");
  uint8_t byte = 0;
  ASSERT_EQ(http->read(&byte, 1), 1u);
  EXPECT_THROW(Send(*http, "b"), TTransportException);
}

std::string FailureOn(const std::string& answer) {
  const auto http = NewHttpTransport(std::make_shared<Answered>(answer, 1000), "h:1");
  Send(*http, "a");
  try {
    return "no failure, but " + ReadAll(*http);
  } catch (const TTransportException& error) {
    return error.what();
  }
}

TEST(HttpTransportTest, SaysWhatIsWrongWithAnAnswer) {
  EXPECT_EQ(FailureOn(""), "the server closed the connection");
  EXPECT_EQ(FailureOn("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhalf"),
            "the server closed the connection");
  EXPECT_EQ(FailureOn("\x80\x01\n"), "the answer is no HTTP: '\\x80\\x01'");
  EXPECT_EQ(FailureOn(std::string("\x15\x03\x03\0\x02\x02\x50", 7)),
            "the server speaks TLS. Set hbase.tls.enabled");
  EXPECT_EQ(FailureOn("HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n"),
            "the server answers HTTP '401 Unauthorized' to a Thrift call");
  EXPECT_EQ(FailureOn("HTTP/1.1 200 OK\r\n\r\n"), "the answer says nothing of its length");
  EXPECT_EQ(FailureOn("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n"),
            "the answer is in gzip");
  EXPECT_EQ(FailureOn("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n"),
            "the answer's length is no number: '-1'");
  EXPECT_EQ(FailureOn("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"),
            "the answer's length is no number: 'zz'");
  EXPECT_EQ(FailureOn("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n"),
            "a chunk of the answer has no end");
  EXPECT_EQ(FailureOn(std::string(100'000, 'x')), "a line of the answer's head is too long");
  std::string head = "HTTP/1.1 200 OK\r\n";
  for (int i = 0; i < 1000; ++i) head += "a: b\r\n";
  EXPECT_EQ(FailureOn(head), "the answer's head is too long");
}

}  // namespace
}  // namespace orbweaver
