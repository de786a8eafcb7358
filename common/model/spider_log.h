// Messages of the spider log. proto/orbweaver/v1/spider_log.proto defines each field; lifetimes and
// limits are as in spider_feed.h.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <variant>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "common/base/clock.h"
#include "common/base/ids.h"
#include "common/model/arena.h"
#include "common/model/encode_buffer.h"
#include "common/model/spider_feed.h"

namespace orbweaver {

struct Seed {
  std::string_view url;
  std::optional<float> score;
  std::span<const Meta> meta;
  std::string_view unknown;
};

struct Seeds {
  std::span<const Seed> seeds;
  bool only_failed = false;
  std::string_view unknown;
};

struct Redirect {
  std::string_view url;
  uint32_t status = 0;
  std::string_view unknown;
};

struct HttpHeader {
  std::string_view name;
  std::string_view value;
  std::string_view unknown;
};

struct PageFetched {
  Request request;
  std::string_view final_url;
  std::span<const Redirect> redirects;
  uint32_t status = 0;
  std::span<const HttpHeader> headers;
  WallTime fetched_at;
  std::chrono::milliseconds dns{};
  std::chrono::milliseconds connect{};
  std::chrono::milliseconds tls{};
  std::chrono::milliseconds first_byte{};
  std::chrono::milliseconds total{};
  uint64_t received_bytes = 0;
  uint64_t body_bytes = 0;
  Fingerprint content_hash;
  std::string_view content_type;
  std::string_view charset;
  std::string_view title;
  std::string_view language;
  std::string_view robots_directives;
  std::string_view canonical_url;
  std::string_view etag;
  std::string_view last_modified;
  uint32_t links_inside = 0;
  uint32_t links_outside = 0;
  uint64_t text_bytes = 0;
  bool body_truncated = false;
  bool links_truncated = false;
  bool not_modified = false;
  std::string_view remote_address;
  std::string_view tls_error;
  std::string_view body;
  std::string_view unknown;
};

struct SourcePage {
  std::string_view url;
  Fingerprint fingerprint;
  uint32_t depth = 0;
  float score = 0;
  uint32_t link_count = 0;
  std::span<const Meta> meta;
  std::string_view unknown;
};

// Bits of Link::rel.
inline constexpr uint32_t kRelNofollow = 1;
inline constexpr uint32_t kRelUgc = 2;
inline constexpr uint32_t kRelSponsored = 4;

enum class LinkKind : int32_t {
  kAnchor = 0,
  kFrame = 1,
  kEmbed = 2,
  kRedirect = 3,
  kRefresh = 4,
  kCanonical = 5,
  kSitemapPage = 6,
  kSitemap = 7,
  kFeedItem = 8,
  kFeed = 9,
};

struct Link {
  std::string_view url;
  std::string_view anchor;
  uint32_t rel = 0;
  LinkKind kind = LinkKind::kAnchor;
  std::string_view unknown;
};

struct LinksFound {
  SourcePage source;
  std::span<const Link> links;
  std::string_view unknown;
};

enum class FailureCause : int32_t {
  kUnspecified = 0,
  kDns = 1,
  kDnsTemporary = 2,
  kRefused = 3,
  kUnreachable = 4,
  kReset = 5,
  kTimeoutConnect = 6,
  kTimeoutTls = 7,
  kTimeoutFirstByte = 8,
  kTimeoutTotal = 9,
  kTooSlow = 10,
  kTls = 11,
  kTlsCertificate = 12,
  kProtocol = 13,
  kEncoding = 14,
  kTooLarge = 15,
  kContentType = 16,
  kRedirect = 17,
  kRobots = 18,
  kRobotsUnreachable = 19,
  kPrivateAddress = 20,
  kPort = 21,
  kBadUrl = 22,
  kProxy = 23,
  kHttp4xx = 24,
  kHttp5xx = 25,
  kHttpOther = 26,
};

struct FetchFailed {
  Request request;
  FailureCause cause = FailureCause::kUnspecified;
  uint32_t status = 0;
  std::string_view final_url;
  std::optional<std::chrono::milliseconds> retry_after;
  std::string_view message;
  WallTime failed_at;
  std::chrono::milliseconds total{};
  std::string_view unknown;
};

enum class DeferReason : int32_t { kUnspecified = 0, kPoliteness = 1, kBackOff = 2, kShutdown = 3 };

struct Deferred {
  Request request;
  WallTime not_before;
  DeferReason reason = DeferReason::kUnspecified;
  std::string_view unknown;
};

enum class RobotsOutcome : int32_t {
  kUnspecified = 0,
  kRules = 1,
  kAllowAll = 2,
  kDisallowAll = 3,
};

enum class DnsOutcome : int32_t { kUnspecified = 0, kResolved = 1, kNoSuchName = 2, kFailed = 3 };

struct HostFacts {
  std::string_view host;
  WallTime observed_at;
  RobotsOutcome robots = RobotsOutcome::kUnspecified;
  uint32_t robots_status = 0;
  std::optional<std::chrono::milliseconds> crawl_delay;
  std::span<const std::string_view> sitemaps;
  std::optional<std::chrono::milliseconds> retry_after;
  DnsOutcome dns = DnsOutcome::kUnspecified;
  std::optional<std::string_view> robots_txt;  // its first kMaxRobotsTxtBytes
  uint64_t robots_txt_bytes = 0;
  std::string_view unknown;
};

struct DomainOrder {
  std::optional<WallTime> blocked_until;
  bool purge = false;
  bool forget = false;
  std::string_view unknown;
};

struct UrlOrder {
  std::string_view url;
  float score = 0;
  bool fetch_again = false;
  WallTime not_before;
  std::span<const Meta> meta;
  std::string_view referrer;
  std::string_view unknown;
};

struct SpiderLogEntry {
  std::string_view domain;
  std::variant<Seeds, PageFetched, LinksFound, FetchFailed, Deferred, HostFacts, DomainOrder,
               UrlOrder>
      event;
  WallTime time;  // when it happened; 1970: not said, and then the record's time counts
  std::string_view unknown;
};

// As in spider_feed.h.
absl::Status Decode(std::string_view bytes, Arena* arena, SpiderLogEntry* entry);
absl::StatusOr<std::string_view> Encode(const SpiderLogEntry& entry, EncodeBuffer* buffer);

// Whether the encoded entry is a LinksFound, most of the log's bytes, without reading the links:
// for those who have no use for them.
bool IsLinksFound(std::string_view bytes);

}  // namespace orbweaver
