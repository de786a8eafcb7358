#include "cli/strategy_files.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <string_view>

#include "common/base/status.h"

namespace orbweaver {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kStrategy = R"("""$CLASS: say here what it is for."""

from orbweaver.strategy import CrawlRules, Integer, Strategy


class $CLASS(Strategy):
    """Pages with short URLs first"""

    # allow_urls, deny_urls, max_depth, max_pages, retries and the like.
    rules = CrawlRules()
    length = Integer(60, 1, 10_000, "Characters of a URL that is short")

    def filter(self, links):
        self.rules.filter(links)

    def on_seeds(self, seeds):
        self.rules.schedule_seeds(seeds, 1.0)

    def on_links(self, links):
        for link in links:
            self.rules.schedule_new(links, link, 0.9 if len(link.url) <= self.length else 0.1)

    def on_failure(self, failure):
        self.rules.retry(failure)
)";

constexpr std::string_view kTest = R"("""orbweaver strategy test $NAME_test.py"""

import unittest

from orbweaver.testing import TestDriver

from $NAME import $CLASS


class $CLASSTest(unittest.TestCase):
    def test_short_urls_go_first(self):
        crawl = TestDriver($CLASS, {"length": 25})
        crawl.seeds(["https://example.com/"])
        order = crawl.run({
            "https://example.com/": ["https://example.com/a/long/way", "https://example.com/short"],
            "https://example.com/a/long/way": [],
            "https://example.com/short": [],
        })
        self.assertEqual(["https://example.com/", "https://example.com/short", "https://example.com/a/long/way"], order)

    def test_a_failure_that_may_pass_is_tried_again(self):
        crawl = TestDriver($CLASS)
        crawl.seeds(["https://example.com/"])
        crawl.next()
        crawl.fail("https://example.com/")
        self.assertEqual(60_000, crawl.waiting("https://example.com/").not_before_ms - crawl.now_ms)


if __name__ == "__main__":
    unittest.main()
)";

bool IsModuleName(std::string_view name) {
  if (name.empty() || name[0] < 'a' || name[0] > 'z') return false;
  return name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == name.npos;
}

// short_first is ShortFirst.
std::string ClassOf(std::string_view name) {
  std::string title;
  bool begins = true;
  for (const char c : name) {
    if (c != '_') title.push_back(begins && c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c);
    begins = c == '_';
  }
  return title;
}

void Replace(std::string_view from, std::string_view to, std::string* text) {
  for (size_t at = text->find(from); at != text->npos; at = text->find(from, at + to.size())) {
    text->replace(at, from.size(), to);
  }
}

absl::Status Write(const fs::path& file, std::string_view text) {
  std::ofstream out(file, std::ios::out | std::ios::trunc);
  if (!(out << text) || !out.flush()) {
    return FatalError("{} cannot be written: {}", file.string(), std::strerror(errno));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status WriteNewStrategy(const fs::path& file) {
  const std::string name = file.stem();
  if (file.extension() != ".py" || !IsModuleName(name)) {
    return FatalError("{}: expected NAME.py, of small letters, digits and underscores",
                      file.string());
  }
  const fs::path test = file.parent_path() / (name + "_test.py");
  for (const fs::path& one : {file, test}) {
    std::error_code error;
    if (fs::exists(one, error)) return FatalError("{} is there already", one.string());
  }
  const std::string title = ClassOf(name);
  const auto filled = [&](std::string_view text) {
    std::string own(text);
    Replace("$CLASS", title, &own);
    Replace("$NAME", name, &own);
    return own;
  };
  RETURN_IF_ERROR(Write(file, filled(kStrategy)));
  return Write(test, filled(kTest));
}

}  // namespace orbweaver
