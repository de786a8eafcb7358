#include "common/model/schema.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "common/base/status.h"

namespace orbweaver {
namespace {

using testing::HasSubstr;

TEST(SchemaTest, OurOwnIsTakenNamedOrNot) {
  EXPECT_TRUE(CheckSchema("orbweaver.v1").ok());
  EXPECT_TRUE(CheckSchema("").ok());
}

TEST(SchemaTest, ANewerOneIsRefusedByNameAndTheKnownOneIsNamed) {
  const absl::Status status = CheckSchema("orbweaver.v2");
  EXPECT_TRUE(IsPoison(status));
  EXPECT_THAT(std::string(MessageOf(status)), HasSubstr("'orbweaver.v2'"));
  EXPECT_THAT(std::string(MessageOf(status)), HasSubstr("'orbweaver.v1'"));
}

TEST(SchemaTest, AnyBytesMakeAShortPrintableMessage) {
  const absl::Status status = CheckSchema(std::string(100'000, '\n'));
  EXPECT_TRUE(IsPoison(status));
  EXPECT_LT(MessageOf(status).size(), 300u);
  EXPECT_EQ(MessageOf(status).find('\n'), std::string_view::npos);
}

}  // namespace
}  // namespace orbweaver
