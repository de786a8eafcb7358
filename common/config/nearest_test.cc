#include "common/config/nearest.h"

#include <gtest/gtest.h>

namespace orbweaver::config {
namespace {

const std::vector<std::string> kKnown = {
    "admin",      "admin.listen",          "admin.port", "log", "log.level",
    "log.levels", "spider.max_connections"};

TEST(NearestTest, FindsEveryKindOfSlip) {
  EXPECT_EQ(Nearest("spider.max_conections", kKnown), "spider.max_connections");    // left out
  EXPECT_EQ(Nearest("spider.max_connnections", kKnown), "spider.max_connections");  // twice
  EXPECT_EQ(Nearest("spider.max-connections", kKnown), "spider.max_connections");   // another
  EXPECT_EQ(Nearest("admin.prot", kKnown), "admin.port");                           // swapped
  EXPECT_EQ(Nearest("lgo", kKnown), "log");
}

TEST(NearestTest, PrefersTheFewestEdits) {
  EXPECT_EQ(Nearest("log.levelz", kKnown), "log.level");
  EXPECT_EQ(Nearest("log.levelss", kKnown), "log.levels");
}

TEST(NearestTest, FindsAnOptionWhoseSectionIsMissingOrWrong) {
  EXPECT_EQ(Nearest("port", kKnown), "admin.port");
  EXPECT_EQ(Nearest("db_worker.max_connections", kKnown), "spider.max_connections");
}

TEST(NearestTest, SaysNothingWhenTwoOptionsEndInThatWord) {
  EXPECT_EQ(Nearest("something.port", {"admin.port", "metrics.port"}), "");
}

TEST(NearestTest, SaysNothingWhenNothingIsNear) {
  EXPECT_EQ(Nearest("xyzzy.frobnicate", kKnown), "");
  EXPECT_EQ(Nearest("", kKnown), "");
  EXPECT_EQ(Nearest(std::string(1 << 20, 'a'), kKnown), "");
  EXPECT_EQ(Nearest("x", {}), "");
}

}  // namespace
}  // namespace orbweaver::config
