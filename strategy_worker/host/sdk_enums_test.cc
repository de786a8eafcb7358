// The SDK depends on nothing of ours, so it has enums of its own; here they are held against ours.
#include <orbweaver/events.h>

#include <gtest/gtest.h>

#include "common/model/spider_log.h"
#include "strategy_worker/states/link_state.h"

namespace orbweaver {
namespace {

template <typename A, typename B>
constexpr bool Same(A a, B b) {
  return static_cast<int64_t>(a) == static_cast<int64_t>(b);
}

TEST(SdkEnumsTest, NumbersAreThoseOfTheSpiderLog) {
  static_assert(Same(sdk::LinkKind::kFrame, LinkKind::kFrame));
  static_assert(Same(sdk::LinkKind::kEmbed, LinkKind::kEmbed));
  static_assert(Same(sdk::LinkKind::kRedirect, LinkKind::kRedirect));
  static_assert(Same(sdk::LinkKind::kRefresh, LinkKind::kRefresh));
  static_assert(Same(sdk::LinkKind::kCanonical, LinkKind::kCanonical));
  static_assert(Same(sdk::LinkKind::kSitemapPage, LinkKind::kSitemapPage));
  static_assert(Same(sdk::LinkKind::kSitemap, LinkKind::kSitemap));
  static_assert(Same(sdk::LinkKind::kFeedItem, LinkKind::kFeedItem));
  static_assert(Same(sdk::LinkKind::kFeed, LinkKind::kFeed));
  static_assert(Same(sdk::Cause::kDns, FailureCause::kDns));
  static_assert(Same(sdk::Cause::kDnsTemporary, FailureCause::kDnsTemporary));
  static_assert(Same(sdk::Cause::kTimeoutTotal, FailureCause::kTimeoutTotal));
  static_assert(Same(sdk::Cause::kTlsCertificate, FailureCause::kTlsCertificate));
  static_assert(Same(sdk::Cause::kContentType, FailureCause::kContentType));
  static_assert(Same(sdk::Cause::kRobots, FailureCause::kRobots));
  static_assert(Same(sdk::Cause::kRobotsUnreachable, FailureCause::kRobotsUnreachable));
  static_assert(Same(sdk::Cause::kHttp4xx, FailureCause::kHttp4xx));
  static_assert(Same(sdk::Cause::kHttpOther, FailureCause::kHttpOther));
  static_assert(Same(sdk::Robots::kDisallowAll, RobotsOutcome::kDisallowAll));
  static_assert(Same(sdk::Dns::kFailed, DnsOutcome::kFailed));
  static_assert(Same(sdk::Status::kQueued, LinkStatus::kQueued));
  static_assert(Same(sdk::Status::kGone, LinkStatus::kGone));
  EXPECT_TRUE(Same(sdk::Status::kCrawled, LinkStatus::kCrawled));
}

}  // namespace
}  // namespace orbweaver
