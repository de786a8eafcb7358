#include "common/runtime/secret.h"

#include <set>
#include <string>

#include <gtest/gtest.h>

namespace orbweaver {
namespace {

TEST(SecretTest, OnlyTheWholeSecretIsTheSame) {
  EXPECT_TRUE(SameSecret("s3cret", "s3cret"));
  for (const char* const wrong :
       {"", "s", "s3cre", "s3crets", "s3crets3cret", "S3CRET", "s3creT"}) {
    EXPECT_FALSE(SameSecret(wrong, "s3cret")) << wrong;
  }
  EXPECT_FALSE(SameSecret(std::string_view("s3cret\0", 7), "s3cret"));
}

TEST(SecretTest, NothingIsTheSameAsASecretThatIsNotConfigured) {
  EXPECT_FALSE(SameSecret("", ""));
  EXPECT_FALSE(SameSecret("x", ""));
}

TEST(SecretTest, NewOnesDiffer) {
  std::set<std::string> seen;
  for (int i = 0; i < 1000; ++i) EXPECT_TRUE(seen.insert(NewSecret()).second);
  EXPECT_EQ(seen.begin()->size(), 32u);
  EXPECT_EQ(seen.begin()->find_first_not_of("0123456789abcdef"), std::string::npos);
}

TEST(SecretTest, ATokenIsTakenFromItsHeaderOnly) {
  EXPECT_EQ(BearerToken("Bearer t"), "t");
  EXPECT_EQ(BearerToken("bEARER t u"), "t u");
  for (const char* const none : {"", "Bearer", "Bearer ", "Basic t", "t"}) {
    EXPECT_EQ(BearerToken(none), "") << none;
  }
}

}  // namespace
}  // namespace orbweaver
