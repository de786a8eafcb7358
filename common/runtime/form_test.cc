#include "common/runtime/form.h"

#include <string>

#include <gtest/gtest.h>

#include "common/base/status.h"

namespace orbweaver {
namespace {

TEST(FormTest, DecodesWhatCurlSends) {
  EXPECT_EQ(ParseForm("domain=b%C3%BCcher.de&why=too+slow&force").value(),
            (FormParams{{"domain", "bücher.de"}, {"force", ""}, {"why", "too slow"}}));
  EXPECT_EQ(ParseForm("").value(), FormParams{});
  EXPECT_EQ(ParseForm("&&a=1&").value(), (FormParams{{"a", "1"}}));
  EXPECT_EQ(ParseForm("a=b=c%26").value(), (FormParams{{"a", "b=c&"}}));
}

TEST(FormTest, AnyBytesComeBack) {
  const FormParams params{
      {"a&b=c", "x\n%+ y"}, {"empty", ""}, {"bytes", std::string("\0\xff/:\xc3", 5)}};
  EXPECT_EQ(ParseForm(EncodeForm(params)).value(), params);
  EXPECT_EQ(EncodeForm({}), "");
}

TEST(FormTest, RefusesWhatCouldMeanTwoThings) {
  for (const char* text : {"a=%", "a=%4", "a=%zz", "%=a", "a=1&a=2", "a&%61=1"}) {
    EXPECT_TRUE(IsPoison(ParseForm(text).status())) << text;
  }
}

}  // namespace
}  // namespace orbweaver
