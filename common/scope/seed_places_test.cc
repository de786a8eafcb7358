#include "common/scope/seed_places.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "common/base/random.h"

namespace orbweaver {
namespace {

std::string PlacesOf(const std::vector<std::string>& seeds, std::string_view domain = "a.com") {
  std::string places;
  bool full = false;
  for (const std::string& seed : seeds) AddSeedPlace(seed, domain, &places, &full);
  EXPECT_FALSE(full);
  EXPECT_TRUE(AreSeedPlaces(places)) << places;
  return places;
}

TEST(SeedPlacesTest, APlaceIsHostPortAndFolder) {
  EXPECT_EQ(PlacesOf({"https://a.com/"}), "/");
  EXPECT_EQ(PlacesOf({"http://www.a.com/"}), "/");
  EXPECT_EQ(PlacesOf({"http://a.com./"}), "/");
  EXPECT_EQ(PlacesOf({"https://blog.a.com/x/y.html?z=/"}), "blog./x/");
  EXPECT_EQ(PlacesOf({"https://www.blog.a.com/"}), "blog./");
  EXPECT_EQ(PlacesOf({"https://a.com:8443/x"}), ":8443/x/");
  EXPECT_EQ(PlacesOf({"http://[::1]:8000/"}, "[::1]"), ":8000/");
  EXPECT_EQ(PlacesOf({"http://[::1]/a"}, "[::1]"), "/a/");
  EXPECT_EQ(PlacesOf({"http://www.com/"}, "www.com"), "/");
}

TEST(SeedPlacesTest, OnlyTheHighestOfPlacesBelowOneAnotherIsKept) {
  EXPECT_EQ(PlacesOf({"https://a.com/b/c/", "https://a.com/d/", "https://a.com/b/"}), "/b/\n/d/");
  EXPECT_EQ(PlacesOf({"https://a.com/b/", "https://x.a.com/", "https://a.com/"}), "/\nx./");
  std::string places = "/b/";
  bool full = false;
  EXPECT_FALSE(AddSeedPlace("https://a.com/b/c", "a.com", &places, &full));
  EXPECT_FALSE(AddSeedPlace("https://a.com/b", "a.com", &places, &full));
}

TEST(SeedPlacesTest, FindsHostsAndWhatIsAtOrBelowAPlace) {
  const std::string places = PlacesOf({"https://a.com/docs", "https://blog.a.com:81/x/i.html"});
  SeedPlaceFinder finder;
  finder.Begin("a.com", places);
  for (const char* url : {"https://a.com/docs", "http://www.a.com/docs/a", "https://a.com/docs?x",
                          "http://blog.a.com:81/x/", "http://blog.a.com:81/x/y/z"}) {
    EXPECT_TRUE(finder.HasHost(url)) << url;
    EXPECT_TRUE(finder.HasPlace(url)) << url;
  }
  for (const char* url : {"https://a.com/", "https://a.com/docs2", "https://a.com/x?/docs/",
                          "http://blog.a.com:81/"}) {
    EXPECT_TRUE(finder.HasHost(url)) << url;
    EXPECT_FALSE(finder.HasPlace(url)) << url;
  }
  for (const char* url : {"https://a.com:81/docs/", "https://blog.a.com/x/", "https://og.a.com/",
                          "https://x.blog.a.com:81/x/"}) {
    EXPECT_FALSE(finder.HasHost(url)) << url;
    EXPECT_FALSE(finder.HasPlace(url)) << url;
  }
  finder.Begin("a.com", "");
  EXPECT_FALSE(finder.HasHost("https://a.com/"));
  EXPECT_FALSE(finder.HasPlace("https://a.com/"));
}

TEST(SeedPlacesTest, TheirBytesAreBoundedAndThatIsSaid) {
  std::string places;
  bool full = false;
  int taken = 0;
  while (!full) {
    taken += AddSeedPlace("https://a.com/folder" + std::to_string(1000 + taken) + "/", "a.com",
                          &places, &full);
  }
  EXPECT_GT(taken, 200);
  EXPECT_LE(places.size(), kMaxSeedPlaceBytes);
  EXPECT_TRUE(AreSeedPlaces(places));
  // One above them makes room.
  full = false;
  EXPECT_TRUE(AddSeedPlace("https://a.com/", "a.com", &places, &full));
  EXPECT_EQ(places, "/");
}

TEST(SeedPlacesTest, KnowsWhatItCouldHaveMade) {
  for (const char* good : {"", "/", "/\nx./", ":81/a/\nb./"}) EXPECT_TRUE(AreSeedPlaces(good));
  for (const char* bad : {"x", "/\n", "/b/\n/a/", "/a/\n/a/b/", "/\n/", "\n/", "/a"}) {
    EXPECT_FALSE(AreSeedPlaces(bad)) << bad;
  }
  EXPECT_FALSE(AreSeedPlaces(std::string(kMaxSeedPlaceBytes, 'x') + "/"));
}

// Whatever the seeds, each is at its own place, in whatever order they come.
TEST(SeedPlacesTest, EverySeedIsInItsOwnScope) {
  Random random(1);
  constexpr const char* kHosts[] = {"a.com", "www.a.com", "x.a.com", "a.com:81", "www.x.a.com"};
  constexpr const char* kPaths[] = {"/",     "/a",     "/a/",  "/a/b.c",
                                    "/a.b/", "/a.b/c", "/a?x", "/b/c/d"};
  for (int round = 0; round < 2000; ++round) {
    std::vector<std::string> seeds;
    for (uint64_t n = random.Below(5) + 1; n > 0; --n) {
      seeds.push_back(std::string("http://") + kHosts[random.Below(std::size(kHosts))] +
                      kPaths[random.Below(std::size(kPaths))]);
    }
    const std::string places = PlacesOf(seeds);
    SeedPlaceFinder finder;
    finder.Begin("a.com", places);
    for (const std::string& seed : seeds) {
      EXPECT_TRUE(finder.HasHost(seed)) << seed << " in " << places;
      EXPECT_TRUE(finder.HasPlace(seed)) << seed << " in " << places;
    }
  }
}

}  // namespace
}  // namespace orbweaver
