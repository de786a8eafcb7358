// Writes archives of every kind of answer into the folder it is given, for warcio_test.py.
#include <string>

#include "common/base/random.h"
#include "common/base/status.h"
#include "spider/publish/archive.h"

int main(int argc, char** argv) {
  using namespace orbweaver;
  if (argc != 2) return 2;
  Archive archive({.folder = argv[1], .max_file_bytes = 20'000}, "test", "orbweaver-spider/test",
                  SystemClock());
  Random random(1);
  for (int i = 0; i < 200; ++i) {
    FetchResult result;
    result.started_at = SystemClock().Wall();
    result.request_head = "GET /x HTTP/1.1\r\nHost: a.test\r\nUser-Agent: o\r\n\r\n";
    result.response_head = "HTTP/1.0 200 OK\r\nContent-Encoding: br\r\nContent-Length: 12\r\n\r\n";
    result.status = 200;
    if (i % 10 == 1) {
      result.status = 304;
      result.response_head = "HTTP/1.1 304 Not Modified\r\nETag: \"x\"\r\n\r\n";
    } else if (i % 10 == 2) {
      result.status = 404;
      result.response_head = "HTTP/1.1 404 \r\n\r\n";
    } else if (i % 10 == 5) {
      result.failure = FailureCause::kContentType;
    } else if (i % 10 == 6) {
      result.status = 403;
      result.response_head = "HTTP/1.1 403\nServer: x\n\n";
    } else if (i % 10 == 3) {
      result.body = "content that comes again";
    } else {
      // Any bytes, line ends and NUL included.
      for (uint64_t n = random.Below(5'000); n > 0; --n) {
        result.body += static_cast<char>(random.Below(256));
      }
      result.body_truncated = i % 10 == 4;
    }
    if (i % 2 == 0) result.address = *IpAddress::Parse(i % 4 == 0 ? "192.0.2.1" : "2001:db8::1");
    CHECK_OK(archive.KeepExchange("http://a.test/" + std::to_string(i), result));
  }
  CHECK_OK(archive.Finish());
  return 0;
}
