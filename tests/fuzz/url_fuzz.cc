// No bytes may crash common/url, have two canonical forms, or mean one thing to the fast path and
// another to the parser.
//
// Input: a byte of options, a base, a line feed, a link. (A line feed within a link is what the
// parser strips anyway.)
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "common/base/check.h"
#include "common/url/canonical.h"
#include "common/url/domain.h"
#include "common/url/simple_url.h"
#include "common/url/whatwg_parser.h"
#include "tests/fuzz/time_bound.h"

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

// The canonicalizers for one set of options, kept: making them costs more than a run.
struct Canonicalizers {
  explicit Canonicalizers(const UrlOptions& options) : first(options), again(options) {}
  UrlCanonicalizer first;
  UrlCanonicalizer again;  // never has a base
};

Canonicalizers& ForOptions(uint8_t bits) {
  static std::map<uint8_t, Canonicalizers> made;
  const UrlOptions options{.sort_query = (bits & 1) != 0,
                           .collapse_slashes = (bits & 2) != 0,
                           .drop_tracking = (bits & 4) != 0,
                           .drop_sessions = (bits & 8) != 0};
  return made.try_emplace(bits & 15, options).first->second;
}

void CheckCanonical(Canonicalizers& canonicalizers, std::string_view base, std::string_view link) {
  static const auto kSuffixes = PublicSuffixes::Load({}).value();
  UrlCanonicalizer& first = canonicalizers.first;
  if (first.SetBase(base) != UrlError::kNone) first.ClearBase();
  if (first.Canonicalize(link) != UrlError::kNone) return;
  CHECK(first.url().size() <= UrlOptions().max_bytes);
  CHECK(first.url().starts_with("http://") || first.url().starts_with("https://"));
  CHECK(first.url().find('#') == std::string_view::npos);
  const std::string_view domain = kSuffixes->RegisteredDomain(first.host());
  CHECK(!domain.empty() && domain.size() <= 253);
  CHECK(ReversedDomain(ReversedDomain(domain)) == domain);

  UrlCanonicalizer& again = canonicalizers.again;
  CHECK(again.Canonicalize(first.url()) == UrlError::kNone);
  CHECK(again.url() == first.url() && again.host() == first.host());

  // The link's part behind its host, unchanged, behind a canonical origin.
  const std::string origin(first.origin());
  const std::string url =
      origin + std::string(link.substr(std::min(link.size(), link.find('/', 8))));
  if (!again.IsCanonical(url, origin.size())) return;
  CHECK(again.Canonicalize(url) == UrlError::kNone);
  CHECK(again.url() == url && again.origin() == origin);
}

}  // namespace
}  // namespace orbweaver

static void RunOne(const uint8_t* data, size_t size) {
  if (size == 0) return;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const size_t base_size = text.find('\n');
  const std::string_view base =
      base_size == std::string_view::npos ? std::string_view() : text.substr(0, base_size);
  const std::string_view link =
      base_size == std::string_view::npos ? text : text.substr(base_size + 1);
  orbweaver::CheckSimpleIsTheParsers(base, link);
  orbweaver::CheckCanonical(orbweaver::ForOptions(data[0]), base, link);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return orbweaver::RunWithinTime(data, size, RunOne);
}
