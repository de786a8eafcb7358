#include "common/url/domain.h"

#include <algorithm>
#include <atomic>
#include <fstream>
#include <libpsl.h>
#include <sstream>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "common/base/status.h"
#include "common/url/domain_cache.h"
#include "common/url/partition.h"
#include "common/url/suffix_table.h"
#include "tests/support/scratch_folder.h"

namespace orbweaver {
namespace {

std::unique_ptr<const PublicSuffixes> Load(const PublicSuffixOptions& options = {}) {
  auto suffixes = PublicSuffixes::Load(options);
  EXPECT_TRUE(suffixes.ok()) << suffixes.status();
  return *std::move(suffixes);
}

// A list in a file.
class ListFile {
 public:
  explicit ListFile(std::string_view text) { std::ofstream(path()) << text; }
  std::string path() const { return folder_.path() / "suffixes"; }

 private:
  const ScratchFolder folder_;
};

bool IsAscii(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

TEST(PublicSuffixesTest, ADomainIsThePublicSuffixAndOneLabel) {
  const auto suffixes = Load();
  EXPECT_EQ(suffixes->RegisteredDomain("my.name.co.uk"), "name.co.uk");
  EXPECT_EQ(suffixes->RegisteredDomain("name.co.uk"), "name.co.uk");
  EXPECT_EQ(suffixes->RegisteredDomain("a.b.c.example.com"), "example.com");
  EXPECT_EQ(suffixes->RegisteredDomain("www.example.unknowntld"), "example.unknowntld");
}

TEST(PublicSuffixesTest, TheListIsReadWhenItIsNeededAndOnce) {
  const auto suffixes = Load();
  EXPECT_EQ(suffixes->date().size(), 10u);
  EXPECT_FALSE(suffixes->is_read());
  std::vector<std::thread> threads;
  std::atomic<int> right = 0;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] { right += suffixes->RegisteredDomain("a.b.co.uk") == "b.co.uk"; });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, 8);
  EXPECT_TRUE(suffixes->is_read());
}

TEST(PublicSuffixesTest, TheListCompiledInIsNewerThanTheDistributions) {
  const auto suffixes = Load();
  EXPECT_GE(suffixes->date(), "2026-10-22");
  // Rules that came after February 2023.
  EXPECT_EQ(suffixes->RegisteredDomain("a.b.pages.gay"), "b.pages.gay");
  EXPECT_EQ(suffixes->RegisteredDomain("a.b.lp.dev"), "b.lp.dev");
}

TEST(PublicSuffixesTest, AListSaysWhenItWasMade) {
  const auto date = [](const std::string& head) {
    return std::string(Load({.file = ListFile(head + "\ncom\n").path()})->date());
  };
  EXPECT_EQ(date("// VERSION: 2031-01-02_03-04-05_UTC"), "2031-01-02");
  EXPECT_EQ(date("// VERSION: 2031"), "unknown");
  EXPECT_EQ(date("// VERSION: "), "unknown");
  EXPECT_EQ(date(""), "unknown");
  std::string text;
  JsonWriter json(&text);
  Load()->WriteStatus(json);
  EXPECT_EQ(text, R"({"list_date":")" + std::string(Load()->date()) + R"("})");
}

TEST(PublicSuffixesTest, WildcardsAndExceptionsOfTheListHold) {
  const auto suffixes = Load();
  EXPECT_EQ(suffixes->RegisteredDomain("a.b.c.ck"), "b.c.ck");
  EXPECT_EQ(suffixes->RegisteredDomain("www.ck"), "www.ck");
  EXPECT_EQ(suffixes->RegisteredDomain("a.www.ck"), "www.ck");
}

TEST(PublicSuffixesTest, HostsWithoutARegisteredDomainAreTheirOwn) {
  const auto suffixes = Load();
  for (const std::string_view host :
       {"co.uk", "com", "github.io", "localhost", "intranet", "127.0.0.1", "10.1.2.3",
        "[2001:db8::1]", "[::ffff:1.2.3.4]"}) {
    EXPECT_EQ(suffixes->RegisteredDomain(host), host);
  }
}

TEST(PublicSuffixesTest, ATrailingDotIsNoPartOfTheDomain) {
  const auto suffixes = Load();
  EXPECT_EQ(suffixes->RegisteredDomain("www.example.com."), "example.com");
  EXPECT_EQ(suffixes->RegisteredDomain("localhost."), "localhost");
  EXPECT_EQ(suffixes->RegisteredDomain("co.uk."), "co.uk");
}

TEST(PublicSuffixesTest, InternationalSuffixesMatchInPunycode) {
  const auto suffixes = Load();
  EXPECT_EQ(suffixes->RegisteredDomain("a.b.xn--55qx5d.cn"), "b.xn--55qx5d.cn");  // 公司.cn
  EXPECT_EQ(suffixes->RegisteredDomain("a.b.xn--p1ai"), "b.xn--p1ai");            // рф
}

TEST(PublicSuffixesTest, ThePrivateSectionIsASwitch) {
  EXPECT_EQ(Load()->RegisteredDomain("foo.github.io"), "foo.github.io");
  EXPECT_EQ(Load()->RegisteredDomain("a.foo.github.io"), "foo.github.io");
  const auto icann = Load({.private_section = false});
  EXPECT_EQ(icann->RegisteredDomain("foo.github.io"), "github.io");
  EXPECT_EQ(icann->RegisteredDomain("www.example.unknowntld"), "example.unknowntld");
  EXPECT_EQ(icann->RegisteredDomain("my.name.co.uk"), "name.co.uk");
}

TEST(PublicSuffixesTest, AFileTakesThePlaceOfTheBuiltInList) {
  const ListFile file(
      "// ===BEGIN ICANN DOMAINS===\n"
      "zz\nmy.zz\n*.w.zz\n!ex.w.zz\n公司.zz\n"
      "// ===END ICANN DOMAINS===\n");
  const auto suffixes = Load({.file = file.path()});
  EXPECT_EQ(suffixes->RegisteredDomain("a.b.my.zz"), "b.my.zz");
  EXPECT_EQ(suffixes->RegisteredDomain("a.b.c.w.zz"), "b.c.w.zz");
  EXPECT_EQ(suffixes->RegisteredDomain("a.ex.w.zz"), "ex.w.zz");
  EXPECT_EQ(suffixes->RegisteredDomain("a.b.xn--55qx5d.zz"), "b.xn--55qx5d.zz");
  EXPECT_EQ(suffixes->RegisteredDomain("my.name.co.uk"), "co.uk");
}

TEST(PublicSuffixesTest, AFileThatIsNoListIsRefusedByName) {
  const auto missing = PublicSuffixes::Load({.file = "no/such/file"});
  EXPECT_TRUE(IsFatal(missing.status()));
  EXPECT_NE(missing.status().message().find("'no/such/file': No such file"), std::string::npos)
      << missing.status();
  const auto empty = PublicSuffixes::Load({.file = ListFile("// nothing\n").path()});
  EXPECT_TRUE(IsFatal(empty.status()));
  EXPECT_NE(empty.status().message().find("no suffix in it"), std::string::npos);
}

TEST(PublicSuffixesTest, HostsOfAnyLengthAreAnswered) {
  const auto suffixes = Load();
  std::string host;
  for (int i = 0; i < 126; ++i) host += "a.";
  EXPECT_EQ(suffixes->RegisteredDomain(host + "a"), "a.a");
  const std::string endless(100'000, 'a');
  EXPECT_EQ(suffixes->RegisteredDomain(endless), endless);
}

TEST(PublicSuffixesTest, EveryRuleOfTheListIsReadAsLibpslReadsIt) {
  const std::string_view list = BuiltInSuffixList();
  const std::unique_ptr<psl_ctx_t, decltype(&psl_free)> psl(
      psl_load_file(ListFile(list).path().c_str()), &psl_free);
  const auto suffixes = Load();
  const auto expect_same = [&](const std::string& host) {
    const char* domain = psl_registrable_domain(psl.get(), host.c_str());
    EXPECT_EQ(suffixes->RegisteredDomain(host), domain != nullptr ? domain : host);
  };
  std::istringstream lines{std::string(list)};
  std::string name;
  int rules = 0;
  while (std::getline(lines, name)) {
    if (name.empty() || name.starts_with("//") || !IsAscii(name)) continue;
    if (name.starts_with('!')) name.erase(0, 1);
    if (name.starts_with("*.")) name.erase(0, 2);
    ++rules;
    for (const std::string_view below : {"", "x.", "www.x.", "a.www.x."}) {
      expect_same(std::string(below) + name);
      const size_t dot = name.find('.');
      if (dot != std::string::npos) expect_same(std::string(below) + "y" + name.substr(dot));
    }
  }
  EXPECT_GT(rules, 5000);
}

TEST(ReversedDomainTest, TurnsLabelsRoundAndBack) {
  EXPECT_EQ(ReversedDomain("name.co.uk"), "uk.co.name");
  EXPECT_EQ(ReversedDomain("localhost"), "localhost");
  EXPECT_EQ(ReversedDomain("127.0.0.1"), "127.0.0.1");
  EXPECT_EQ(ReversedDomain("[2001:db8::1]"), "[2001:db8::1]");
  EXPECT_EQ(ReversedDomain("123.com"), "com.123");
  for (const std::string_view domain :
       {"name.co.uk", "localhost", "127.0.0.1", "123.com", "[::1]"}) {
    EXPECT_EQ(ReversedDomain(ReversedDomain(domain)), domain);
  }
}

TEST(DomainCacheTest, AnswersAsTheListDoesHoweverFullItIs) {
  const auto suffixes = Load();
  DomainCache cache(*suffixes);
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 20'000; ++i) {
      // Some of these are too long for a place of the cache.
      const std::string host =
          std::string(static_cast<size_t>(i) % 60, 'w') + "." + std::to_string(i) + "x.co.uk";
      const DomainCache::Answer answer = cache.Find(host);
      ASSERT_EQ(answer.domain, suffixes->RegisteredDomain(host));
      ASSERT_EQ(answer.slot, SlotOf(answer.domain));
      ASSERT_EQ(cache.Find(host).domain, answer.domain);
    }
  }
}

TEST(DomainCacheTest, ItsAnswerIsPartOfTheHostAskedFor) {
  const auto suffixes = Load();
  DomainCache cache(*suffixes);
  const std::string host = "www.example.com.";
  for (int round = 0; round < 2; ++round) {
    const std::string_view domain = cache.Find(host).domain;
    EXPECT_EQ(domain, "example.com");
    EXPECT_EQ(domain.data(), host.data() + 4);
  }
}

}  // namespace
}  // namespace orbweaver
