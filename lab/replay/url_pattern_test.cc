#include "lab/replay/url_pattern.h"

#include <gtest/gtest.h>

namespace orbweaver::lab {
namespace {

TEST(UrlPatternTest, UrlsOfOneShapeAreEqual) {
  EXPECT_EQ(UrlPattern("https://a.com/item/17?page=3&s=x"), "a.com/item/…?page&s");
  EXPECT_EQ(UrlPattern("http://a.com/item/9/more?page=1&s="), "a.com/item/…?page&s");
  EXPECT_EQ(UrlPattern("http://a1.com:8080/p12x345.html"), "a1.com:8080/pNxN.html");
  EXPECT_EQ(UrlPattern("http://a.com/"), "a.com/");
  EXPECT_EQ(UrlPattern("http://a.com/blog/"), "a.com/blog/");
  EXPECT_EQ(UrlPattern("http://a.com/?q1=2&&x"), "a.com/?qN&&x");
}

TEST(UrlPatternTest, AnyBytesHaveAPattern) {
  EXPECT_EQ(UrlPattern(""), "");
  EXPECT_EQ(UrlPattern("a.com"), "a.com");
  EXPECT_EQ(UrlPattern("http://a.com?x=/y"), "a.com?x");
}

}  // namespace
}  // namespace orbweaver::lab
