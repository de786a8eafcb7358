// The URLs of the synthetic web: from a place to its text and back.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tests/support/synthetic_web/hosts.h"
#include "tests/support/synthetic_web/place.h"
#include "tests/support/synthetic_web/web_options.h"

namespace orbweaver::synthetic {

// Immutable, so thread-safe. `hosts` must outlive this.
class Paths {
 public:
  Paths(const WebOptions& options, const Hosts& hosts) : options_(options), hosts_(hosts) {}

  // Path and query, canonical. `ampersand` stands between parameters: "&amp;" in HTML and XML. The
  // place must be one of a host, and known.
  void AppendTarget(const Place& place, std::string* out, std::string_view ampersand = "&") const;

  // AppendTarget for a page whose BitsOf the caller has: into `at`, which has room for
  // kMaxPageTarget bytes; returns its end. Most of what making a page costs is in here.
  static constexpr size_t kMaxPageTarget = 160;
  static char* WritePageTarget(uint32_t number, uint64_t bits, std::string_view ampersand,
                               char* at);

  // Scheme, host and port: "http://h7.site4.test".
  void AppendOrigin(uint32_t host, std::string* out) const;

  // The canonical URL.
  void AppendUrl(const Place& place, std::string* out) const;
  std::string UrlOf(const Place& place) const;

  // The place of `target` on a host; kUnknown when there is none. Only the canonical spelling is
  // known.
  Place FindTarget(uint32_t host, std::string_view target) const;

  // nullopt for a URL of no host of this web, or of another scheme or port than the host's.
  std::optional<Place> FindUrl(std::string_view url) const;

  // Whether the rules that robots.txt files of this web have forbid the place.
  bool RulesForbid(const Place& place) const;

  // Whether page `number` of `host` could be there at all.
  bool HasPage(uint32_t number) const { return number < options_.pages_per_host; }

  // Random bits that belong to a page: its path and its troubles come from them.
  uint64_t BitsOf(uint32_t host, uint32_t number) const {
    return Mix(Mix(options_.seed ^ 0x9a9e, host), number);
  }

 private:
  // The kinds of path that pages have; what robots.txt rules speak of is among them.
  enum class Section : uint8_t {
    kHome,
    kPrivate,      // forbidden
    kPrivateOpen,  // allowed by a longer rule
    kPrint,        // forbidden by a rule with `*` and `$`
    kPrintCopy,    // not matched by it, for the `$`
    kQuery,
    kFolder,
    kArticle,
  };
  static Section SectionOf(uint32_t number, uint64_t bits);
  bool MovesToPrivate(const Place& place) const;

  const WebOptions options_;
  const Hosts& hosts_;
};

}  // namespace orbweaver::synthetic
