#include "common/model/own_request.h"

#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace orbweaver {
namespace {

using Kind = OwnRequest::Kind;

OwnRequest Read(std::string_view key, std::string_view value) {
  const std::vector<Meta> meta = {{.key = "a", .value = "1"}, {.key = key, .value = value}};
  return OwnRequestOf(meta);
}

TEST(OwnRequest, ComesBackFromItsMeta) {
  for (uint32_t steps = 1; steps <= kMaxOwnSteps; ++steps) {
    for (const OwnRequest& request :
         {OwnRequest{.kind = Kind::kAsset, .steps = steps},
          OwnRequest{.kind = Kind::kAsset, .steps = steps, .is_in_scope = true},
          OwnRequest{.kind = Kind::kSitemap, .steps = steps}}) {
      const Meta meta = MetaOf(request);
      EXPECT_EQ(OwnRequestOf({&meta, 1}), request) << meta.key << " " << meta.value;
    }
  }
}

TEST(OwnRequest, OthersAreNone) {
  EXPECT_EQ(OwnRequestOf({}).kind, Kind::kNone);
  EXPECT_EQ(Read("orbweaver.redirects", "1").kind, Kind::kNone);
  EXPECT_FALSE(Read("k", "1i").IsAsset());
}

TEST(OwnRequest, DocumentsInScopeAreAllThatArePages) {
  EXPECT_TRUE(IsPage({}, "image/png"));
  EXPECT_FALSE(IsPage({.kind = Kind::kSitemap, .steps = 1}, "text/html"));
  const OwnRequest inside{.kind = Kind::kAsset, .steps = 1, .is_in_scope = true};
  EXPECT_TRUE(IsPage(inside, "text/html"));
  EXPECT_TRUE(IsPage(inside, "application/xhtml+xml"));
  EXPECT_FALSE(IsPage(inside, "image/png"));
  EXPECT_FALSE(IsPage(inside, ""));
  EXPECT_FALSE(IsPage({.kind = Kind::kAsset, .steps = 1}, "text/html"));
}

TEST(OwnRequest, NothingFollowsFromAValueThatIsNotKnown) {
  for (const std::string_view value : {"", "0", "6", "i", "ii", "1x", "12", "1i2", "\xff"}) {
    const OwnRequest request = Read("orbweaver.asset", value);
    EXPECT_TRUE(request.IsForeignAsset()) << value;
    EXPECT_EQ(request.steps, kMaxOwnSteps) << value;
  }
  EXPECT_EQ(Read("orbweaver.sitemap", "x"),
            (OwnRequest{.kind = Kind::kSitemap, .steps = kMaxOwnSteps}));
}

}  // namespace
}  // namespace orbweaver
