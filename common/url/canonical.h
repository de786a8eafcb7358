// The one spelling of each URL: what the link states, the queue and the fingerprints are keyed by.
#pragma once

#include <string>
#include <string_view>

#include "common/url/options.h"
#include "common/url/parameter_names.h"
#include "common/url/url_error.h"
#include "common/url/whatwg_parser.h"

namespace orbweaver {

// Parses as the URL standard says and canonicalises: http and https only; no fragment, user name,
// password, default port or empty query; escapes in upper case and none of unreserved characters;
// and what the options choose. Canonicalising a canonical URL gives the same URL.
//
// Place: wherever a URL enters (seeds, links of a page, redirects), and nowhere else: within the
// system URLs are canonical.
// Not thread-safe; keeps its buffers, so one instance serves a thread for long.
class UrlCanonicalizer {
 public:
  explicit UrlCanonicalizer(const UrlOptions& options);

  // The page whose links come now (or its <base href>); parsed once for all of them. On an error
  // there is no base.
  UrlError SetBase(std::string_view url);
  void ClearBase() { parser_.ClearBase(); }

  // `link` may be any bytes. On kNone url(), host() and origin() are its canonical form, else those
  // of no URL.
  UrlError Canonicalize(std::string_view link);

  // Whether `url` is surely its own canonical form, by one scan of what follows its first
  // `origin_size` bytes, which must be the origin() of a canonical URL. False
  // says nothing: ask Canonicalize. For those who get canonical URLs by contract and must not
  // believe it.
  bool IsCanonical(std::string_view url, size_t origin_size) const;

  // Valid until the next call.
  std::string_view url() const { return url_; }
  std::string_view host() const { return std::string_view(url_).substr(host_start_, host_size_); }
  std::string_view origin() const { return std::string_view(url_).substr(0, origin_size_); }

 private:
  bool IsTooLongToParse(std::string_view link) const;
  void Clear();
  UrlError Build(const UrlParts& parts);
  UrlError AppendPath(const UrlParts& parts);
  void AppendQuery(std::string_view query);

  const UrlOptions options_;
  const ParameterNames tracking_;
  const ParameterNames sessions_;

  WhatwgParser parser_;
  std::string url_;
  size_t host_start_ = 0;
  size_t host_size_ = 0;
  size_t origin_size_ = 0;
};

}  // namespace orbweaver
