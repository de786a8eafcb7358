// What any bytes may not do to common/url: crash it, have two canonical forms, or mean one thing to
// the fast path and another to the parser.
//
// Input: a byte of options, a base, a line feed, a link. (A line feed within a link is what the
// parser strips anyway.)
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "common/base/check.h"
#include "common/url/domain.h"
#include "common/url/resolver.h"
#include "common/url/simple_url.h"
#include "common/url/whatwg_parser.h"

namespace orbweaver {
namespace {

std::string Path(const UrlParts& parts) { return std::string(parts.directory).append(parts.path); }

void CheckSimpleIsTheParsers(std::string_view base, std::string_view link) {
  WhatwgParser parser;
  if (parser.SetBase(base) != UrlError::kNone) parser.ClearBase();
  UrlParts simple;
  if (!SplitSimpleUrl(link, parser.base(), &simple)) return;
  UrlParts parsed;
  CHECK(parser.Parse(link, &parsed) == UrlError::kNone);
  CHECK(simple.scheme == parsed.scheme && simple.host == parsed.host && simple.port == parsed.port);
  CHECK(Path(simple) == Path(parsed) && simple.query == parsed.query);
}

void CheckCanonical(const UrlOptions& options, std::string_view base, std::string_view link) {
  static const auto kSuffixes = PublicSuffixes::Load({}).value();
  UrlResolver resolver(options, *kSuffixes);
  if (resolver.SetBase(base) != UrlError::kNone) resolver.ClearBase();
  ResolvedUrl url;
  if (resolver.Resolve(link, &url) != UrlError::kNone) return;
  CHECK(url.url.size() <= options.max_bytes);
  CHECK(url.url.starts_with("http://") || url.url.starts_with("https://"));
  CHECK(url.url.find('#') == std::string_view::npos);
  CHECK(!url.domain.empty() && url.domain.size() <= 253);
  CHECK(ReversedDomain(ReversedDomain(url.domain)) == url.domain);

  const std::string first(url.url);
  const std::string domain(url.domain);
  UrlResolver again(options, *kSuffixes);
  ResolvedUrl second;
  CHECK(again.Resolve(first, &second) == UrlError::kNone);
  CHECK(second.url == first && second.domain == domain && second.slot == url.slot);
}

}  // namespace
}  // namespace orbweaver

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const orbweaver::UrlOptions options{.sort_query = (data[0] & 1) != 0,
                                      .collapse_slashes = (data[0] & 2) != 0,
                                      .drop_tracking = (data[0] & 4) != 0,
                                      .drop_sessions = (data[0] & 8) != 0};
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const size_t base_size = text.find('\n');
  const std::string_view base =
      base_size == std::string_view::npos ? std::string_view() : text.substr(0, base_size);
  const std::string_view link =
      base_size == std::string_view::npos ? text : text.substr(base_size + 1);
  orbweaver::CheckSimpleIsTheParsers(base, link);
  orbweaver::CheckCanonical(options, base, link);
  return 0;
}
