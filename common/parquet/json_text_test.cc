#include "common/parquet/json_text.h"

#include <gtest/gtest.h>

#include "common/base/json.h"

namespace orbweaver::parquet {
namespace {

// "(none)" when it is no string.
std::string Read(std::string_view json) {
  JsonText text(json);
  std::string room;
  std::string_view value;
  return text.TakeString(&room, &value) && text.AtEnd() ? std::string(value) : "(none)";
}

TEST(JsonTextTest, StringsAreReadAsWritten) {
  for (const std::string_view value :
       {"", "plain", "\"\\/\b\f\n\r\t\x01", "\xc3\xa9\xe2\x82\xac\xf0\x9f\x95\xb8"}) {
    std::string json;
    AppendJsonString(value, &json);
    EXPECT_EQ(Read(json), value);
  }
  EXPECT_EQ(Read(" \t\"\\u00e9\\u20AC\\ud83d\\udd78\\/\" \n"),
            "\xc3\xa9\xe2\x82\xac\xf0\x9f\x95\xb8/");
}

TEST(JsonTextTest, WhatIsNoStringIsRefused) {
  for (const std::string_view bad :
       {"", "\"", "\"\\", "\"\\\"", "\"\\x\"", "\"\\u12\"", "\"\\u12g4\"", "\"\\ud83d\"",
        "\"\\udd78\"", "\"\\ud83d\\u0041\"", "\"a\nb\"", "\"\xff\"", "\"a\" b", "a"}) {
    EXPECT_EQ(Read(bad), "(none)") << bad;
  }
}

TEST(JsonTextTest, NumbersHaveTheFormOfJson) {
  for (const std::string_view good : {"0", "-0", "12", "-3.25", "1e9", "1.5E-10", "0.0"}) {
    JsonText text(good);
    std::string_view number;
    EXPECT_TRUE(text.TakeNumber(&number) && text.AtEnd()) << good;
    EXPECT_EQ(number, good);
  }
  for (const std::string_view bad : {"", "-", "01", ".5", "1.", "1e", "+1", "0x1", "nan", "1.e3"}) {
    JsonText text(bad);
    std::string_view number;
    EXPECT_FALSE(text.TakeNumber(&number) && text.AtEnd()) << bad;
  }
}

TEST(JsonTextTest, ElementsAreParted) {
  const auto count = [](std::string_view json) {
    JsonText text(json);
    if (!text.Take('[')) return -1;
    bool good = true;
    int elements = 0;
    for (; text.More(']', elements == 0, &good); ++elements) {
      if (!text.TakeWord("null")) return -1;
    }
    return good && text.AtEnd() ? elements : -1;
  };
  EXPECT_EQ(count("[]"), 0);
  EXPECT_EQ(count(" [ null , null ] "), 2);
  for (const std::string_view bad :
       {"[", "[null", "[null,", "[null,]", "[,null]", "[null null]", "[null]]"}) {
    EXPECT_EQ(count(bad), -1) << bad;
  }
}

}  // namespace
}  // namespace orbweaver::parquet
