// Names for the numbers of strategy_abi.h.
#pragma once

#include <cstdint>

#include "orbweaver/strategy_abi.h"

namespace orbweaver::sdk {

enum class Status : uint8_t {
  kNotCrawled = ORBWEAVER_NOT_CRAWLED,
  kQueued = ORBWEAVER_QUEUED,
  kCrawled = ORBWEAVER_CRAWLED,
  kError = ORBWEAVER_ERROR,  // failed for now
  kGone = ORBWEAVER_GONE     // failed for good
};

// The numbers of the enums below are those of spider_log.proto.

enum class LinkKind : uint32_t {
  kAnchor = 0,
  kFrame = 1,
  kEmbed = 2,     // images, scripts and the like
  kRedirect = 3,  // to another registered domain
  kRefresh = 4,
  kCanonical = 5,
  kSitemapPage = 6,  // a page that a sitemap names
  kSitemap = 7,      // a sitemap that a sitemap names
  kFeedItem = 8,
  kFeed = 9,
};

enum class Cause : uint32_t {
  kUnspecified = 0,
  kDns = 1,           // the name does not exist
  kDnsTemporary = 2,  // it could not be resolved now
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
  kRobots = 18,             // robots.txt forbids it
  kRobotsUnreachable = 19,  // robots.txt cannot be had, which forbids everything for now
  kPrivateAddress = 20,
  kPort = 21,
  kBadUrl = 22,
  kProxy = 23,
  kHttp4xx = 24,
  kHttp5xx = 25,
  kHttpOther = 26,
};

enum class Robots : uint32_t { kUnspecified = 0, kRules = 1, kAllowAll = 2, kDisallowAll = 3 };
enum class Dns : uint32_t { kUnspecified = 0, kResolved = 1, kNoSuchName = 2, kFailed = 3 };

struct Fingerprint {
  uint64_t high = 0;
  uint64_t low = 0;
};

}  // namespace orbweaver::sdk
