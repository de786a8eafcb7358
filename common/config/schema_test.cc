#include "common/config/schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace orbweaver::config {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;

// Declares one option "x.y" over a member and puts texts into it.
template <typename T>
struct One {
  T member{};
  Schema schema;

  const Option& option() const { return schema.options()[0]; }
  bool Put(std::string_view text, const std::string& key = "") {
    return schema.options()[0].put(key, text);
  }
};

TEST(SchemaTest, IntegersKeepToTheirBounds) {
  One<int> one;
  one.schema.Add("x.y", &one.member, {.min = -1, .max = 10, .doc = "d"});
  EXPECT_TRUE(one.Put("-1"));
  EXPECT_EQ(one.member, -1);
  EXPECT_TRUE(one.Put("10"));
  EXPECT_EQ(one.member, 10);
  EXPECT_FALSE(one.Put("-2"));
  EXPECT_FALSE(one.Put("11"));
  EXPECT_FALSE(one.Put("ten"));
  EXPECT_EQ(one.member, 10) << "a refused text must not change the member";
}

TEST(SchemaTest, IntegersDoNotWrapAroundTheMembersType) {
  One<int32_t> narrow;
  narrow.schema.Add("x.y", &narrow.member, {.doc = "d"});
  EXPECT_TRUE(narrow.Put("-2147483648"));
  EXPECT_FALSE(narrow.Put("2147483648"));
  EXPECT_FALSE(narrow.Put("4294967297"));
  One<uint16_t> port;
  port.schema.Add("x.y", &port.member, {.doc = "d"});
  EXPECT_TRUE(port.Put("65535"));
  EXPECT_FALSE(port.Put("65536"));
  EXPECT_FALSE(port.Put("-1"));
  One<uint64_t> wide;
  wide.schema.Add("x.y", &wide.member, {.doc = "d"});
  EXPECT_TRUE(wide.Put("18446744073709551615"));
  EXPECT_EQ(wide.member, UINT64_MAX);
  One<int64_t> negative;
  negative.schema.Add("x.y", &negative.member, {.doc = "d"});
  EXPECT_TRUE(negative.Put("-9223372036854775808"));
  EXPECT_EQ(negative.member, INT64_MIN);
}

TEST(SchemaTest, NumbersKeepToTheirBounds) {
  One<double> one;
  one.schema.Add("x.y", &one.member, {.min = 0, .max = 1, .doc = "d"});
  EXPECT_TRUE(one.Put("0.5"));
  EXPECT_EQ(one.member, 0.5);
  EXPECT_FALSE(one.Put("1.01"));
  EXPECT_FALSE(one.Put("nan"));
  EXPECT_EQ(one.member, 0.5);
}

TEST(SchemaTest, DurationsAreNeverRoundedToTheMembersUnit) {
  One<seconds> one;
  one.schema.Add("x.y", &one.member, {.min = seconds(1), .max = seconds(3600), .doc = "d"});
  EXPECT_TRUE(one.Put("2000ms"));
  EXPECT_EQ(one.member, seconds(2));
  EXPECT_FALSE(one.Put("1500ms"));
  EXPECT_FALSE(one.Put("0s"));
  EXPECT_FALSE(one.Put("61m"));
  EXPECT_EQ(one.member, seconds(2));
}

TEST(SchemaTest, DurationsReachTheMembersLimitAndNoFurther) {
  One<milliseconds> one;
  one.schema.Add("x.y", &one.member, {.doc = "d"});
  EXPECT_TRUE(one.Put("106751d"));
  EXPECT_FALSE(one.Put("106752d"));
}

TEST(SchemaTest, SizesKeepToTheirBounds) {
  One<size_t> one;
  one.schema.AddBytes("x.y", &one.member, {.min = 1024, .max = 1 << 20, .doc = "d"});
  EXPECT_TRUE(one.Put("1MiB"));
  EXPECT_EQ(one.member, size_t{1} << 20);
  EXPECT_FALSE(one.Put("1MB1"));
  EXPECT_FALSE(one.Put("2MB"));
  EXPECT_FALSE(one.Put("1023"));
  One<int32_t> narrow;
  narrow.schema.AddBytes("x.y", &narrow.member, {.doc = "d"});
  EXPECT_TRUE(narrow.Put("1GiB"));
  EXPECT_FALSE(narrow.Put("2GiB"));
}

enum class Colour { kRed, kBlue };

TEST(SchemaTest, ChoicesAreTakenByNameOnly) {
  One<Colour> one;
  one.schema.AddChoice("x.y", &one.member, {{"red", Colour::kRed}, {"blue", Colour::kBlue}},
                       {.doc = "d"});
  EXPECT_TRUE(one.Put("blue"));
  EXPECT_EQ(one.member, Colour::kBlue);
  for (const char* text : {"Blue", "1", "", "green"}) EXPECT_FALSE(one.Put(text)) << text;
  EXPECT_EQ(one.member, Colour::kBlue);
}

TEST(SchemaTest, MapsTakeAnyKeyAndCheckTheValue) {
  One<std::map<std::string, Colour>> one;
  one.schema.AddChoice("x.y", &one.member, {{"red", Colour::kRed}, {"blue", Colour::kBlue}},
                       {.doc = "d"});
  EXPECT_TRUE(one.Put("blue", "a.b"));
  EXPECT_FALSE(one.Put("green", "c"));
  EXPECT_THAT(one.member, testing::ElementsAre(testing::Pair("a.b", Colour::kBlue)));
}

TEST(SchemaTest, TheMembersInitialiserIsTheDefault) {
  One<milliseconds> one;
  one.member = milliseconds(1500);
  one.schema.Add("x.y", &one.member, {.doc = "d"});
  EXPECT_TRUE(one.Put("1s"));
  ASSERT_EQ(one.option().defaults.size(), 1u);
  EXPECT_EQ(one.option().defaults[0].text, "1500ms");
}

TEST(SchemaTest, WhatIsExpectedIsSaidInWords) {
  struct {
    bool truth = false;
    int bounded = 5;
    int from = 1;
    int64_t to = 0;
    int free = 0;
    uint32_t natural = 0;
    double share = 0;
    seconds wait{10};
    nanoseconds exact{};
    size_t bytes = 4096;
    std::string text;
    std::vector<std::string> list;
    std::map<std::string, std::string> map;
    Colour colour = Colour::kRed;
  } v;
  Schema schema;
  schema.Add("x.a", &v.truth, {.doc = "d"});
  schema.Add("x.b", &v.bounded, {.min = 1, .max = 9, .unit = "pages", .doc = "d"});
  schema.Add("x.c", &v.from, {.min = 1, .doc = "d"});
  schema.Add("x.d", &v.to, {.max = 9, .doc = "d"});
  schema.Add("x.e", &v.free, {.doc = "d"});
  schema.Add("x.f", &v.natural, {.doc = "d"});
  schema.Add("x.g", &v.share, {.min = 0, .max = 1, .doc = "d"});
  schema.Add("x.h", &v.wait, {.min = seconds(1), .max = seconds(3600), .doc = "d"});
  schema.Add("x.i", &v.exact, {.doc = "d"});
  schema.AddBytes("x.j", &v.bytes, {.min = 1024, .doc = "d"});
  schema.Add("x.k", &v.text, {.doc = "d"});
  schema.Add("x.l", &v.list, {.doc = "d"});
  schema.Add("x.m", &v.map, {.doc = "d"});
  schema.AddChoice("x.n", &v.colour, {{"red", Colour::kRed}, {"blue", Colour::kBlue}},
                   {.doc = "d"});
  std::vector<std::string> words;
  for (const Option& option : schema.options()) words.push_back(option.Expected());
  EXPECT_THAT(
      words, testing::ElementsAre("true or false", "an integer from 1 to 9 (pages)",
                                  "an integer of at least 1", "an integer of at most 9",
                                  "an integer", "an integer of at least 0", "a number from 0 to 1",
                                  "a duration in whole seconds from 1s to 1h, such as 10s or 2h",
                                  "a duration, such as 250ms, 10s or 2h",
                                  "a size of at least 1KiB, such as 64KiB or 256MB", "text",
                                  "a list, each text", "keys, each with text", "one of red, blue"));
}

TEST(SchemaTest, AnEnvironmentNameTellsSectionsFromWords) {
  EXPECT_EQ(EnvironmentName("spider.fetch.max_bytes"), "ORBWEAVER_SPIDER__FETCH__MAX_BYTES");
}

TEST(SchemaTest, OptionsAreSortedSoThatSectionsStandTogether) {
  int member = 0;
  Schema schema;
  for (const char* name : {"b.a", "a_b.c", "a.z", "a.c.d", "a.b"}) {
    schema.Add(name, &member, {.doc = "d"});
  }
  std::vector<std::string> names;
  for (const Option& option : schema.options()) names.push_back(option.name);
  EXPECT_THAT(names, testing::ElementsAre("a.b", "a.c.d", "a.z", "a_b.c", "b.a"));
}

TEST(SchemaDeathTest, ADeclarationThatCannotBeConfiguredIsABug) {
  int member = 0;
  const auto declare = [&member](const std::string& name) {
    Schema schema;
    schema.Add("a.b", &member, {.doc = "d"});
    schema.Add(name, &member, {.doc = "d"});
  };
  for (const char* name : {"a.b", "a.b.c", "a", "", ".a", "a.", "a..b", "x.Y", "x.y-z", "x.1y",
                           "x.a__b", "x.a_", "x._a", "x.y z", "x.ä"}) {
    EXPECT_DEATH(declare(name), "") << name;
  }
  declare("a.bc");
}

}  // namespace
}  // namespace orbweaver::config
