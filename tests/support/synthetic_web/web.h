// The synthetic web as a pure function: from a URL, the number of requests it had before and the
// version of its host to what comes back. No network and no state.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

#include "common/base/clock.h"
#include "tests/support/synthetic_web/hosts.h"
#include "tests/support/synthetic_web/link_graph.h"
#include "tests/support/synthetic_web/outcome.h"
#include "tests/support/synthetic_web/page_text.h"
#include "tests/support/synthetic_web/paths.h"
#include "tests/support/synthetic_web/place.h"
#include "tests/support/synthetic_web/web_options.h"

namespace orbweaver::synthetic {

struct Ask {
  Place place;
  // Requests of this URL before this one.
  uint32_t attempt = 0;
  // The content of some pages changes with it.
  uint32_t version = 0;
  // Headers of those names; empty when they were not sent.
  std::string_view if_none_match = {};
  std::string_view if_modified_since = {};
};

// How an answer travels.
enum class Delivery : uint8_t {
  kWhole,
  kDrip,         // in pieces over WebOptions::drip
  kEndlessDrip,  // the header, then a byte each WebOptions::endless_drip_pause
  kCutShort,     // the connection ends before Content-Length bytes have come
  kReset,        // the connection is reset before the first byte
  kResetInBody,  // ... in the middle of the body
  kHang,         // nothing comes, and the connection stays
  kNoSuchHost,   // there is nobody to send it; a proxy says 502
};

// Reused from call to call, so that its strings keep their memory.
struct Answer {
  Delivery delivery = Delivery::kWhole;
  Duration first_byte_after{};
  int status = 200;
  std::string_view content_type;      // of static storage
  std::string_view content_encoding;  // likewise; empty: none
  std::string location;               // absolute
  std::string etag;
  int64_t last_modified_s = 0;  // Unix time; 0: none
  std::optional<std::chrono::seconds> retry_after;
  bool retry_after_as_date = false;
  uint64_t content_length = 0;  // as the header says
  std::string body;
};

// Immutable after Create, so thread-safe. Takes about 8 bytes a host and 256 KB.
class Web {
 public:
  // Fatal when an option is out of its bounds.
  static absl::StatusOr<std::unique_ptr<const Web>> Create(const WebOptions& options);

  const WebOptions& options() const { return options_; }
  const Hosts& hosts() const { return hosts_; }
  const Paths& paths() const { return paths_; }

  // Replaces *answer.
  void Get(const Ask& ask, Answer* answer) const;

  // The outcome of a URL for a polite crawler.
  Outcome OutcomeOf(const Place& place) const;

  // How many requests of it fail before the one that decides the outcome.
  uint32_t FailuresBefore(const Place& place) const;

  // Whether a polite crawler may request it, as far as robots.txt goes.
  bool IsAllowed(const Place& place) const;

  // The URLs that a crawler learns from the answer that decides the outcome: links in the order
  // they stand there, or the target of a redirect. Nothing where it learns nothing.
  void AppendLearnt(const Place& place, std::vector<Place>* out) const;

  // Home pages of up to `count` hosts that answer and allow it, as canonical URLs. From any one of
  // them nearly the whole web can be reached.
  std::vector<std::string> Seeds(size_t count) const;

  // The names and addresses of a resolver: `ADDRESS NAME` lines, as in /etc/hosts.
  std::string HostsFile() const;

 private:
  explicit Web(const WebOptions& options);

  void GetPage(const Ask& ask, Answer* answer) const;
  void GetFaultyPage(const Ask& ask, Fault fault, Answer* answer) const;
  void GetContent(const Ask& ask, Answer* answer) const;
  void GetRobots(const Ask& ask, Answer* answer) const;
  void GetRobotsRules(uint32_t host, RobotsKind kind, bool sitemaps, Answer* answer) const;
  void GetSitemap(const Place& place, Answer* answer) const;
  void Refuse(int status, Answer* answer) const;
  void Redirect(int status, const Place& to, Answer* answer) const;

  Outcome OutcomeOfPage(const Place& place) const;
  bool Exists(const Place& place) const;
  // Where page `place` redirects to, or its hop does, by its host's fault.
  Place RedirectTarget(const Place& place) const;
  uint32_t RobotsElsewhere(uint32_t host) const;
  uint64_t RevisionOf(const Place& place, uint32_t version) const;
  uint64_t BitsOf(const Place& place) const { return paths_.BitsOf(place.host, place.number); }
  // Bits of a page that its path and its case do not come from.
  uint64_t VariantOf(const Place& place) const { return BitsOf(place) >> 42; }

  const WebOptions options_;
  const Hosts hosts_;
  const Paths paths_;
  const LinkGraph graph_;
  const PageText text_;
  const std::string bomb_;
};

}  // namespace orbweaver::synthetic
