#include "cli/check/url_list.h"

#include <fcntl.h>
#include <fstream>
#include <map>
#include <set>

#include "fmt/format.h"
#include <gtest/gtest.h>

#include "common/url/domain.h"
#include "tests/support/expect_ok.h"
#include "tests/support/scratch_folder.h"

namespace orbweaver {
namespace {

class UrlListTest : public testing::Test {
 protected:
  void Read(const std::string& text, size_t column = 0) {
    path_ = (folder_.path() / "urls").string();
    std::ofstream(path_, std::ios::binary) << text;
    list_ = UrlList::Open(path_, column).value();
    urls_ = {};
    counts_ = {};
    refused_.clear();
    EXPECT_OK(list_->Read(
        resolver_, [this](uint32_t line) { return done_.contains(line); },
        [this](uint32_t line, std::string_view text, UrlError) { refused_[line] = text; }, &urls_,
        &counts_));
  }
  // Each group's URLs by their lines, the groups in their order.
  std::vector<std::vector<uint32_t>> Lines() const {
    std::vector<std::vector<uint32_t>> lines;
    for (const ListedUrls::Group& group : urls_.groups) {
      lines.emplace_back();
      for (uint32_t i = group.begin; i < group.end; ++i) {
        EXPECT_EQ(urls_.urls[i].group, lines.size() - 1);
        EXPECT_EQ(urls_.urls[i].attempts, 0u);
        lines.back().push_back(urls_.urls[i].line);
      }
    }
    return lines;
  }

  const ScratchFolder folder_;
  const std::unique_ptr<const PublicSuffixes> suffixes_ = PublicSuffixes::Load({}).value();
  UrlResolver resolver_{UrlOptions(), *suffixes_};
  std::string path_;
  std::unique_ptr<UrlList> list_;
  std::set<uint32_t> done_;
  std::map<uint32_t, std::string> refused_;
  ListedUrls urls_;
  ListCounts counts_;
};

using Groups = std::vector<std::vector<uint32_t>>;

TEST_F(UrlListTest, ADomainsHostsTakeTurnsAndTheLargestDomainComesFirst) {
  Read(
      "http://one.test/\n"
      "http://a.big.test/1\nhttp://a.big.test/2\nhttp://a.big.test/3\n"
      "http://b.big.test/1\nhttp://b.big.test/2\n");
  EXPECT_EQ(Lines(), (Groups{{2, 5, 3, 6, 4}, {1}}));
}

TEST_F(UrlListTest, LinesAreFoundAgainByTheirPlace) {
  Read("# a comment\n\n  http://a.test/x  title\r\n\"http://a.test/y\",1\nb.test");
  std::map<uint32_t, std::string> texts;
  for (const ListedUrl& url : urls_.urls) texts[url.line] = list_->TextOf(url);
  EXPECT_EQ(texts, (std::map<uint32_t, std::string>{
                       {3, "http://a.test/x"}, {4, "http://a.test/y"}, {5, "b.test"}}));
  EXPECT_EQ(counts_.lines, 5u);
  EXPECT_EQ(counts_.urls, 3u);
}

TEST_F(UrlListTest, AnUrlCountsOnceHoweverItIsWritten) {
  Read("http://a.test\nHTTP://A.TEST:80/\na.test\nhttp://a.test/x\nnonsense://\nnonsense://\n");
  EXPECT_EQ(counts_.duplicates, 3u);
  EXPECT_EQ(counts_.urls, 3u);
  EXPECT_EQ(refused_, (std::map<uint32_t, std::string>{{5, "nonsense://"}}));
}

TEST_F(UrlListTest, AColumnOfCsvIsTaken) {
  Read("rank,url\n1,http://a.test/\n2,\"http://b.test/x,y\"\n", 2);
  std::set<std::string> texts;
  for (const ListedUrl& url : urls_.urls) texts.emplace(list_->TextOf(url));
  // The heading is taken for a host without a scheme, as people write them.
  EXPECT_EQ(texts, (std::set<std::string>{"url", "http://a.test/", "http://b.test/x,y"}));
}

TEST_F(UrlListTest, WhatIsDoneIsLeftOut) {
  done_ = {1, 3};
  Read("http://a.test/1\nhttp://a.test/2\nhttp://a.test/3\n");
  EXPECT_EQ(Lines(), (Groups{{2}}));
  EXPECT_EQ(counts_.done, 2u);
  EXPECT_EQ(counts_.urls, 3u);
}

TEST_F(UrlListTest, LinesOfAnyLengthDoNoHarm) {
  // Longer than what is read at once, and ending at its borders.
  const std::string long_line(size_t{3} << 20, 'x');
  const std::string fitting = "http://a.test/" + std::string((1 << 20) - 15, 'y') + "\n";
  ASSERT_EQ(fitting.size(), size_t{1} << 20);
  Read("http://first.test/\n" + long_line + "\n" + fitting + fitting + "http://last.test/");
  std::set<std::string> texts;
  for (const ListedUrl& url : urls_.urls) texts.emplace(list_->TextOf(url).substr(0, 30));
  EXPECT_TRUE(texts.contains("http://first.test/"));
  EXPECT_TRUE(texts.contains("http://last.test/"));
  EXPECT_EQ(counts_.lines, 5u);
  EXPECT_EQ(refused_.size(), 2u);
}

TEST_F(UrlListTest, AFileThatShrinksWhileItIsCheckedGivesNothing) {
  Read("http://a.test/\nhttp://b.test/\n");
  std::filesystem::resize_file(path_, 0);
  EXPECT_EQ(list_->TextOf(urls_.urls[0]), "");
}

TEST_F(UrlListTest, OnlyAFileWithTheSameBytesHasTheSameDigest) {
  const std::string text(size_t{5} << 20, 'x');
  Read(text);
  const std::string digest = list_->Digest().value();
  EXPECT_EQ(list_->Digest().value(), digest);
  Read(text + "y");
  EXPECT_NE(list_->Digest().value(), digest);
}

TEST_F(UrlListTest, AFolderIsNoList) {
  EXPECT_FALSE(UrlList::Open(folder_.path().string(), 0).ok());
  EXPECT_FALSE(UrlList::Open((folder_.path() / "none").string(), 0).ok());
}

}  // namespace
}  // namespace orbweaver
