// The failure of a Thrift call, as far as the caller's next step depends on it.
#pragma once

#include <exception>
#include <string>
#include <string_view>

namespace orbweaver {

struct CallFailure {
  enum class Kind {
    kConnection,      // broken, or its state unknown; it must go. Another one may work at once.
    kTimedOut,        // likewise, and the server had its time
    kBusy,            // the server answered that it cannot do it now
    kInternal,        // the server answered that it failed, without saying why
    kAnswerTooLarge,  // the connection must go; fewer rows may work
    kTableMissing,
    kRefused,  // the server answered that it will never do it
  };
  Kind kind;
  std::string cause;

  // Whether the server's answer was read whole, so that the connection can be used again.
  bool Answered() const {
    return kind == Kind::kBusy || kind == Kind::kInternal || kind == Kind::kTableMissing ||
           kind == Kind::kRefused;
  }
};

// An answer with more bytes than HBaseOptions::max_answer_bytes. Thrown through Thrift's code.
struct AnswerTooLarge : std::exception {
  const char* what() const noexcept override { return "the answer is too large"; }
};

// An answer that can be read, but is none to the question. Thrown by who compares the two.
struct MismatchedAnswer : std::exception {
  const char* what() const noexcept override { return "rows that were not asked for"; }
};

// Sorts the exception being handled; to be called in a catch block. `table` is the one that the
// call is about, as HBase names it; empty when its absence is no error.
CallFailure SortCurrentException(std::string_view table);

}  // namespace orbweaver
