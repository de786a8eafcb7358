// Undoes gzip with the decoder of the spider, for tests.
#pragma once

#include <string>
#include <string_view>

#include "spider/fetch/body_decoder.h"

namespace orbweaver {

// "broken" when it is none, or has no end.
inline std::string Gunzipped(std::string_view bytes) {
  std::string text;
  BodyDecoder decoder;
  decoder.Begin({ContentCoding::kGzip}, {.max_bytes = size_t{64} << 20, .max_compression = 1000},
                &text);
  const bool went_on = decoder.Take(bytes) == BodyDecoder::Verdict::kGoesOn;
  return decoder.End() == BodyDecoder::Verdict::kGoesOn && went_on ? text : "broken";
}

}  // namespace orbweaver
