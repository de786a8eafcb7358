// Strategies in Python: they decide as their models in C++ do, and what is wrong with one is told.
#include <functional>
#include <map>
#include <orbweaver/test_driver.h>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/random.h"
#include "common/base/status.h"
#include "strategy_worker/host/loader.h"
#include "tests/support/builtin_strategy.h"
#include "tests/support/own_strategy_fixture.h"

namespace orbweaver {
namespace {

using sdk::TestDriver;
using ::testing::AllOf;
using ::testing::HasSubstr;

// All that a crawl shows of what was decided.
using Request = std::tuple<std::string, float, int64_t, uint32_t, uint32_t>;
struct Books {
  std::vector<std::string> fetched;
  std::vector<Request> queue;
  std::map<std::string, std::string> states;
  std::map<std::string, std::tuple<uint64_t, uint64_t, std::string, bool>> domains;

  bool operator==(const Books&) const = default;
};

// A web of chance: pages that fail, hosts with sitemaps, links within and between domains, in an
// order of chance.
class ChanceCrawl {
 public:
  ChanceCrawl(const orbweaver_strategy* strategy, const Params& params, uint64_t seed)
      : crawl_(strategy, params, seed), random_(seed) {}

  Books Run() {
    for (int i = 0; i < 4; ++i) crawl_.Seeds({Url(i)});
    for (int i = 0; i < 200; ++i) Step();
    Books books;
    books.fetched = fetched_;
    for (const sdk::TestRequest& one : crawl_.queue()) {
      books.queue.emplace_back(one.url, one.score, one.not_before_ms, one.depth, one.attempt);
    }
    for (int domain = 0; domain < kDomains; ++domain) {
      const sdk::TestDomain& one = crawl_.Domain(DomainName(domain));
      books.domains[DomainName(domain)] = {one.scheduled, one.known_urls, one.data, one.given_up};
      for (int page = 0; page < kPages; ++page) AddState(Url(domain, page), &books);
    }
    return books;
  }

 private:
  static constexpr int kDomains = 12, kPages = 25;

  static std::string DomainName(int domain) { return "d" + std::to_string(domain) + ".com"; }
  static std::string Url(int domain, int page = 0) {
    const std::string path = page == 0 ? "" : page % 5 == 0 ? "about" : "p";
    return "https://" + DomainName(domain) + "/" + path + (page == 0 ? "" : std::to_string(page));
  }

  void AddState(const std::string& url, Books* books) const {
    const orbweaver_state* const state = crawl_.State(url);
    if (state == nullptr) return;
    books->states[url] = std::to_string(state->status) + "/" + std::to_string(state->fetches) +
                         std::string(reinterpret_cast<const char*>(state->data), 8);
  }

  void Step() {
    crawl_.SetTime(crawl_.now_ms() + static_cast<int64_t>(random_.Below(60'000)));
    const auto request = crawl_.Next();
    if (!request) return;
    fetched_.push_back(request->url);
    const std::string domain = TestDriver::DomainOf(request->url);
    switch (random_.Below(8)) {
      case 0:
        return crawl_.Fail(request->url, {.transient = random_.Below(2) == 0});
      case 1:
        return crawl_.Fail(request->url, {sdk::Cause::kDns, false, 0, -1});
      case 2:
        crawl_.Host(domain, {.sitemaps = {"https://" + domain + "/s1.xml", "https://x.com/s.xml",
                                          "https://www." + domain + "/s2.xml"}});
        break;
      default:
        break;
    }
    crawl_.Page(request->url);
    std::map<std::string, sdk::TestLink> links;
    for (uint64_t i = random_.Below(12); i > 0; --i) {
      const std::string url =
          random_.Below(2) == 0 ? "https://" + domain + "/p" + std::to_string(random_.Below(kPages))
                                : Url(static_cast<int>(random_.Below(kDomains)),
                                      static_cast<int>(random_.Below(kPages)));
      const bool is_sitemap = random_.Below(10) == 0;
      links.try_emplace(url, url,
                        is_sitemap               ? sdk::LinkKind::kSitemap
                        : random_.Below(10) == 0 ? sdk::LinkKind::kEmbed
                                                 : sdk::LinkKind::kAnchor);
    }
    std::vector<sdk::TestLink> list;
    for (const auto& [url, link] : links) list.push_back(link);
    if (!list.empty()) crawl_.Links(request->url, list);
  }

  TestDriver crawl_;
  Random random_;
  std::vector<std::string> fetched_;
};

// Both crawl the same webs of chance; the parameters are those of the model.
void ExpectEqual(const std::string& name, const std::string& model_name, const Params& params) {
  SCOPED_TRACE(name);
  const std::string file = ORBWEAVER_EXAMPLES "/" + name + ".py";
  Params of_python = params;
  of_python.insert({{"module", file}, {"class", ""}});
  const orbweaver_strategy* const model = BuiltinStrategy(model_name);
  const orbweaver_strategy* const python = PythonStrategy(file);
  ASSERT_NE(python, nullptr);
  EXPECT_EQ(python->name, name);
  size_t fetched = 0;
  for (uint64_t seed = 1; seed <= 6; ++seed) {
    const Books expected = ChanceCrawl(model, params, seed).Run();
    ASSERT_EQ(ChanceCrawl(python, of_python, seed).Run(), expected) << seed;
    fetched += expected.fetched.size();
  }
  EXPECT_GT(fetched, 60u);
}

TEST(PythonStrategyTest, AStrategyInPythonDecidesAsTheSameInCpp) {
  const Params bounded = {{"max_pages", "7"}, {"max_depth", "3"}, {"deny_urls", "*about*,*/p3"}};
  ExpectEqual("breadth_first", "breadth_first", {});
  ExpectEqual("breadth_first", "breadth_first", bounded);
  ExpectEqual("breadth_first_batch", "breadth_first", bounded);
  ExpectEqual("opic", "opic", {});
  ExpectEqual("opic", "opic", {{"max_pages", "5"}, {"raise_step", "0"}});
  ExpectEqual("discovery", "discovery", {});
  ExpectEqual("discovery", "discovery",
              {{"max_pages", "4"}, {"max_sitemaps", "1"}, {"allow_domains", "d1*.com,d2.com"}});
  ExpectEqual("discovery", "discovery", {{"new_domains", "false"}, {"retry_delay_s", "1"}});
}

bool Succeeds(const std::function<void()>& event) {
  try {
    event();
  } catch (const std::runtime_error&) {
    return false;
  }
  return true;
}

TEST_F(OwnStrategyTest, WhatCannotBeLoadedIsToldWithWhatToDo) {
  EXPECT_THAT(Refusal("x = 1"), HasSubstr("has no strategies. Derive a class from "));
  EXPECT_THAT(Refusal("class A(Strategy): pass\nclass B(Strategy): pass"),
              HasSubstr("has 2 strategies and it has: A, B. Set the parameter `class`"));
  EXPECT_THAT(Refusal("class A(Strategy): pass", {{"class", "C"}}),
              HasSubstr("has no strategy 'C'"));
  EXPECT_THAT(Refusal("import nowhere"),
              AllOf(HasSubstr("No module named 'nowhere' (own4.py:2 in <module>). Install it for "),
                    HasSubstr("that VIRTUAL_ENV names, or set PYTHONPATH")));
  EXPECT_THAT(Refusal("def f(:"), HasSubstr("SyntaxError: invalid syntax (own5.py:2: def f(:)"));
  EXPECT_THAT(Refusal("class A(Strategy):\n  def on_link(self, links): pass"),
              HasSubstr("no event calls the method on_link. Did you mean on_links?"));
  EXPECT_THAT(Refusal("class A(Strategy):\n  def on_links(self): pass"),
              HasSubstr("the method on_links is to take (self, links)"));
  EXPECT_THAT(
      Refusal("class A(Strategy):\n  def start(self, seed): 1 / 0"),
      HasSubstr("it refuses to start: ZeroDivisionError: division by zero (own8.py:3 in start)"));
  EXPECT_THAT(Refusal("class A(Strategy):\n  n = Integer(1, 0, 5, 'x')", {{"n", "6"}}),
              HasSubstr("parameter 'n': '6' is not an integer from 0 to 5"));
  EXPECT_THAT(Refusal("class A(Strategy):\n  version = 'one'"), HasSubstr("`version` is not"));
  const auto missing = OpenStrategy(Python("/nowhere/own.py"));
  EXPECT_THAT(std::string(MessageOf(missing.status())), HasSubstr("no such file: /nowhere/own.py"));
  const auto unnamed = LoadStrategy({.name = "python"}, 1);
  EXPECT_THAT(std::string(MessageOf(unnamed.status())), HasSubstr("no module is named"));
}

TEST_F(OwnStrategyTest, AnExceptionIsTheEventsFailureAndTheNextEventIsHandled) {
  EXPECT_THAT(Failure("seeds[0].schedule(1)\n    {}['x']"),
              HasSubstr("KeyError: 'x' (own1.py:5 in on_seeds)"));
  EXPECT_THAT(Failure("CrawlRules().schedule_new(seeds, 7, 1)"),
              HasSubstr("has no attribute 'is_new' (own2.py:4 in on_seeds)"));
  EXPECT_THAT(Failure("sys.exit(3)"), HasSubstr("SystemExit: 3"));
  EXPECT_THAT(Failure("seeds[9]"), HasSubstr("IndexError: no such link"));
  EXPECT_THAT(Failure("seeds[0].schedule()"), HasSubstr("TypeError"));
  EXPECT_THAT(Failure("seeds[0].schedule('high')"), HasSubstr("TypeError"));
  EXPECT_THAT(Failure("seeds[0].schedule(1, soon=2)"), HasSubstr("TypeError"));
  EXPECT_THAT(Failure("seeds[0].set_data(b'123456789')"), HasSubstr("a URL keeps 8 bytes, not 9"));
  EXPECT_THAT(Failure("seeds[0].set_status(7)"), HasSubstr("no such status"));
  EXPECT_THAT(Failure("seeds[0].set_attempt(-1)"), HasSubstr("OverflowError"));
  EXPECT_THAT(Failure("seeds.request('https://a.com/x')"), HasSubstr("TypeError"));
  EXPECT_THAT(Failure("seeds.warn('\\ud800')"), HasSubstr("UnicodeEncodeError"));
  EXPECT_THAT(Failure("raise type('Odd', (Exception,), {'__str__': lambda s: 1})()"),
              HasSubstr("Odd"));
  EXPECT_EQ(Failure("seeds[0].schedule(1, not_before_ms=5); seeds[1].set_meta({'a': 'b'})"), "");
}

TEST_F(OwnStrategyTest, ColumnsHoldWhatTheLinksSay) {
  const std::string file = Write(
      "import array\n"
      "class Own(Strategy):\n"
      "  def on_seeds(self, seeds):\n"
      "    for name in ('is_new', 'status', 'kind', 'fetches', 'errors', 'fingerprint_low'):\n"
      "      assert list(seeds.column(name)) == [getattr(link, name) for link in seeds], name\n"
      "    for i, link in enumerate(seeds): link.set_data(bytes([i]))\n"
      "    assert seeds.urls() == [link.url for link in seeds]\n"
      "    scores = array.array('d', [0.25, float('nan'), 0.75])\n"
      "    assert seeds.schedule_new(scores) == 2\n"
      "    for wrong in (array.array('f', [1]), b'abc', 'high'):\n"
      "      try: seeds.schedule_new(wrong)\n"
      "      except (TypeError, ValueError): continue\n"
      "      raise AssertionError(wrong)\n");
  TestDriver crawl(PythonStrategy(file), {{"module", file}, {"class", ""}});
  EXPECT_NO_THROW(crawl.Seeds({"https://a.com/", "https://a.com/1", "https://a.com/2"}));
  ASSERT_EQ(crawl.queue().size(), 2u);
  EXPECT_EQ(crawl.Waiting("https://a.com/")->score, 0.25f);
  EXPECT_EQ(crawl.Waiting("https://a.com/2")->score, 0.75f);
}

// As a part of a larger record has them; UndefinedBehaviorSanitizer looks.
TEST_F(OwnStrategyTest, ScoresMayStandAtAnyAddress) {
  const std::string file = Write(
      "import array\n"
      "class Own(Strategy):\n"
      "  def on_seeds(self, seeds):\n"
      "    for kind in 'df':\n"
      "      scores = b'.' + array.array(kind, [0.25, 0.5]).tobytes()\n"
      "      assert seeds.schedule_new(memoryview(scores)[1:].cast(kind)) == 2\n");
  TestDriver crawl(PythonStrategy(file), {{"module", file}, {"class", ""}});
  EXPECT_NO_THROW(crawl.Seeds({"https://a.com/", "https://a.com/1"}));
  ASSERT_EQ(crawl.queue().size(), 2u);
  EXPECT_EQ(crawl.Waiting("https://a.com/")->score, 0.25f);
  EXPECT_EQ(crawl.Waiting("https://a.com/1")->score, 0.5f);
}

TEST_F(OwnStrategyTest, AViewThatOutlivesItsEventSaysSo) {
  const std::string file = Write(
      "kept = []\n"
      "class Own(Strategy):\n"
      "  def on_seeds(self, seeds):\n"
      "    for one in kept:\n"
      "      try: one.name if type(one).__name__ == 'Domain' else one.depth\n"
      "      except ReferenceError: continue\n"
      "      raise AssertionError('it is still there')\n"
      "    kept.extend([seeds, seeds.domain, *seeds])\n"
      "    assert [link.url for link in kept[-len(seeds):]] == [link.url for link in seeds]\n");
  TestDriver crawl(PythonStrategy(file), {{"module", file}, {"class", ""}});
  EXPECT_NO_THROW(crawl.Seeds({"https://a.com/", "https://a.com/1"}));
  EXPECT_NO_THROW(crawl.Seeds({"https://b.com/"}));
}

// All that crosses the boundary, with exceptions, views that are kept and columns; the strategy
// counts Python's blocks of memory when it gets seeds, and objects too: with PYTHONMALLOC=malloc,
// as under sanitizers, Python counts no blocks.
TEST_F(OwnStrategyTest, TwiceAsManyEventsLeaveNoMoreBlocksOfMemory) {
  const std::string file = Write(
      "import gc\n"
      "class Own(Strategy):\n"
      "  rules = CrawlRules()\n"
      "  def filter(self, links): self.rules.filter(links)\n"
      "  def on_seeds(self, seeds):\n"
      "    self.rules.schedule_seeds(seeds, 1)\n"
      "    if seeds[0].url == 'https://a.com/':\n"
      "      gc.collect()\n"
      "      seeds.warn(str(sys.getallocatedblocks() + len(gc.get_objects())))\n"
      "  def on_page(self, page):\n"
      "    self.kept = [page, page.link, page.domain, page.title, page.link.data, "
      "page.meta('from')]\n"
      "    page.keep_domain_data(page.domain.name.encode())\n"
      "    page.request(page.link.url + '/more', 0.5, depth=1)\n"
      "    if page.link.url.endswith('7'): {}[page.link.url]\n"
      "  def on_links(self, links):\n"
      "    self.kept = [links, links[0], links.domain, links.urls(), links.anchors()]\n"
      "    self.kept += [links.column('is_new'), links.column('data')]\n"
      "    for link in links:\n"
      "      link.set_data(link.url[-8:].encode())\n"
      "      link.set_meta({'from': links.source_url})\n"
      "      if self.rules.schedule_new(links, link, 0.5): link.schedule(0.75, not_before_ms=9)\n"
      "  def on_failure(self, failure): self.rules.retry(failure), failure.cause\n"
      "  def on_host(self, host): self.kept = host.sitemaps, host.robots, host.dns\n");
  TestDriver crawl(PythonStrategy(file), {{"module", file}, {"class", ""}});
  const std::string page = "https://a.com/";
  const auto blocks_after = [&](int from, int to) {
    for (int i = from; i < to; ++i) {
      const std::string url = page + std::to_string(i);
      crawl.Seeds({url});
      const bool fails = url.ends_with('7');
      EXPECT_EQ(fails, !Succeeds([&] { crawl.Page(url); }));
      crawl.Links(url, {{url + "/a", "a"}, {url + "/b", "b"}, {page, "home"}});
      crawl.Fail(url + "/a", {.transient = i % 2 == 0});
      crawl.Host("a.com", {.sitemaps = {url + "/s.xml"}});
    }
    crawl.Seeds({page});
    return std::stoi(crawl.warning());
  };
  constexpr int kEvents = 300, kMostMore = kEvents / 3;
  const int warm = blocks_after(0, kEvents), after = blocks_after(kEvents, 3 * kEvents);
  EXPECT_LE(after - warm, kMostMore);
}

TEST_F(OwnStrategyTest, ThreadsOfAStrategyNeitherHinderNorHangIt) {
  const std::string file = Write(
      "import subprocess, threading\n"
      "class Own(Strategy):\n"
      "  def start(self, seed):\n"
      "    self.count, self.over = 0, False\n"
      "    self.thread = threading.Thread(target=self.run)\n"
      "    self.thread.start()\n"
      "    assert subprocess.run(['true']).returncode == 0\n"
      "  def run(self):\n"
      "    while not self.over: self.count += 1\n"
      "  def finished(self): return self.count > 100\n"
      "  def close(self):\n"
      "    self.over = True\n"
      "    self.thread.join()\n");
  TestDriver crawl(PythonStrategy(file), {{"module", file}, {"class", ""}});
  for (int i = 0; !crawl.Finished(); ++i) crawl.Seeds({"https://a.com/" + std::to_string(i)});
}

}  // namespace
}  // namespace orbweaver
