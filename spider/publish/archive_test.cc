// WARC and JSON lines files, as written, as left behind by a crash, and on a full disk; past 400
// lines, since all share one archive. warcio_test.py shows that other tools read them.
#include "spider/publish/archive.h"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <sys/resource.h>
#include <zlib.h>

#include <gtest/gtest.h>

#include "common/base/status.h"
#include "common/model/own_request.h"
#include "tests/support/expect_ok.h"
#include "tests/support/journey.h"
#include "tests/support/scratch_folder.h"

namespace orbweaver {
namespace {

namespace fs = std::filesystem;

std::string ReadAll(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// zlib's own reader of gzip files goes through all members.
std::string Unpacked(const fs::path& path) {
  gzFile const file = gzopen(path.c_str(), "rb");
  std::string text;
  char block[4096];
  for (int n; (n = gzread(file, block, sizeof block)) > 0;)
    text.append(block, static_cast<size_t>(n));
  gzclose(file);
  return text;
}

size_t Count(std::string_view text, std::string_view what) {
  size_t count = 0;
  for (size_t at = text.find(what); at != std::string_view::npos; at = text.find(what, at + 1)) {
    ++count;
  }
  return count;
}

class ArchiveTest : public ::testing::Test {
 protected:
  ArchiveTest() {
    options_.folder = folder_.path() / "made" / "when needed";
    options_.cdxj = false;  // warc_index_test.cc's
  }

  std::vector<fs::path> Files() const {
    std::vector<fs::path> files;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(options_.folder, error)) {
      files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    return files;
  }
  static FetchResult Answer(uint32_t status, std::string_view body) {
    FetchResult result;
    result.status = status;
    result.body = body;
    result.request_head = "GET /x HTTP/1.1\r\nHost: a.test\r\n\r\n";
    result.response_head =
        "HTTP/1.0 200 OK\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\nX: y\r\n\r\n";
    result.started_at = WallTime(std::chrono::milliseconds(1'700'000'000'123));
    result.address = *IpAddress::Parse("192.0.2.1");
    return result;
  }
  Archive Make() { return Archive(options_, "w-0", "orbweaver-spider/1", clock_); }

  const ScratchFolder folder_;
  ManualClock clock_;
  ArchiveOptions options_;
};

TEST_F(ArchiveTest, WithoutAFolderNothingIsWritten) {
  options_.folder.clear();
  Archive archive = Make();
  EXPECT_OK(archive.KeepExchange("http://a.test/x", Answer(200, "body")));
  EXPECT_OK(archive.Finish());
  RecoverArchives(options_);
}

TEST_F(ArchiveTest, AFileHasItsNameOnlyWhenItIsFinished) {
  Archive archive = Make();
  ASSERT_OK(archive.KeepExchange("http://a.test/x", Answer(200, "body")));
  ASSERT_EQ(Files().size(), 1u);
  EXPECT_EQ(Files()[0].extension(), ".open");
  ASSERT_OK(archive.Finish());
  ASSERT_EQ(Files().size(), 1u);
  EXPECT_EQ(Files()[0].extension(), ".gz");
}

TEST_F(ArchiveTest, HeadsAreHttp11AndTrueOfTheBodyThatFollows) {
  Archive archive = Make();
  ASSERT_OK(archive.KeepExchange("http://a.test/x", Answer(200, "body")));
  ASSERT_OK(archive.Finish());
  const std::string text = Unpacked(Files()[0]);
  EXPECT_TRUE(text.starts_with("WARC/1.1\r\nWARC-Type: warcinfo\r\n"));
  EXPECT_NE(text.find("\r\n\r\nHTTP/1.1 200 OK\r\nX-Crawler-Content-Encoding: gzip\r\n"
                      "X-Crawler-Transfer-Encoding: chunked\r\nX: y\r\nContent-Length: 4\r\n\r\n"
                      "body\r\n\r\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("WARC-Date: 2023-11-14T22:13:20.123Z\r\n"), std::string::npos);
  EXPECT_NE(text.find("WARC-IP-Address: 192.0.2.1\r\n"), std::string::npos);
  EXPECT_NE(text.find("WARC-Type: request\r\n"), std::string::npos);
}

TEST_F(ArchiveTest, AFileSaysWhoCrawledAndAsWhom) {
  options_.operator_name = "A. Nyone <a@a.test>";
  options_.user_agent = "mybot/1";
  options_.from = "a@a.test";
  Archive archive = Make();
  ASSERT_OK(archive.KeepExchange("http://a.test/x", Answer(200, "body")));
  ASSERT_OK(archive.Finish());
  const std::string text = Unpacked(Files()[0]);
  for (const char* const field :
       {"software: orbweaver-spider/1\r\n", "operator: A. Nyone <a@a.test>\r\n",
        "http-header-user-agent: mybot/1\r\n", "http-header-from: a@a.test\r\n"}) {
    EXPECT_LT(text.find(field), text.find("WARC-Type: response")) << field;
  }
}

TEST_F(ArchiveTest, AStatusLineWithoutReasonKeepsItsSpace) {
  std::string head;
  for (const char* line : {"HTTP/1.1 404 \r\n\r\n", "HTTP/1.1 404\r\n\r\n", "HTTP/1.0 404\n\n",
                           "HTTP/1.1  404  \r\n\r\n"}) {
    ArchivedHead(line, 0, &head);
    EXPECT_EQ(head, "HTTP/1.1 404 \r\nContent-Length: 0\r\n\r\n") << line;
  }
  ArchivedHead("HTTP/1.1 404 Not  Found \r\n\r\n", 0, &head);
  EXPECT_EQ(head, "HTTP/1.1 404 Not  Found\r\nContent-Length: 0\r\n\r\n");
}

TEST_F(ArchiveTest, AnAnswerWithoutItsWholeBodySaysWhy) {
  Archive archive = Make();
  FetchResult answer = Answer(200, "");
  const auto keep = [&](std::optional<FailureCause> failure) {
    answer.failure = failure;
    EXPECT_OK(archive.KeepExchange("http://a.test/", answer));
  };
  keep(std::nullopt);
  for (const FailureCause cause :
       {FailureCause::kContentType, FailureCause::kEncoding, FailureCause::kTooLarge,
        FailureCause::kTooSlow, FailureCause::kTimeoutTotal, FailureCause::kReset}) {
    keep(cause);
  }
  answer.body = "body";
  answer.body_truncated = true;
  keep(std::nullopt);
  answer.ended_early = true;
  keep(std::nullopt);
  ASSERT_OK(archive.Finish());
  const std::string text = Unpacked(Files()[0]);
  EXPECT_EQ(Count(text, "WARC-Type: request\r\n"), 9u);
  EXPECT_EQ(Count(text, "WARC-Truncated: unspecified\r\n"), 2u);
  EXPECT_EQ(Count(text, "WARC-Truncated: length\r\n"), 2u);
  EXPECT_EQ(Count(text, "WARC-Truncated: time\r\n"), 2u);
  EXPECT_EQ(Count(text, "WARC-Truncated: disconnect\r\n"), 2u);
}

TEST_F(ArchiveTest, ADigestIsSha1InBase32) {
  // RFC 3174's "abc" in the base of RFC 4648.
  EXPECT_EQ(WarcDigest("a", "bc"), "sha1:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5");
}

TEST_F(ArchiveTest, ContentThatComesAgainIsARevisitWithoutItsBody) {
  Archive archive = Make();
  ASSERT_OK(archive.KeepExchange("http://a.test/1", Answer(200, "the same content")));
  ASSERT_OK(archive.KeepExchange("http://a.test/2", Answer(200, "the same content")));
  ASSERT_OK(archive.KeepExchange("http://a.test/3", Answer(304, "")));
  ASSERT_OK(archive.Finish());
  const std::string text = Unpacked(Files()[0]);
  EXPECT_EQ(Count(text, "the same content"), 1u);
  EXPECT_EQ(Count(text, "WARC-Type: revisit"), 2u);
  EXPECT_EQ(Count(text, "WARC-Payload-Digest: "), 2u) << "a 304 has no payload";
  EXPECT_EQ(Count(text, "revisit/identical-payload-digest"), 1u);
  EXPECT_EQ(Count(text, "revisit/server-not-modified"), 1u);
  EXPECT_EQ(Count(text, "WARC-Refers-To-Target-URI: http://a.test/1\r\n"), 1u);
}

TEST_F(ArchiveTest, OnlySoManyContentsAreRemembered) {
  options_.known_payloads = 2;
  Archive archive = Make();
  for (const char* body : {"one", "two", "three", "one"}) {
    ASSERT_OK(archive.KeepExchange("http://a.test/", Answer(200, body)));
  }
  ASSERT_OK(archive.Finish());
  EXPECT_EQ(Count(Unpacked(Files()[0]), "WARC-Type: revisit"), 0u);
}

TEST_F(ArchiveTest, APagesLinksAreALineOfJsonWithWhatIsKnownOfEach) {
  options_.warc = false;
  options_.links = true;
  Archive archive = Make();
  const Request request{.url = "http://a.test/1", .domain = "a.test"};
  const Link inside[] = {{.url = "http://a.test/\"", .anchor = "say \"a\"\n"}};
  const Link outside[] = {
      {.url = "http://b.test/", .rel = kRelNofollow | kRelSponsored, .kind = LinkKind::kCanonical}};
  const DomainLinks domains[] = {{.domain = "a.test", .links = inside},
                                 {.domain = "b.test", .links = outside}};
  ASSERT_OK(archive.KeepPage(*JourneyOf(request, {"http://a.test/2"}), Answer(200, "body"),
                             {.links_truncated = true, .domains = domains}));
  ASSERT_OK(archive.KeepPage(*JourneyOf(request), Answer(200, "body"), {}));
  ASSERT_OK(archive.Finish());
  ASSERT_EQ(Files().size(), 1u);
  EXPECT_TRUE(Files()[0].filename().string().starts_with("links-w-0-")) << Files()[0];
  EXPECT_EQ(
      ReadAll(Files()[0]),
      "{\"url\":\"http://a.test/1\",\"final_url\":\"http://a.test/2\",\"domain\":\"a.test\","
      "\"fetched_at\":\"2023-11-14T22:13:20.123Z\",\"links_truncated\":true,\"links\":["
      "{\"url\":\"http://a.test/\\\"\",\"anchor\":\"say \\\"a\\\"\\n\",\"rel\":\"\","
      "\"kind\":\"anchor\"},"
      "{\"url\":\"http://b.test/\",\"anchor\":\"\",\"rel\":\"nofollow sponsored\","
      "\"kind\":\"canonical\"}]}\n"
      "{\"url\":\"http://a.test/1\",\"domain\":\"a.test\","
      "\"fetched_at\":\"2023-11-14T22:13:20.123Z\",\"links_truncated\":false,\"links\":[]}\n");
}

TEST_F(ArchiveTest, APagesLineHasWhatWasAskedForOfItsAnswer) {
  options_.warc = false;
  options_.jsonl = true;
  options_.headers = {"Server", "via", "x-not-there"};
  Archive archive = Make();
  const Request request{
      .url = "http://a.test/1", .domain = "a.test", .depth = 3, .referrer = "http://a.test/"};
  FetchResult answer = Answer(200, "body");
  answer.headers.resize(4);
  const std::pair<std::string_view, std::string_view> headers[] = {
      {"server", "s\xff"}, {"via", "a"}, {"etag", "e"}, {"via", "b"}};
  for (size_t i = 0; i < 4; ++i) {
    answer.headers[i].name = headers[i].first;
    answer.headers[i].value = headers[i].second;
  }
  answer.times.first_byte = std::chrono::milliseconds(7);
  ASSERT_OK(archive.KeepPage(*JourneyOf(request), answer, {}));
  ASSERT_OK(archive.Finish());
  const std::string line = ReadAll(Files()[0]);
  for (const char* const part :
       {R"("referrer":"http://a.test/","depth":3,)", R"("first_byte_ms":7,)",
        R"("headers":{"server":"s�","via":"a, b"}})"}) {
    EXPECT_NE(line.find(part), std::string::npos) << part << " in " << line;
  }
  // The digest that sha1sum computes of "body", in base 32.
  EXPECT_NE(line.find(R"("digest":"sha1:)" + std::string("AIED6RLZ4CFGCJBFYDA2C7XEPLOXQO4U")),
            std::string::npos)
      << line;
}

TEST_F(ArchiveTest, LinesSayWhichAreAssetsAndTheseHaveNoTextsAndNoEmptyLinks) {
  options_.warc = false;
  options_.jsonl = options_.links = options_.text = true;
  Archive archive = Make();
  const Meta asset = MetaOf({.kind = OwnRequest::Kind::kAsset, .steps = 1, .is_in_scope = true});
  const Request requests[] = {
      {.url = "http://a.test/1.js", .domain = "a.test", .meta = {&asset, 1}},
      {.url = "http://a.test/2", .domain = "a.test", .meta = {&asset, 1}},
      {.url = "http://a.test/3.xml", .domain = "a.test"}};
  const DocumentKind kinds[] = {DocumentKind::kOther, DocumentKind::kHtml, DocumentKind::kSitemap};
  for (size_t i = 0; i < 3; ++i) {
    const ParsedPage page{.kind = kinds[i],
                          .content_type = i == 1 ? "text/html" : "text/plain",
                          .text = i < 2 ? "text" : ""};
    ASSERT_OK(archive.KeepPage(*JourneyOf(requests[i]), Answer(200, "body"), page));
  }
  ASSERT_OK(archive.Finish());
  std::map<std::string, std::string> files;  // by the first word of their names
  for (const auto& file : Files()) {
    const std::string name = file.filename().string();
    files[name.substr(0, name.find('-'))] = ReadAll(file);
  }
  for (const char* const line : {R"(/1.js","domain":"a.test","fetched_at")", R"("kind":"asset")",
                                 R"("kind":"page")", R"("kind":"sitemap")"}) {
    EXPECT_NE(files["pages"].find(line), std::string::npos) << files["pages"];
  }
  EXPECT_EQ(files["links"].find("1.js"), std::string::npos);
  EXPECT_NE(files["links"].find("/2"), std::string::npos);
  EXPECT_EQ(files["texts"].find("1.js"), std::string::npos);
  EXPECT_NE(files["texts"].find("/2"), std::string::npos);
}

TEST_F(ArchiveTest, APageHasTheSameDigestInEveryFile) {
  options_.jsonl = true;
  const Request request{.url = "http://a.test/1", .domain = "a.test"};
  Archive archive = Make();
  ASSERT_OK(archive.KeepExchange(request.url, Answer(200, "body")));
  ASSERT_OK(archive.KeepPage(*JourneyOf(request), Answer(200, "body"), {}));
  ASSERT_OK(archive.Finish());
  const std::string digest = WarcDigest("body");
  EXPECT_NE(Unpacked(Files()[0]).find("WARC-Payload-Digest: " + digest), std::string::npos);
  EXPECT_NE(ReadAll(Files()[1]).find("\"digest\":\"" + digest + "\""), std::string::npos);
}

TEST_F(ArchiveTest, AFullFileIsFollowedByAnother) {
  options_.max_file_bytes = 2000;
  options_.jsonl = true;
  options_.links = true;
  Archive archive = Make();
  const Request request{.url = "http://a.test/", .domain = "a.test"};
  for (int i = 0; i < 40; ++i) {
    const FetchResult answer = Answer(200, std::to_string(i));
    ASSERT_OK(archive.KeepExchange("http://a.test/", answer));
    ASSERT_OK(archive.KeepPage(*JourneyOf(request), answer, {}));
  }
  ASSERT_OK(archive.Finish());
  size_t warcs = 0, responses = 0, lines = 0, link_files = 0;
  for (const fs::path& file : Files()) {
    if (file.extension() == ".gz") {
      ++warcs;
      responses += Count(Unpacked(file), "WARC-Type: response");
      EXPECT_EQ(Count(Unpacked(file), "WARC-Type: warcinfo"), 1u) << file;
      EXPECT_LT(fs::file_size(file), 4000u);
    } else {
      link_files += file.filename().string().starts_with("links-") ? 1 : 0;
      lines += Count(ReadAll(file), "\n");
    }
  }
  EXPECT_GT(warcs, 5u);
  EXPECT_GT(link_files, 1u);
  EXPECT_EQ(responses, 40u);
  EXPECT_EQ(lines, 80u);
}

TEST_F(ArchiveTest, WhatACrashLeavesIsCutToWholeRecordsWhereverItTore) {
  options_.jsonl = true;
  options_.links = true;
  const Request request{.url = "http://a.test/", .domain = "a.test"};
  {
    Archive archive = Make();
    for (int i = 0; i < 3; ++i) {
      const FetchResult answer = Answer(200, "body " + std::to_string(i));
      ASSERT_OK(archive.KeepExchange("http://a.test/", answer));
      ASSERT_OK(archive.KeepPage(*JourneyOf(request), answer, {}));
    }
  }
  const auto left = Files();
  ASSERT_EQ(left.size(), 3u);
  const std::string links = ReadAll(left[0]);
  const std::string warc = ReadAll(left[1]);
  const std::string pages = ReadAll(left[2]);
  for (size_t cut = 1; cut < warc.size(); cut += 37) {
    for (const fs::path& file : Files()) fs::remove(file);
    std::ofstream(left[0], std::ios::binary) << links.substr(0, links.size() - cut % links.size());
    std::ofstream(left[1], std::ios::binary) << warc.substr(0, warc.size() - cut);
    std::ofstream(left[2], std::ios::binary) << pages.substr(0, pages.size() - cut % pages.size());
    RecoverArchives(options_);
    for (const fs::path& file : Files()) {
      ASSERT_NE(file.extension(), ".open");
      if (file.extension() == ".gz") {
        EXPECT_TRUE(Unpacked(file).ends_with("\r\n\r\n"));
        const std::string bytes = ReadAll(file);
        EXPECT_EQ(bytes, warc.substr(0, bytes.size()));
      } else {
        EXPECT_TRUE(ReadAll(file).ends_with("\n"));
      }
    }
  }
}

TEST_F(ArchiveTest, WhatALivingWriterHasOpenIsLeftAlone) {
  Archive archive = Make();
  ASSERT_OK(archive.KeepExchange("http://a.test/", Answer(200, "body")));
  RecoverArchives(options_);
  EXPECT_EQ(Files()[0].extension(), ".open");
  ASSERT_OK(archive.KeepExchange("http://a.test/", Answer(200, "more")));
  ASSERT_OK(archive.Finish());
  EXPECT_EQ(Count(Unpacked(Files()[0]), "WARC-Type: response"), 2u);
}

TEST_F(ArchiveTest, AWorkerThatIsRestartedAtOnceOverwritesNothing) {
  for (int i = 0; i < 3; ++i) {
    Archive archive = Make();
    ASSERT_OK(archive.KeepExchange("http://a.test/", Answer(200, "body")));
    ASSERT_OK(archive.Finish());
  }
  EXPECT_EQ(Files().size(), 3u);
}

TEST_F(ArchiveTest, AFullDiskIsAFatalErrorAndNoTornRecord) {
  Archive archive = Make();
  ASSERT_OK(archive.KeepExchange("http://a.test/", Answer(200, "body")));
  const uint64_t size = fs::file_size(Files()[0]);
  // The limit that can be set for a process alone; a disk's ends the same way.
  signal(SIGXFSZ, SIG_IGN);
  rlimit limit{};
  getrlimit(RLIMIT_FSIZE, &limit);
  const rlimit small{.rlim_cur = size + 100, .rlim_max = limit.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  const absl::Status status = archive.KeepExchange("http://a.test/", Answer(200, "another"));
  setrlimit(RLIMIT_FSIZE, &limit);
  EXPECT_TRUE(IsFatal(status));
  EXPECT_NE(MessageOf(status).find("Make room on the disk"), std::string_view::npos) << status;
  EXPECT_EQ(fs::file_size(Files()[0]), size);
}

TEST_F(ArchiveTest, AFolderThatCannotBeMadeIsFatal) {
  std::ofstream(folder_.path() / "file") << "x";
  options_.folder = folder_.path() / "file";
  Archive archive = Make();
  EXPECT_TRUE(IsFatal(archive.KeepExchange("http://a.test/", Answer(200, "body"))));
}

}  // namespace
}  // namespace orbweaver
