#include "spider/parse/attribute_values.h"

#include <vector>

#include <gtest/gtest.h>

namespace orbweaver {
namespace {

TEST(AttributeValuesTest, RefreshIsReadAsBrowsersDo) {
  EXPECT_EQ("a", RefreshUrl("5;url=a"));
  EXPECT_EQ("a b", RefreshUrl(" 0.5 , URL = 'a b' x"));
  EXPECT_EQ("a", RefreshUrl("0 a"));
  EXPECT_EQ("a", RefreshUrl("0; \"a"));
  EXPECT_EQ("urly", RefreshUrl("0;urly"));
  EXPECT_EQ("", RefreshUrl("5"));
  EXPECT_EQ("", RefreshUrl("url=a"));
  EXPECT_EQ("", RefreshUrl("5url=a"));
  EXPECT_EQ("", RefreshUrl(""));
}

TEST(AttributeValuesTest, SrcsetGivesEachUrl) {
  const auto urls = [](std::string_view srcset) {
    std::vector<std::string_view> found;
    std::string_view url;
    while (NextSrcsetUrl(&srcset, &url)) found.push_back(url);
    return found;
  };
  using Urls = std::vector<std::string_view>;
  EXPECT_EQ((Urls{"a", "b,c", "d"}), urls(" a 1x, b,c 2x,,d"));
  EXPECT_EQ((Urls{"a", "b"}), urls("a, b"));
  EXPECT_EQ((Urls{"data:,x", "b"}), urls("data:,x calc(1, 2), b"));
  EXPECT_EQ((Urls{}), urls(" ,, "));
}

}  // namespace
}  // namespace orbweaver
