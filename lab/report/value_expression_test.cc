#include "lab/report/value_expression.h"

#include <string>

#include <gtest/gtest.h>

#include "common/base/random.h"
#include "common/base/status.h"

namespace orbweaver::lab {
namespace {

PageFetched Page() {
  PageFetched page;
  page.request = {.url = "https://de.example.org/wiki/Netz", .domain = "example.org", .depth = 3};
  page.status = 200;
  page.language = "de-AT, en";
  page.content_type = "text/html; charset=utf-8";
  page.title = "Netz";
  page.text_bytes = 4000;
  page.links_inside = 0;
  return page;
}

double ValueOf(std::string_view text) {
  const PageFetched page = Page();
  const auto value = ValueExpression::Parse(text);
  EXPECT_TRUE(value.ok()) << text << ": " << value.status();
  return value.ok() ? value->Evaluate({.page = page, .domain = "example.org"}) : -1;
}

TEST(ValueExpression, ComparesNumbersAndTexts) {
  EXPECT_EQ(1, ValueOf("status=200 and language=\"de\" and text_bytes>2000"));
  EXPECT_EQ(0, ValueOf("status=200 and language=\"en\""));
  EXPECT_EQ(1, ValueOf("fetch_status == 200"));
  EXPECT_EQ(1, ValueOf("depth != 2 and depth <> 2"));
  EXPECT_EQ(1, ValueOf("depth<=3 and depth>=3 and not depth<3 and not depth>3"));
  EXPECT_EQ(1, ValueOf("mime = 'text/html'"));
  EXPECT_EQ(1, ValueOf("host = \"de.example.org\" and domain = \"example.org\""));
  EXPECT_EQ(1, ValueOf("content_languages = 'de-AT, en'"));
  EXPECT_EQ(1, ValueOf("title > \"Anfang\""));
}

TEST(ValueExpression, BindsNotBeforeAndBeforeOr) {
  EXPECT_EQ(1, ValueOf("true or false and false"));
  EXPECT_EQ(0, ValueOf("(true or false) and false"));
  EXPECT_EQ(1, ValueOf("not false and true"));
  EXPECT_EQ(1, ValueOf("not (false and true)"));
  EXPECT_EQ(7, ValueOf("1 + 2 * 3"));
  EXPECT_EQ(9, ValueOf("(1 + 2) * 3"));
  EXPECT_EQ(1, ValueOf("4 - 2 - 1"));
  EXPECT_EQ(1, ValueOf("1 + 1 < 3 and 6 / 2 = 3"));
}

TEST(ValueExpression, GivesWeights) {
  EXPECT_EQ(4, ValueOf("text_bytes/1000"));
  EXPECT_EQ(8, ValueOf("(language=\"de\") * 2 * text_bytes / 1000"));
  EXPECT_TRUE(ValueExpression::Parse("depth<3")->is_condition());
  EXPECT_FALSE(ValueExpression::Parse("depth")->is_condition());
}

TEST(ValueExpression, MatchesPatterns) {
  EXPECT_EQ(1, ValueOf("url like '%/wiki/%'"));
  EXPECT_EQ(0, ValueOf("url like '/wiki/%'"));
  EXPECT_EQ(1, ValueOf("title like 'N_tz'"));
  EXPECT_EQ(0, ValueOf("title like 'N_z'"));
  EXPECT_EQ(1, ValueOf("title like '%'"));
  EXPECT_EQ(1, ValueOf("canonical_url like ''"));
  EXPECT_EQ(1, ValueOf("not url like '%.pdf'"));
}

TEST(ValueExpression, HasNoValueThatIsNoNumberOrNegative) {
  EXPECT_EQ(0, ValueOf("text_bytes / links_inside"));
  EXPECT_EQ(0, ValueOf("3 - 5"));
  EXPECT_EQ(0, ValueOf("1e300 * 1e300"));
  EXPECT_EQ(0, ValueOf("1 / 0 < 5 or 1 / 0 >= 5"));
  EXPECT_EQ(0, ValueOf("1 / 0 and true"));
}

struct Mistake {
  std::string text;
  std::string message;
};

TEST(ValueExpression, ShowsThePlaceOfAMistake) {
  const Mistake mistakes[] = {
      {"status=200 and langage=\"de\"",
       "there is no column 'langage'. Did you mean language?\n"
       "  status=200 and langage=\"de\"\n"
       "                 ^"},
      {"status=", "a column, a number or a text is expected here\n  status=\n         ^"},
      {"(depth<3", "`)` is missing here\n  (depth<3\n          ^"},
      {"depth<3 4", "an operator or the end is expected here\n  depth<3 4\n          ^"},
      {"title='x", "this text has no closing quote\n  title='x\n        ^"},
      {"title=5", "a text cannot be compared with a number\n  title=5\n       ^"},
      {"depth like 5", "`like` needs a text on both sides\n  depth like 5\n        ^"},
      {"title and true",
       "a text is compared with another: language = \"de\"\n  title and true\n  ^"},
      {"title", "a text is compared with another: language = \"de\"\n  title\n  ^"},
      {"1 < depth < 5",
       "comparisons are joined by `and`: 1 < depth and depth < 5\n  1 < depth < 5\n            ^"},
      {"12x", "this is not a number\n  12x\n  ^"},
      {"title=\"Zürich\" and x",
       "there is no column 'x'. A text stands in quotes\n"
       "  title=\"Zürich\" and x\n"
       "                     ^"},
      {"", "a column, a number or a text is expected here\n  \n  ^"},
      {"and", "a column, a number or a text is expected here\n  and\n  ^"}};
  for (const Mistake& mistake : mistakes) {
    const auto value = ValueExpression::Parse(mistake.text);
    ASSERT_FALSE(value.ok()) << mistake.text;
    EXPECT_EQ(mistake.message, MessageOf(value.status()));
  }
}

TEST(ValueExpression, RefusesWhatIsTooDeepOrTooLong) {
  EXPECT_TRUE(ValueExpression::Parse(std::string(90, '(') + "1" + std::string(90, ')')).ok());
  EXPECT_FALSE(ValueExpression::Parse(std::string(2000, '(') + "1" + std::string(2000, ')')).ok());
  EXPECT_FALSE(ValueExpression::Parse(std::string(2000, '-') + "1").ok());
  EXPECT_FALSE(ValueExpression::Parse(std::string(5000, ' ') + "1").ok());
}

// Any row of words is refused with a caret, or gives a value that is one.
TEST(ValueExpression, TakesOrRefusesAnyText) {
  const std::string words[] = {"status", "title", "depth", "\"de\"", "'", "12",   "1.5", "0", "and",
                               "or",     "not",   "like",  "=",      "<", ">=",   "+",   "-", "*",
                               "/",      "(",     ")",     "true",   "x", "\xc3", "%",   "\n"};
  const PageFetched page = Page();
  Random random(1);
  int taken = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string text;
    for (uint64_t left = 1 + random.Below(8); left > 0; --left) {
      text += words[random.Below(std::size(words))];
      if (random.Chance(0.7)) text += ' ';
    }
    const auto value = ValueExpression::Parse(text);
    if (!value.ok()) {
      EXPECT_EQ('^', MessageOf(value.status()).back()) << text;
      continue;
    }
    ++taken;
    EXPECT_GE(value->Evaluate({.page = page, .domain = "example.org"}), 0) << text;
  }
  EXPECT_GT(taken, 500);
}

}  // namespace
}  // namespace orbweaver::lab
