#include "cli/console/console_site.h"

#include <algorithm>
#include <memory>
#include <string>

#include "cli/console/assets.h"
#include "cli/console/gunzipped.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/status.h"

namespace orbweaver {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;
using ::testing::StartsWith;

constexpr char kOpenApi[] = "/api/v1/openapi.json";

class ConsoleSiteTest : public ::testing::Test {
 protected:
  AdminResponse Get(const std::string& target, std::string_view accept_encoding = "",
                    std::string_view if_none_match = "") {
    return site_.Handle({.method = "GET",
                         .target = target,
                         .accept_encoding = accept_encoding,
                         .if_none_match = if_none_match});
  }
  static std::string PathOf(const Asset& asset) {
    return "/" + std::string(AssetsHash()) + "/" + std::string(asset.name);
  }

  const ProductOptions options_;
  const std::unique_ptr<const PublicSuffixes> suffixes_ = *PublicSuffixes::Load({});
  const ManualClock clock_;
  ConsoleApi api_{options_,
                  *suffixes_,
                  clock_,
                  {.kind = "folder",
                   .name = "data",
                   .look = []() -> absl::StatusOr<const Frontier*> { return RetryError("away"); },
                   .queue = {},
                   .write_run = {}}};
  const AdminSite admin_{""};
  const ConsoleSite site_{api_, admin_};
};

TEST_F(ConsoleSiteTest, ThePageLoadsAndRunsNothingFromElsewhereOrWithinItself) {
  const AdminResponse page = Get("/");
  EXPECT_EQ(page.status, 200);
  EXPECT_EQ(page.content_type, "text/html; charset=utf-8");
  EXPECT_THAT(page.body, HasSubstr("<script type=\"module\" src=\"/" + std::string(AssetsHash()) +
                                   "/console.js\"></script>"));
  EXPECT_THAT(page.headers,
              Contains(Pair("Content-Security-Policy",
                            AllOf(HasSubstr("default-src 'none'"),
                                  HasSubstr("frame-ancestors 'none'"), Not(HasSubstr("unsafe"))))));
  for (const Asset& asset : Assets()) {
    const AdminResponse served = Get(PathOf(asset));
    EXPECT_EQ(served.body, asset.content);
    for (const char* const elsewhere :
         {"https://cdn", "innerHTML", "eval(", " style=", "onclick="}) {
      EXPECT_THAT(served.body, Not(HasSubstr(elsewhere))) << asset.name;
    }
  }
  EXPECT_EQ(site_.Handle({.method = "POST", .target = "/"}).status, 405);
  EXPECT_EQ(Get("/healthz").body, "ok\n");
  EXPECT_EQ(Get("/api/v1/overview").status, 503);
}

TEST_F(ConsoleSiteTest, AllFilesTogetherAreSmallOnTheirWay) {
  size_t bytes = 0;
  for (const Asset& asset : Assets()) bytes += asset.gzipped.size();
  EXPECT_LE(bytes, size_t{150} << 10);
}

TEST_F(ConsoleSiteTest, FilesGoCompressedToThoseWhoTakeIt) {
  for (const Asset& asset : Assets()) {
    const AdminResponse plain = Get(PathOf(asset));
    EXPECT_THAT(plain.headers, Not(Contains(Pair("Content-Encoding", "gzip"))));
    EXPECT_THAT(plain.headers, Contains(Pair("Vary", "Accept-Encoding")));
    const AdminResponse compressed = Get(PathOf(asset), "gzip, br");
    EXPECT_THAT(compressed.headers, Contains(Pair("Content-Encoding", "gzip")));
    EXPECT_THAT(compressed.headers, Contains(Pair("Vary", "Accept-Encoding")));
    EXPECT_EQ(Gunzipped(compressed.body), plain.body) << asset.name;
    EXPECT_EQ(compressed.content_type, plain.content_type);
  }
}

// A browser keeps them for ever, so their address must be another one when any of them changes.
TEST_F(ConsoleSiteTest, FilesAreKeptByTheBrowserAndTheirFrameIsAskedForAnew) {
  EXPECT_THAT(Get(PathOf(*FindAsset("console.js"))).headers,
              Contains(Pair("Cache-Control", "max-age=31536000, immutable")));
  EXPECT_EQ(AssetsHash().size(), 16);
  for (const char* const gone : {"/console.js", "/0123456789abcdef/console.js", "//console.js"}) {
    EXPECT_EQ(Get(gone).status, 404) << gone;
  }
  EXPECT_EQ(Get("/" + std::string(AssetsHash())).status, 404);
  EXPECT_EQ(Get("/" + std::string(AssetsHash()) + "/").status, 404);
  EXPECT_EQ(Get("/" + std::string(AssetsHash()) + "x/console.js").status, 404);

  const AdminResponse frame = Get("/", "gzip");
  EXPECT_THAT(frame.headers, Contains(Pair("Cache-Control", "no-cache")));
  const std::string tag = "W/\"" + std::string(AssetsHash()) + "\"";
  EXPECT_THAT(frame.headers, Contains(Pair("ETag", tag)));
  const AdminResponse same = Get("/index.html", "gzip", "\"other\", " + tag);
  EXPECT_EQ(same.status, 304);
  EXPECT_EQ(same.body, "");
  EXPECT_EQ(Get("/", "gzip", "W/\"0123456789abcdef\"").status, 200);
}

TEST_F(ConsoleSiteTest, AnAnswerOfTheApiThatTheClientHasIsNotSentAgainAndNoneIsKeptOnADisk) {
  const AdminResponse answer = Get(kOpenApi, "gzip");
  EXPECT_THAT(answer.headers, Contains(Pair("Cache-Control", "no-store")));
  const auto tag = std::ranges::find(
      answer.headers, "ETag", [](const auto& header) { return std::string_view(header.first); });
  ASSERT_NE(tag, answer.headers.end());
  const AdminResponse same = Get(kOpenApi, "gzip", tag->second);
  EXPECT_EQ(same.status, 304);
  EXPECT_EQ(same.body, "");
  EXPECT_THAT(same.headers, AllOf(Contains(*tag), Not(Contains(Pair("Content-Encoding", "gzip")))));
  const AdminResponse workers = Get("/api/v1/workers", "", tag->second);
  EXPECT_EQ(workers.status, 200);
  EXPECT_THAT(workers.headers, Not(Contains(*tag)));
  // An error is told each time.
  const AdminResponse away = Get("/api/v1/overview");
  EXPECT_EQ(away.status, 503);
  EXPECT_THAT(away.headers, Not(Contains(Pair("ETag", ::testing::_))));
}

TEST_F(ConsoleSiteTest, LargeAnswersOfTheApiGoCompressedAndSmallOnesAsTheyAre) {
  const AdminResponse plain = Get(kOpenApi);
  EXPECT_THAT(plain.body, StartsWith("{"));
  const AdminResponse compressed = Get(kOpenApi, "gzip");
  EXPECT_THAT(compressed.headers, Contains(Pair("Content-Encoding", "gzip")));
  EXPECT_LT(compressed.body.size(), plain.body.size() / 3);
  EXPECT_EQ(Gunzipped(compressed.body), plain.body);
  EXPECT_THAT(Get("/api/v1/none", "gzip").body, HasSubstr("no such path"));
}

}  // namespace
}  // namespace orbweaver
