#include "cli/console/content_encoding.h"

#include <algorithm>
#include <cctype>
#include <zlib.h>

#include "common/base/check.h"

namespace orbweaver {
namespace {

constexpr int kGzip = 15 + 16;  // zlib's window bits: the largest window, with gzip's frame
constexpr int kMemoryLevel = 9;

std::string_view Trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

bool IsSame(std::string_view text, std::string_view lower) {
  return std::ranges::equal(
      text, lower, [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; });
}

// `gzip;q=0` and `gzip; q=0.000` refuse it.
bool IsRefused(std::string_view parameters) {
  const size_t equals = parameters.find('=');
  return equals != std::string_view::npos &&
         parameters.find_first_not_of("0. \t", equals + 1) == std::string_view::npos;
}

}  // namespace

bool AcceptsGzip(std::string_view accept_encoding) {
  bool accepts_any = false;
  while (!accept_encoding.empty()) {
    const std::string_view one = accept_encoding.substr(0, accept_encoding.find(','));
    accept_encoding.remove_prefix(std::min(accept_encoding.size(), one.size() + 1));
    const std::string_view coding = Trimmed(one.substr(0, one.find(';')));
    const bool is_wanted = !IsRefused(one.substr(std::min(one.size(), one.find(';'))));
    if (IsSame(coding, "gzip") || IsSame(coding, "x-gzip")) return is_wanted;
    if (coding == "*") accepts_any = is_wanted;
  }
  return accepts_any;
}

std::string Gzip(std::string_view text) {
  z_stream stream{};
  CHECK(deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, kGzip, kMemoryLevel, Z_DEFAULT_STRATEGY) ==
        Z_OK);
  std::string compressed(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(compressed.data());
  stream.avail_out = static_cast<uInt>(compressed.size());
  CHECK(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  compressed.resize(stream.total_out);
  deflateEnd(&stream);
  return compressed;
}

}  // namespace orbweaver
