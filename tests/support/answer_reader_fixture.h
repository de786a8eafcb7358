// An answer reader whose input comes in pieces of any size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "fmt/format.h"
#include <gtest/gtest.h>

#include "spider/fetch/answer_reader.h"

namespace orbweaver {

// The result of an answer whose bytes came in pieces of so many.
struct AnswerAsRead {
  FetchResult result;
  AnswerReader::Next next = AnswerReader::Next::kRead;
  size_t left = 0;  // bytes that were not given any more

  std::string_view body() const { return result.body; }
  // "200", or the cause's number.
  std::string outcome() const {
    return result.failure ? fmt::format("failure {}", static_cast<int>(*result.failure))
                          : fmt::format("{}", result.status);
  }
};

inline std::string Failure(FailureCause cause) {
  return fmt::format("failure {}", static_cast<int>(cause));
}

class AnswerReaderTest : public testing::Test {
 protected:
  using Next = AnswerReader::Next;
  using Read = AnswerAsRead;

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

}  // namespace orbweaver
