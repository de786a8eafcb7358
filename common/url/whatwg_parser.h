// The URL standard (https://url.spec.whatwg.org/), by Ada: any link, against the page it stands on.
#pragma once

#include <memory>
#include <string_view>

#include "common/url/url_error.h"
#include "common/url/url_parts.h"

namespace orbweaver {

// Place: under UrlCanonicalizer, for the links that SplitSimpleUrl leaves to it.
// Not thread-safe: the last parsed URL stays inside and is what the parts point into.
class WhatwgParser {
 public:
  WhatwgParser();
  ~WhatwgParser();

  // Links are resolved against `url` from now on. On an error there is no base.
  UrlError SetBase(std::string_view url);
  void ClearBase();
  // nullptr without a base. Valid until SetBase or ClearBase.
  const UrlParts* base() const;

  // `out` is valid until the next Parse, and untouched on an error.
  UrlError Parse(std::string_view link, UrlParts* out);

 private:
  struct Ada;
  const std::unique_ptr<Ada> ada_;
};

}  // namespace orbweaver
