// From a connection's bytes to what a fetch tells of its answer.
#pragma once

#include <cstdint>
#include <string_view>

#include "spider/fetch/body_decoder.h"
#include "spider/fetch/content_types.h"
#include "spider/fetch/fetch_options.h"
#include "spider/fetch/fetch_result.h"
#include "spider/fetch/response_reader.h"

namespace orbweaver {

// Framing, content encoding, and what is wanted at all: bodies of 2xx of the right types, and of
// errors where they are asked for. Other bodies are passed over while they are short, so that their
// connections can be kept.
//
// Place: in each fetch, under the coroutine that reads; no I/O. Any bytes come to an end or to a
// bound. Not thread-safe.
class AnswerReader : private BodySink {
 public:
  enum class Next : uint8_t {
    kRead,   // more bytes are needed
    kKeep,   // the answer is complete, and the connection may serve another request
    kClose,  // complete or failed (FetchResult::failure); the connection is of no more use
  };

  // Both must outlive this.
  AnswerReader(const FetchOptions& options, const ContentTypes& types);

  // `result` is written from now on, until Take or TakeEnd says that it is over.
  void Begin(const FetchRequest& request, FetchResult* result);

  Next Take(std::string_view bytes);
  // The server has ended the connection.
  Next TakeEnd();

  // Frees what a body that did not come to its end has left.
  void Abandon() { decoder_.Drop(); }

  // Nothing of the answer has come.
  bool untouched() const { return !reader_.has_bytes(); }
  // The rest of the answer is not wanted: an answer that ends here is no failure.
  bool settled() const { return mode_ == Mode::kPassOver || is_error_; }

 private:
  enum class Mode : uint8_t { kHead, kBody, kPassOver };

  // A piece of the body, without its framing.
  bool TakePiece(std::string_view piece) override;
  bool OnHead();
  void BeginBody();
  Next OnEvent(ResponseReader::Event event, std::string_view rest);
  void OnBodyOver(BodyDecoder::Verdict verdict);
  Next Fail(FailureCause cause, std::string_view message);

  const FetchOptions& options_;
  const ContentTypes& types_;
  ResponseReader reader_;
  ContentCodings codings_;
  BodyDecoder decoder_;

  FetchResult* result_ = nullptr;
  size_t max_body_bytes_ = 0;
  bool truncate_ = false;
  bool any_type_ = false;
  bool head_only_ = false;
  bool is_error_ = false;  // whose body is read all the same
  Mode mode_ = Mode::kHead;
  BodyDecoder::Verdict verdict_ = BodyDecoder::Verdict::kGoesOn;
  size_t passed_over_bytes_ = 0;
};

}  // namespace orbweaver
