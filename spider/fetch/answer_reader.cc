#include "spider/fetch/answer_reader.h"

#include "spider/fetch/retry_after.h"

namespace orbweaver {
namespace {

// Of a body that is not wanted: more of it costs more than a new connection.
constexpr size_t kMaxPassedOverBytes = size_t{64} << 10;

bool HasContent(uint32_t status) { return status / 100 == 2 && status != 204 && status != 205; }

}  // namespace

AnswerReader::AnswerReader(const FetchOptions& options, const ContentTypes& types)
    : options_(options), types_(types), reader_(options.max_header_bytes) {}

void AnswerReader::Begin(const FetchRequest& request, FetchResult* result) {
  result_ = result;
  max_body_bytes_ = request.max_body_bytes == 0 ? options_.max_body_bytes : request.max_body_bytes;
  truncate_ = options_.truncate || request.max_body_bytes != 0;
  any_type_ = request.any_type;
  head_only_ = request.head_only;
  is_error_ = false;
  mode_ = Mode::kHead;
  verdict_ = BodyDecoder::Verdict::kGoesOn;
  passed_over_bytes_ = 0;
  reader_.Begin(/*no_body=*/head_only_);
}

AnswerReader::Next AnswerReader::Take(std::string_view bytes) {
  for (;;) {
    const ResponseReader::Event event = reader_.Read(&bytes, *this);
    if (event != ResponseReader::Event::kHead) return OnEvent(event, bytes);
    if (!OnHead()) return Next::kClose;
  }
}

AnswerReader::Next AnswerReader::TakeEnd() {
  const ResponseReader::Event event = reader_.ReadEnd();
  if (event == ResponseReader::Event::kBroken && !settled()) {
    return Fail(untouched() ? FailureCause::kReset : FailureCause::kProtocol,
                untouched() ? "closed without an answer" : "the answer was cut off");
  }
  OnEvent(event, {});
  return Next::kClose;
}

// False: the answer is over with its head, and has failed.
bool AnswerReader::OnHead() {
  result_->status = reader_.status();
  reader_.MoveHead(&result_->response_head, &result_->headers, &result_->header_text);
  result_->retry_after = RetryAfter(result_->Header("retry-after"), result_->started_at);
  is_error_ = options_.error_bodies && !head_only_ && result_->status >= 400 &&
              ReadContentCodings(result_->headers, &codings_);
  if (is_error_) {
    mode_ = Mode::kBody;
    // Until its end has come.
    result_->body_truncated = result_->ended_early = true;
    BeginBody();
    return true;
  }
  if (head_only_ || !HasContent(result_->status)) {
    mode_ = Mode::kPassOver;
    return true;
  }
  mode_ = Mode::kBody;
  if (!any_type_ && !types_.Wants(result_->Header("content-type"))) {
    Fail(FailureCause::kContentType, "content of this type is not wanted");
    return false;
  }
  if (!ReadContentCodings(result_->headers, &codings_)) {
    Fail(FailureCause::kEncoding, "the content encoding is not supported");
    return false;
  }
  // Nothing is reserved for what a Content-Length says: a slow body takes what has come of it.
  if (codings_.empty() && !truncate_ && reader_.announced_bytes() > max_body_bytes_) {
    Fail(FailureCause::kTooLarge, "the body is too large");
    return false;
  }
  BeginBody();
  return true;
}

// Of an error's body its beginning is kept, wherever it ends. Of a body that is bounded to little,
// its first byte say, no more is to be read than gives so much: its end may never come.
void AnswerReader::BeginBody() {
  const bool is_beginning_enough = is_error_ || max_body_bytes_ < BodyBounds::kFreeBytes;
  decoder_.Begin(
      codings_, {.max_bytes = max_body_bytes_, .max_compression = options_.max_compression},
      &result_->body,
      is_beginning_enough ? BodyDecoder::Wanted::kAsItComes : BodyDecoder::Wanted::kAtEnd);
}

bool AnswerReader::TakePiece(std::string_view piece) {
  if (mode_ == Mode::kPassOver) {
    passed_over_bytes_ += piece.size();
    return passed_over_bytes_ <= kMaxPassedOverBytes;
  }
  result_->received_bytes += piece.size();
  verdict_ = decoder_.Take(piece);
  return verdict_ == BodyDecoder::Verdict::kGoesOn;
}

AnswerReader::Next AnswerReader::OnEvent(ResponseReader::Event event, std::string_view rest) {
  using Event = ResponseReader::Event;
  switch (event) {
    case Event::kMore:
      return Next::kRead;
    case Event::kHead:
      break;  // Take's
    case Event::kEnd: {
      const bool keep = reader_.keep_alive() && rest.empty();
      if (mode_ == Mode::kBody) {
        const BodyDecoder::Verdict verdict = decoder_.End();
        if (verdict != BodyDecoder::Verdict::kGoesOn) {
          OnBodyOver(verdict);
        } else if (is_error_) {
          result_->body_truncated = result_->ended_early = false;
        }
      }
      return keep ? Next::kKeep : Next::kClose;
    }
    case Event::kStopped:
      if (mode_ == Mode::kBody) OnBodyOver(verdict_);
      return Next::kClose;
    case Event::kTooLarge:
      return Fail(FailureCause::kTooLarge, "the headers are too large");
    case Event::kBroken:
      return settled() ? Next::kClose : Fail(FailureCause::kProtocol, "the answer is not HTTP");
  }
  return Next::kClose;
}

void AnswerReader::OnBodyOver(BodyDecoder::Verdict verdict) {
  using Verdict = BodyDecoder::Verdict;
  if (is_error_) {
    if (verdict == Verdict::kBomb) result_->body.clear();
    result_->ended_early = verdict == Verdict::kBroken || verdict == Verdict::kCut;
    decoder_.Drop();
  } else if (verdict == Verdict::kBomb) {
    Fail(FailureCause::kTooLarge, "the body unpacks to too much");
  } else if (verdict == Verdict::kBroken) {
    Fail(FailureCause::kEncoding, "the content encoding is broken");
  } else if (verdict == Verdict::kCut && !truncate_) {
    Fail(FailureCause::kEncoding, "the encoded content is cut off");
  } else if (truncate_) {
    result_->body_truncated = true;
    result_->ended_early = verdict == Verdict::kCut;
    decoder_.Drop();
  } else {
    Fail(FailureCause::kTooLarge, "the body is too large");
  }
}

AnswerReader::Next AnswerReader::Fail(FailureCause cause, std::string_view message) {
  result_->failure = cause;
  result_->message = message;
  result_->body.clear();
  decoder_.Drop();
  return Next::kClose;
}

}  // namespace orbweaver
