#include "spider/parse/query_encoder.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "lexbor/encoding/encoding.h"

namespace orbweaver {
namespace {

// The URL standard's special-query percent-encode set.
bool IsEncodedInQueries(unsigned char byte) {
  return byte <= ' ' || byte > '~' || byte == '"' || byte == '#' || byte == '<' || byte == '>' ||
         byte == '\'';
}

// ISO-2022-JP says by these what follows, so nobody may write them.
bool IsShift(uint32_t c) { return c == 0x0e || c == 0x0f || c == 0x1b; }

// One query. A character has at most eight bytes: those of ISO-2022-JP change its state first.
class Encoding {
 public:
  Encoding(const lxb_encoding_data_t* charset, std::string* out)
      : charset_(*charset), is_2022_jp_(charset->encoding == LXB_ENCODING_ISO_2022_JP), out_(*out) {
    lxb_encoding_encode_init_single(&encoder_, charset);
  }

  void Add(uint32_t c) {
    lxb_char_t* end = bytes_.data();
    const bool fails =
        (is_2022_jp_ && IsShift(c)) ||
        charset_.encode_single(&encoder_, &end, bytes_.data() + bytes_.size(), c) < 0;
    if (!fails) return Append(end);
    // The reference that replaces it is ASCII.
    if (encoder_.state == LXB_ENCODING_ENCODE_2022_JP_JIS0208) Finish();
    out_.append("%26%23").append(std::to_string(IsShift(c) ? 0xfffd : c)).append("%3B");
  }
  void Finish() {
    lxb_char_t* end = bytes_.data();
    lxb_encoding_encode_finish_single(&encoder_, &end, bytes_.data() + bytes_.size());
    Append(end);
  }

 private:
  void Append(const lxb_char_t* end) {
    static constexpr char kDigits[] = "0123456789ABCDEF";
    for (const lxb_char_t* at = bytes_.data(); at != end; ++at) {
      if (IsEncodedInQueries(*at)) {
        out_.append({'%', kDigits[*at >> 4], kDigits[*at & 15]});
      } else {
        out_.push_back(static_cast<char>(*at));
      }
    }
  }

  const lxb_encoding_data_t& charset_;
  const bool is_2022_jp_;
  lxb_encoding_encode_t encoder_;
  std::array<lxb_char_t, 8> bytes_;
  std::string& out_;
};

}  // namespace

void QueryEncoder::Begin(std::string_view charset) {
  charset_ = charset;
  is_utf8_ = charset.empty() || charset == "utf-8" || charset.starts_with("utf-16") ||
             charset == "replacement";
}

std::string_view QueryEncoder::Encode(std::string_view link) {
  if (is_utf8_) return link;
  const size_t end = std::min(link.find('#'), link.size());
  const size_t mark = link.substr(0, end).find('?');
  if (mark == std::string_view::npos) return link;
  const std::string_view query = link.substr(mark + 1, end - mark - 1);
  const bool changes = std::any_of(query.begin(), query.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x80 || IsShift(byte);
  });
  const lxb_encoding_data_t* const charset =
      changes ? lxb_encoding_data_by_name(reinterpret_cast<const lxb_char_t*>(charset_.data()),
                                          charset_.size())
              : nullptr;
  if (charset == nullptr) return link;
  encoded_.assign(link.substr(0, mark + 1));
  Encoding encoding(charset, &encoded_);
  const auto* at = reinterpret_cast<const lxb_char_t*>(query.data());
  const lxb_char_t* const query_end = at + query.size();
  while (at != query_end) {
    if (*at == '\t' || *at == '\n' || *at == '\r') {  // which are not part of a URL
      ++at;
      continue;
    }
    const lxb_codepoint_t c = lxb_encoding_decode_valid_utf_8_single(&at, query_end);
    if (c > LXB_ENCODING_MAX_CODEPOINT) return link;
    encoding.Add(c);
  }
  encoding.Finish();
  encoded_.append(link.substr(end));
  return encoded_;
}

}  // namespace orbweaver
