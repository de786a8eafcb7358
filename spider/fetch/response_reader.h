// From the bytes of a connection to one answer: its head, then its body piece by piece.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/model/spider_log.h"
#include "spider/fetch/body_framing.h"

namespace orbweaver {

// HTTP/1.1 as RFC 9112 has it. Beast parses heads; a head that it refuses is tried once more with
// what servers commonly get wrong put right (line feeds alone, no reason phrase, junk lines, fields
// that contradict each other). Answers 1xx are passed over.
//
// Place: in each fetch, over whatever transports it; no I/O. Holds max_head_bytes at most. Not
// thread-safe.
class ResponseReader {
 public:
  enum class Event : uint8_t {
    kMore,      // all was taken, and more is needed
    kHead,      // the head is complete: status(), headers(), head()
    kEnd,       // the answer is complete; what is left of the bytes is none of it
    kStopped,   // the sink wants no more
    kTooLarge,  // the head
    kBroken,    // not HTTP, or not complete
  };

  explicit ResponseReader(size_t max_head_bytes) : max_head_bytes_(max_head_bytes) {}

  // Before each answer. `no_body`: of a CONNECT or HEAD, which ends with its head.
  void Begin(bool no_body = false);

  // Goes on with `bytes`, and cuts what was taken off their beginning. Call again after kHead, also
  // with no bytes left; after anything else but kMore not before Begin.
  Event Read(std::string_view* bytes, BodySink& sink);
  // The server has ended the connection: kEnd when that ends the body, else kBroken.
  Event ReadEnd();

  bool has_bytes() const { return has_bytes_; }  // of this answer
  // From kHead to Begin.
  uint32_t status() const { return status_; }
  const std::vector<HttpHeader>& headers() const { return headers_; }  // names in lower case
  std::string_view head() const { return head_; }  // as it came, through the empty line
  std::string_view Header(std::string_view name) const;
  // How long the body will be by its head; 0: it does not say.
  uint64_t announced_bytes() const { return framing_.announced_bytes(); }
  // Moves head and headers out; headers() and head() are empty from then on.
  void MoveHead(std::string* head, std::vector<HttpHeader>* headers, std::string* header_text);
  // The connection may serve another request after kEnd.
  bool keep_alive() const { return keep_alive_ && framing_.regular(); }

 private:
  class HeadParser;

  Event ReadHead(std::string_view* bytes);
  bool ParseHead(std::string_view text, bool repaired);
  bool BeginBody();

  const size_t max_head_bytes_;
  BodyFraming framing_;

  bool no_body_ = false;
  bool has_bytes_ = false;
  bool head_done_ = false;
  bool keep_alive_ = false;  // as its head says
  size_t passed_bytes_ = 0;  // of 1xx
  uint32_t status_ = 0;
  std::string head_;
  std::string texts_;  // what headers_ points into
  std::vector<HttpHeader> headers_;
};

}  // namespace orbweaver
