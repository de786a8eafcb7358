// The standard's odd cases. A document's tokens are written as one line: text as it is, its line
// ends too, "|" between tokens, "<NAME attribute=value …>" with the attributes that matter in the
// order of HtmlAttribute, "</NAME>"; "?" is any name that is not known.
#include "spider/parse/html_tokenizer.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/hostile_html.h"

namespace orbweaver {
namespace {

constexpr std::string_view kAttributes[] = {
    "alt",  "charset", "content", "data",           "href", "http-equiv", "imagesrcset", "lang",
    "name", "poster",  "rel",     "shadowrootmode", "src",  "srcset",     "type"};

std::string NameOf(const HtmlName& name) {
  return name.name.empty() ? "?" : std::string(name.name);
}

std::string StartTag(const HtmlTokenizer& tokenizer) {
  std::string tag = "<" + NameOf(tokenizer.name());
  for (size_t i = 0; i < std::size(kAttributes); ++i) {
    const auto attribute = static_cast<HtmlAttribute>(i);
    if (!tokenizer.attributes().Has(attribute)) continue;
    tag.append(" ")
        .append(kAttributes[i])
        .append("=")
        .append(tokenizer.attributes().Get(attribute));
  }
  return tag + (tokenizer.self_closing() ? "/>" : ">");
}

// Pieces of one text are put together.
std::string Tokens(std::string_view html, bool in_foreign = false) {
  // In memory of its own, so that a sanitizer sees a step over its end.
  const std::vector<char> document(html.begin(), html.end());
  HtmlTokenizer tokenizer;
  tokenizer.Begin({document.data(), document.size()});
  std::string tokens;
  bool after_text = false;
  const auto add = [&](const std::string& token) {
    tokens.append(tokens.empty() ? "" : "|").append(token);
    after_text = false;
  };
  for (;;) {
    switch (tokenizer.Next(in_foreign)) {
      case HtmlTokenizer::Token::kText:
        EXPECT_FALSE(tokenizer.text().empty()) << html;
        if (!after_text) add("");
        tokens.append(tokenizer.text());
        after_text = true;
        break;
      case HtmlTokenizer::Token::kStartTag:
        add(StartTag(tokenizer));
        if (!in_foreign) tokenizer.EnterContent(tokenizer.name());
        break;
      case HtmlTokenizer::Token::kEndTag:
        add("</" + NameOf(tokenizer.name()) + ">");
        break;
      case HtmlTokenizer::Token::kEnd:
        EXPECT_EQ(HtmlTokenizer::Token::kEnd, tokenizer.Next(in_foreign)) << "it stays the end";
        return tokens;
    }
  }
}

struct Case {
  std::string_view html;
  std::string_view tokens;
};

template <size_t kCount>
void ExpectAll(const Case (&cases)[kCount]) {
  for (const Case& one : cases) EXPECT_EQ(one.tokens, Tokens(one.html)) << one.html;
}

// A document with a NUL in it, which a literal would end at.
std::string WithNul(std::string_view html) {
  std::string text(html);
  for (char& c : text) {
    if (c == '@') c = '\0';
  }
  return text;
}

TEST(HtmlTokenizerTest, ALessThanSignThatOpensNoTagIsText) {
  ExpectAll({{"", ""},
             {"text", "text"},
             {"1 < 2", "1 < 2"},
             {"a<", "a<"},
             {"a</", "a</"},
             {"<<p>", "<|<p>"},
             {"<1><p>", "<1>|<p>"},
             {"<\xc3\xa4>", "<\xc3\xa4>"}});
}

TEST(HtmlTokenizerTest, NamesAreFoundInAnyCaseAndOnlyWhole) {
  ExpectAll({{"<P><bLoCkQuOtE><FIGCAPTION><foreignObject>",
              "<p>|<blockquote>|<figcaption>|<foreignobject>"},
             {"<pp><xblockquote><blockquotf><ablockquote>", "<?>|<?>|<?>|<?>"},
             {"<a-b><p:q><p\xc3\xa4>", "<?>|<?>|<?>"},
             {"</P\n></p/></p x='>'>t", "</p>|</p>|</p>|t"},
             {"<IMG SRC=a HTTP-EQUIV=b ImageSrcSet=c HTTP-EQUIW=d>",
              "<img http-equiv=b imagesrcset=c src=a>"}});
  EXPECT_EQ("<?>|<img>", Tokens(WithNul("<p@><img @src=x src@=y>")));
}

TEST(HtmlTokenizerTest, AttributesAreReadInEachOfTheirForms) {
  ExpectAll({
      {"<a href>", "<a href=>"},
      {"<a href=>t", "<a href=>|t"},
      {"<a href = x >", "<a href=x>"},
      {"<a\nhref\t=\r\n'x y'rel=\"z\">", "<a href=x y rel=z>"},
      {"<a href=x/>", "<a href=x/>"},  // the slash is of the value
      {"<a href='x'/>", "<a href=x/>"},
      {"<a/href=x/rel=y>", "<a href=x/rel=y>"},
      {"<a / href='x' / >", "<a href=x>"},
      {"<a/>", "<a/>"},
      {"<a/ >", "<a>"},
      {"<a href=1 HREF=2 href=3>", "<a href=1>"},
      {"<a href href=2>", "<a href=>"},
      {"<a =href=x>", "<a>"},
      {"<a x =href=y>", "<a>"},
      {"<a x='1'=href href=y>", "<a href=y>"},
      {"<a href='>' rel=\">\">", "<a href=> rel=>>"},
      {"<a \"href=x>", "<a>"},
      {"<a href=x\"y'z<w=v`>", "<a href=x\"y'z<w=v`>"},
      {"<p href=x>", "<p>"},
      {"<p title='>' x=\">\" y=a/b>t", "<p>|t"},
  });
}

TEST(HtmlTokenizerTest, LineEndsAndNulsInValuesAreAsTheStandardHasThem) {
  EXPECT_EQ("<img alt=a\nb\nc\n>", Tokens("<img alt='a\r\nb\rc\n'>"));
  EXPECT_EQ("<img alt=a\xef\xbf\xbd>", Tokens(WithNul("<img alt=a@>")));
  EXPECT_EQ("<img alt=a\r>", Tokens("<img alt='a&#13;'>")) << "a reference is no line end";
}

TEST(HtmlTokenizerTest, ATagThatTheDocumentEndsInIsNone) {
  ExpectAll({{"t<a", "t"},
             {"t<a ", "t"},
             {"t<a href", "t"},
             {"t<a href=", "t"},
             {"t<a href=x", "t"},
             {"t<a href='x>y", "t"},
             {"t<a href=\"x\"", "t"},
             {"t<a /", "t"},
             {"t</a", "t"},
             {"t</a x='>", "t"}});
}

TEST(HtmlTokenizerTest, CommentsEndAsInBrowsers) {
  ExpectAll({{"a<!-- <p> -->b", "ab"},
             {"<!-->b", "b"},
             {"<!--->b", "b"},
             {"<!---->b", "b"},
             {"<!--->-->b", "-->b"},
             {"<!----!>b", "b"},
             {"<!---!>-->b", "b"},
             {"<!--!>-->b", "b"},
             {"<!-- --!>b", "b"},
             {"<!-- --!->-->b", "b"},
             {"<!-- -- >-->b", "b"},
             {"<!-- --->b", "b"},
             {"<!-- <!-- -->b", "b"},
             {"<!-- <!-->b", "b"},
             {"<!-- <!->-->b", "b"},
             {"<!--a->b>c--d>e-->f", "f"},
             {"a<!--", "a"},
             {"a<!-- <p> --", "a"}});
}

TEST(HtmlTokenizerTest, WhatCountsAsACommentEndsAtTheFirstSign) {
  ExpectAll({{"<!x '>'>b", "'>b"},
             {"<!>b", "b"},
             {"<!->b-->", "b-->"},
             {"<?xml version='1'?>b", "b"},
             {"<?>b", "b"},
             {"</ x>b", "b"},
             {"</1>b", "b"},
             {"</>b", "b"},
             {"<!doctype html>b", "b"},
             {"<!DOCTYPE html PUBLIC '>' x>b", "' x>b"},
             {"a<!x", "a"},
             {"a<?", "a"},
             {"a</ ", "a"}});
}

TEST(HtmlTokenizerTest, CdataIsTextInSvgAndMathOnly) {
  EXPECT_EQ(" b]]>c", Tokens("<![CDATA[ a> b]]>c"));
  EXPECT_EQ("a<b>&amp;]]c", Tokens("a<![CDATA[<b>&amp;]]]]>c", true));
  EXPECT_EQ("", Tokens("<![CDATA[]]>", true));
  EXPECT_EQ("<p>", Tokens("<![CDATA[<p>", true)) << "to the document's end, as text";
  EXPECT_EQ("b", Tokens("<![cdata[a>b", true)) << "a comment: its letters are capitals";
}

TEST(HtmlTokenizerTest, ElementsOfTextEndAtTheirOwnEndTag) {
  ExpectAll({{"<title><p></p></titlex></title></p>", "<title>|<p></p></titlex>|</title>|</p>"},
             {"<title>a</TITLE\n>b", "<title>|a|</title>|b"},
             {"<textarea>a</textarea/>b", "<textarea>|a|</textarea>|b"},
             {"<title>a</title x='>'>b", "<title>|a|</title>|b"},
             {"<title>a</title", "<title>|a</title"},
             {"<title>a</title ", "<title>|a"},
             {"<title><!--</title>-->", "<title>|<!--|</title>|-->"},
             {"<title>&lt;&amp</title>", "<title>|<&|</title>"},
             {"<title/>a</title>", "<title/>|a|</title>"},
             {"<style>&lt;<p></style>", "<style>|&lt;<p>|</style>"},
             {"<xmp><p></xmp><p>", "<xmp>|<p>|</xmp>|<p>"},
             {"<iframe><p></iframe>", "<iframe>|<p>|</iframe>"},
             {"<noembed><p></noembed>", "<noembed>|<p>|</noembed>"},
             {"<noframes><p></noframes>", "<noframes>|<p>|</noframes>"},
             {"<noscript><p></noscript>", "<?>|<p>|</?>"},
             {"<plaintext><p></plaintext>&lt;", "<plaintext>|<p></plaintext>&lt;"},
             {"</title><p>", "</title>|<p>"}});
  EXPECT_EQ(
      "<title>|a\xef\xbf\xbd"
      "b|</title>",
      Tokens(WithNul("<title>a@b</title>")));
  EXPECT_EQ("<style>|\xef\xbf\xbd|</style>", Tokens(WithNul("<style>@</style>")));
  EXPECT_EQ(WithNul("@a"), Tokens(WithNul("@a"))) << "in markup it is left to the reader";
}

TEST(HtmlTokenizerTest, AScriptEndsWhereItIsNotInACommentsScript) {
  ExpectAll({
      {"<script>'<p>&lt;'</script>b", "<script>|'<p>&lt;'|</script>|b"},
      {"<script><!--</script>b", "<script>|<!--|</script>|b"},
      {"<script><!--<script></script>b", "<script>|<!--<script></script>b"},
      {"<script><!--<script></script></script>b", "<script>|<!--<script></script>|</script>|b"},
      {"<script><!--<SCRIPT/</script/x--></script>b",
       "<script>|<!--<SCRIPT/</script/x-->|</script>|b"},
      {"<script><!--<script>--></script>b", "<script>|<!--<script>-->|</script>|b"},
      {"<script><!--><script></script>b", "<script>|<!--><script>|</script>|b"},
      {"<script><!---><script></script>b", "<script>|<!---><script>|</script>|b"},
      {"<script><!-- > -> --><script></script>b", "<script>|<!-- > -> --><script>|</script>|b"},
      {"<script><!-<script></script>b", "<script>|<!-<script>|</script>|b"},
      {"<script><!--<scripts></script>b", "<script>|<!--<scripts>|</script>|b"},
      {"<script><!--<script-></script>b", "<script>|<!--<script->|</script>|b"},
      {"<script><!--<script></scripts></script>b", "<script>|<!--<script></scripts></script>b"},
      {"<script><!--<script></<script></script>b", "<script>|<!--<script></<script></script>b"},
      {"<script><!--", "<script>|<!--"},
      {"<script><!--<script", "<script>|<!--<script"},
      {"<script></script", "<script>|</script"},
      {"<script>a</script x", "<script>|a"},
  });
}

TEST(HtmlTokenizerTest, NamedReferencesAreTheLongestThatTheTableHas) {
  ExpectAll({{"&amp;&AMP;&lt;&Aacute;", "&&<\xc3\x81"},
             {"&ampx &amp", "&x &"},
             {"&notit; &notin;", "\xc2\xacit; \xe2\x88\x89"},
             {"&CounterClockwiseContourIntegral;", "\xe2\x88\xb3"},
             {"&nGt;&fjlig;",
              "\xe2\x89\xab\xe2\x83\x92"
              "fj"},
             {"&&amp;& &;&x;&am", "&&& &;&x;&am"},
             {"<p>&lt;p&gt;</p>", "<p>|<p>|</p>"}});
}

TEST(HtmlTokenizerTest, NumericReferencesBecomeWhatBrowsersShow) {
  ExpectAll({{"&#65;&#x42;&#X43&#68 &#x20AC;", "ABCD \xe2\x82\xac"},
             {"&#128;&#x9F;&#129;", "\xe2\x82\xac\xc5\xb8\xc2\x81"},
             {"&#0;&#xD800;&#xdfff;&#x110000;&#99999999999999999999;",
              "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
             {"&#x10FFFF;&#xFFFE;", "\xf4\x8f\xbf\xbf\xef\xbf\xbe"},
             {"&#;&#x;&#xg;&#", "&#;&#x;&#xg;&#"}});
}

TEST(HtmlTokenizerTest, ReferencesInValuesLeaveUnescapedUrlsAlone) {
  ExpectAll({{"<a href='?a=1&amp;copy=2'>", "<a href=?a=1&copy=2>"},
             {"<a href='?a&copy=2&copyx&copy1&lt'>", "<a href=?a&copy=2&copyx&copy1<>"},
             {"<a href=?a&copy;&copy-&notit;>", "<a href=?a\xc2\xa9\xc2\xa9-&notit;>"},
             {"<a href=&#x41;&amp>", "<a href=A&>"},
             {"<a href=\"&\" rel='&amp'>", "<a href=& rel=&>"}});
}

TEST(HtmlTokenizerTest, ValuesOfATagOutliveTheNextOnes) {
  HtmlTokenizer tokenizer;
  tokenizer.Begin("<a href='x&amp;y'><a href='z&amp;'>");
  ASSERT_EQ(HtmlTokenizer::Token::kStartTag, tokenizer.Next(false));
  const std::string_view first = tokenizer.attributes().Get(HtmlAttribute::kHref);
  ASSERT_EQ(HtmlTokenizer::Token::kStartTag, tokenizer.Next(false));
  EXPECT_EQ("x&y", first);
  EXPECT_EQ("z&", tokenizer.attributes().Get(HtmlAttribute::kHref));
}

TEST(HtmlTokenizerTest, NothingOfOneDocumentIsLeftInTheNext) {
  HtmlTokenizer tokenizer;
  tokenizer.Begin("<title>a&amp;");
  ASSERT_EQ(HtmlTokenizer::Token::kStartTag, tokenizer.Next(false));
  tokenizer.EnterContent(tokenizer.name());
  ASSERT_EQ(HtmlTokenizer::Token::kText, tokenizer.Next(false));
  tokenizer.Begin("<p>");
  EXPECT_EQ(HtmlTokenizer::Token::kStartTag, tokenizer.Next(false));
  EXPECT_EQ(HtmlTokenizer::Token::kEnd, tokenizer.Next(false));
}

// Cut anywhere, and with each byte at each place of a block: no byte behind the document is read.
TEST(HtmlTokenizerTest, ADocumentMayEndAnywhere) {
  const std::string html =
      "<p class='x'>&amp;t &#65; <a href=\"y&lt;\" rel=z>1 < 2</a><!-- c --><!doctype html>"
      "<title>a&amp;</title><script><!--<script></script>--></script><style>b</style>";
  for (size_t size = 0; size <= html.size(); ++size) Tokens(html.substr(0, size));
  for (size_t begin = 0; begin <= html.size(); ++begin) Tokens(html.substr(begin));
  for (const std::string& hostile : HostileDocuments()) Tokens(hostile);
}

}  // namespace
}  // namespace orbweaver
