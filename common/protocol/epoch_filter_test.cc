#include "common/protocol/epoch_filter.h"

#include <gtest/gtest.h>

namespace orbweaver {
namespace {

TEST(EpochFilter, TakesEverythingBeforeTheFirstMarker) {
  const EpochFilter filter;
  EXPECT_TRUE(filter.Accepts(Offset(0)));
}

TEST(EpochFilter, SkipsWhatAnEarlierOwnerWroteAfterTheMarker) {
  EpochFilter filter;
  filter.Pass(Offset(10));
  EXPECT_FALSE(filter.Accepts(Offset(9)));
  EXPECT_TRUE(filter.Accepts(Offset(10)));
}

TEST(EpochFilter, MarkerReadAgainDoesNotLowerIt) {
  EpochFilter filter;
  filter.Pass(Offset(10));
  filter.Pass(Offset(4));
  EXPECT_FALSE(filter.Accepts(Offset(9)));
}

TEST(EpochFilter, GoesOnFromACommitsMetadata) {
  EpochFilter before;
  before.Pass(Offset(12345678901));
  const EpochFilter after(before.Metadata());
  EXPECT_EQ(after.last(), Offset(12345678901));
  EXPECT_EQ(EpochFilter(before.Metadata() + " of the reader's own").last(), after.last());
}

TEST(EpochFilter, TakesForeignMetadataAsNone) {
  for (const char* const metadata : {"", "x", "12x", " 12", "-3", "99999999999999999999"}) {
    EXPECT_EQ(EpochFilter(metadata).last(), Offset(0)) << metadata;
  }
}

}  // namespace
}  // namespace orbweaver
