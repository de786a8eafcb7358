// Documents that have brought parsers to their knees: the work that each engine does on them, not
// its time, is bounded. (`./run bench parse` has the time.)
#include <string>

#include <gtest/gtest.h>

#include "spider/parse/gumbo_bounds.h"
#include "spider/parse/html_engine.h"
#include "tests/support/hostile_html.h"

namespace orbweaver {
namespace {

std::string Bounded(const std::string& html) {
  std::vector<size_t> nul_names;
  return std::string(BoundForGumbo(html, &nul_names));
}

// Counts what an engine hands over.
class CountingSink : public HtmlSink {
 public:
  void OnStart(HtmlTag, const HtmlAttributes&) override { ++calls; }
  void OnEnd(HtmlTag) override { ++calls; }
  void OnText(std::string_view text) override {
    ++calls;
    text_bytes += text.size();
  }
  void OnReopen() override { ++calls; }

  size_t calls = 0;
  size_t text_bytes = 0;
};

TEST(EngineBoundsTest, WorkIsInProportionToTheDocument) {
  for (const HtmlEngineKind kind : {HtmlEngineKind::kScanner, HtmlEngineKind::kGumbo}) {
    const auto engine = MakeHtmlEngine(kind);
    for (const std::string& html : HostileDocuments()) {
      CountingSink sink;
      (void)engine->Parse(html, sink);
      EXPECT_LE(sink.calls, html.size()) << static_cast<int>(kind) << html.substr(0, 40);
      EXPECT_LE(sink.text_bytes, html.size() + 8) << static_cast<int>(kind) << html.substr(0, 40);
    }
  }
}

TEST(EngineBoundsTest, ATagWithManyAttributesIsReadAsAnyOther) {
  std::string html = "<a href=1>x</a><a ";
  for (int i = 0; i < 10'000; ++i) html += "n" + std::to_string(i) + " ";
  html += "href=2>y</a><a href=3>";
  CountingSink sink;
  EXPECT_TRUE(MakeScannerEngine()->Parse(html, sink));
  EXPECT_EQ(8u, sink.calls) << "start, text, end; start, text, end; start, end";
}

TEST(EngineBoundsTest, GumboIsGivenNoMoreThanItCanTake) {
  std::string divs;
  for (int i = 0; i < 100'000; ++i) divs += "<div>";
  EXPECT_EQ(kMaxGumboDepth * 5, Bounded(divs).size());

  std::string formatting;
  for (int i = 0; i < 10'000; ++i) formatting += "<b id=" + std::to_string(10'000 + i) + "><p>";
  EXPECT_LE(Bounded(formatting).size(), (kMaxGumboFormatting + 1) * 16);

  std::string attributes = "<p>before<p ";
  for (int i = 0; i < 10'000; ++i) attributes += "a" + std::to_string(i) + "=1 ";
  EXPECT_EQ("<p>before", Bounded(attributes + ">after"));

  EXPECT_EQ(kMaxGumboBytes, Bounded(std::string(kMaxGumboBytes + 1, 'x')).size());
}

TEST(EngineBoundsTest, EndTagsThatEndNothingAreFewWhereMuchIsOpen) {
  std::string html;
  for (int i = 0; i < 400; ++i) html += "<g>";
  const size_t open = html.size();
  for (int i = 0; i < 10'000; ++i) html += "</b>";
  EXPECT_GT(Bounded(html).size(), open);
  EXPECT_LT(Bounded(html).size(), open + 4000);
}

TEST(EngineBoundsTest, ATitleInSvgIsDepthAsAnyElement) {
  std::string html;
  for (int i = 0; i < 10'000; ++i) html += "<svg><title>";
  EXPECT_EQ(kMaxGumboDepth * 6, Bounded(html).size());
}

TEST(EngineBoundsTest, OrdinaryUnclosedElementsAreNoDepth) {
  std::string html = "<table>";
  for (int i = 0; i < 2000; ++i) html += "<tr><td><p>x<td><ul><li>a<li>b</ul><a href=x><b>y</b>";
  html += "</table>";
  for (int i = 0; i < 2000; ++i)
    html += "<p>x<br><img src=a><a href=y>z<option><dl><dt>a<dd>b</dl>";
  html += "<script>'<div><div><div>'</script><!-- <div> -->";
  EXPECT_EQ(html.size(), Bounded(html).size());
}

TEST(EngineBoundsTest, ATreeThatOutgrowsItsMemoryIsGivenUp) {
  // Closed in a scope where that does not count: the one pass is deceived, the tree grows.
  std::string html;
  for (int i = 0; i < 3000; ++i) html += "<b id=" + std::to_string(i) + "><table></b></table><p>";
  CountingSink sink;
  EXPECT_FALSE(MakeGumboEngine()->Parse(html, sink));
  EXPECT_LE(sink.calls, html.size());
  // And the engine goes on with the next document.
  CountingSink next;
  EXPECT_TRUE(MakeGumboEngine()->Parse("<p>x", next));
  EXPECT_GT(next.calls, 0u);
}

}  // namespace
}  // namespace orbweaver
