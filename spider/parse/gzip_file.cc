#include "spider/parse/gzip_file.h"

#include <algorithm>

namespace orbweaver {
namespace {

// Between two looks at what came of it.
constexpr size_t kPieceBytes = size_t{16} << 10;
constexpr size_t kLookedAtBytes = 512;

bool IsText(std::string_view beginning) {
  const bool utf16 = beginning.starts_with("\xff\xfe") || beginning.starts_with("\xfe\xff");
  return utf16 || beginning.substr(0, kLookedAtBytes).find('\0') == std::string_view::npos;
}

}  // namespace

// The third byte is the only method there is.
bool IsGzipFile(std::string_view body) { return body.starts_with("\x1f\x8b\x08"); }

Unpacked UnpackGzipFile(std::string_view file, const BodyBounds& bounds, std::string* text) {
  using Verdict = BodyDecoder::Verdict;
  BodyDecoder decoder;
  decoder.Begin({ContentCoding::kGzip}, bounds, text);
  auto verdict = Verdict::kGoesOn;
  while (verdict == Verdict::kGoesOn && !file.empty() && IsText(*text)) {
    verdict = decoder.Take(file.substr(0, kPieceBytes));
    file.remove_prefix(std::min(file.size(), kPieceBytes));
  }
  if (verdict == Verdict::kGoesOn) verdict = decoder.End();
  if (verdict == Verdict::kBomb || text->empty() || !IsText(*text)) {
    text->clear();
    return Unpacked::kNothing;
  }
  return verdict == Verdict::kGoesOn ? Unpacked::kWhole : Unpacked::kPart;
}

}  // namespace orbweaver
