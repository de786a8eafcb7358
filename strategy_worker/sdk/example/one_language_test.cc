// The strategy in a crawl that happens in memory. Any test framework would do; this needs none.
#include <cstdio>
#include <cstdlib>
#include <orbweaver/test_driver.h>

extern "C" const orbweaver_strategy* orbweaver_strategy_v1();

using namespace orbweaver::sdk;

static void Expect(bool holds, const char* what) {
  if (holds) return;
  std::printf("failed: %s\n", what);
  std::exit(1);
}

static TestPage In(const char* language) {
  TestPage page;
  page.language = language;
  return page;
}

int main() {
  TestDriver crawl(orbweaver_strategy_v1(), {{"language", "en"}, {"patience", "2"}});
  crawl.Seeds({"https://a.com/", "https://a.com/en", "https://a.com/fr"});

  crawl.Page(crawl.Next()->url, In("de"));
  Expect(!crawl.Domain("a.com").given_up, "one page in German is forgiven");
  crawl.Page(crawl.Next()->url, In("en-GB"));
  crawl.Page(crawl.Next()->url, In("fr"));
  Expect(!crawl.Domain("a.com").given_up, "an English page in between starts the count anew");

  crawl.Links("https://a.com/", {"https://a.com/1", "https://a.com/2", "https://a.com/3"});
  Expect(crawl.queue().size() == 3, "links within the domain are followed");
  crawl.Page(crawl.Next()->url, In("fr"));
  Expect(crawl.Domain("a.com").given_up && crawl.queue().empty(), "two in a row are enough");

  crawl.Swap(orbweaver_strategy_v1(), {{"patience", "2"}});
  crawl.Links("https://a.com/", {"https://a.com/4"});
  Expect(crawl.queue().empty(), "a left domain stays left after a restart");
  std::puts("passed");
}
