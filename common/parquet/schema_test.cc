#include "common/parquet/schema.h"

#include <gtest/gtest.h>

#include "common/base/status.h"
#include "tests/support/expect_ok.h"

namespace orbweaver::parquet {
namespace {

const Field kLink{.type = Type::kStruct,
                  .optional = false,
                  .children = {{"url", Type::kString, /*optional=*/false},
                               ListOf("tags", {.type = Type::kInt32})}};

TEST(SchemaTest, LevelsCountWhatIsOptionalAndRepeated) {
  const auto schema =
      Schema::Make({{"id", Type::kInt64, /*optional=*/false}, ListOf("links", kLink)});
  ASSERT_OK(schema);
  ASSERT_EQ(schema->leaves().size(), 3u);
  const Node& id = schema->leaf(0);
  EXPECT_EQ(id.definition, 0);
  EXPECT_EQ(id.repetition, 0);
  const Node& url = schema->leaf(1);
  EXPECT_EQ(url.definition, 2);  // the list is there, and has an element
  EXPECT_EQ(url.repetition, 1);
  EXPECT_EQ(url.path, (std::vector<std::string>{"links", "list", "element", "url"}));
  const Node& tag = schema->leaf(2);
  EXPECT_EQ(tag.definition, 5);
  EXPECT_EQ(tag.repetition, 2);
}

TEST(SchemaTest, AFilesElementsAreTheSameSchema) {
  const std::vector<Field> columns = {{"b", Type::kBool},
                                      {"x", Type::kBinary, /*optional=*/false},
                                      {"t", Type::kTimestamp},
                                      MapOf("m", {.type = Type::kString}, kLink),
                                      ListOf("l", ListOf("", {.type = Type::kDouble}))};
  const auto schema = Schema::Make(columns);
  ASSERT_OK(schema);
  const auto again = Schema::FromElements(schema->Elements());
  ASSERT_OK(again);
  EXPECT_EQ(again->columns(), schema->columns());
}

TEST(SchemaTest, WhatIsNoTableIsRefused) {
  Field deep{.type = Type::kInt32};
  for (int i = 0; i < Schema::kMaxDepth; ++i) deep = ListOf("deep", deep);
  const std::vector<Field> bad[] = {{},
                                    {{"a", Type::kInt32}, {"a", Type::kInt64}},
                                    {{.name = "s", .type = Type::kStruct}},
                                    {{.name = "l", .type = Type::kList}},
                                    {MapOf("m", kLink, {.type = Type::kInt32})},
                                    {deep}};
  for (const std::vector<Field>& columns : bad) EXPECT_FALSE(Schema::Make(columns).ok());
}

TEST(SchemaTest, DamagedElementsAreRefused) {
  const auto schema = Schema::Make({ListOf("links", kLink), {"a", Type::kInt32}});
  ASSERT_OK(schema);
  const std::vector<SchemaElementMeta> whole = schema->Elements();
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_TRUE(
        IsPoison(Schema::FromElements({whole.begin(), whole.begin() + static_cast<ptrdiff_t>(size)})
                     .status()));
  }
  for (size_t i = 0; i < whole.size(); ++i) {
    std::vector<SchemaElementMeta> damaged = whole;
    damaged[i].children = 1'000'000;
    damaged[i].type.reset();
    EXPECT_TRUE(IsPoison(Schema::FromElements(damaged).status())) << i;
  }
}

}  // namespace
}  // namespace orbweaver::parquet
