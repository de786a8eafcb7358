#include "common/url/resolver.h"

#include <gtest/gtest.h>

#include "common/url/fingerprint.h"
#include "common/url/partition.h"

namespace orbweaver {
namespace {

TEST(FingerprintTest, IsXxh3As128BitDigitsOfItsReferenceTool) {
  // From `printf %s http://example.com/ | xxhsum -H2`.
  EXPECT_EQ(FingerprintOf("http://example.com/").ToHex(), "42663426682770e605cd77c9b152d153");
  EXPECT_EQ(FingerprintOf("").ToHex(), "99aa06d3014798d86001c324468d497f");
}

TEST(UrlResolverTest, SaysAllAboutALink) {
  const auto suffixes = PublicSuffixes::Load({});
  ASSERT_TRUE(suffixes.ok());
  UrlResolver resolver({}, **suffixes);
  ASSERT_EQ(resolver.SetBase("http://my.name.co.uk/dir/"), UrlError::kNone);
  ResolvedUrl url;
  ASSERT_EQ(resolver.Resolve("page#top", &url), UrlError::kNone);
  EXPECT_EQ(url.url, "http://my.name.co.uk/dir/page");
  EXPECT_EQ(url.domain, "name.co.uk");
  EXPECT_EQ(url.slot, SlotOf("name.co.uk"));
  EXPECT_EQ(url.fingerprint, FingerprintOf("http://my.name.co.uk/dir/page"));

  EXPECT_EQ(resolver.Resolve("ftp://other.org/", &url), UrlError::kScheme);
  EXPECT_EQ(url.slot, SlotOf("name.co.uk"));
  resolver.ClearBase();
  EXPECT_EQ(resolver.Resolve("page", &url), UrlError::kRelative);
}

}  // namespace
}  // namespace orbweaver
