#include "common/store/store.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "common/base/status.h"

namespace orbweaver {
namespace {

TEST(StoreLimitsTest, RefusesWhatNoImplementationCouldKeep) {
  const CellPut cell{"c", "v"};
  const CellPut unnamed{"", "v"};
  const std::string long_row(kMaxRowBytes + 1, 'r');
  const std::string large(kMaxPutBytes, 'v');
  const CellPut too_large{"c", large};
  EXPECT_TRUE(CheckPuts(std::vector<RowPut>{{"r", Version(1), {&cell, 1}}}).ok());
  EXPECT_TRUE(IsFatal(CheckPuts(std::vector<RowPut>{{"", Version(1), {&cell, 1}}})));
  EXPECT_TRUE(IsFatal(CheckPuts(std::vector<RowPut>{{"r", Version(1), {}}})));
  EXPECT_TRUE(IsFatal(CheckPuts(std::vector<RowPut>{{"r", Version(1), {&unnamed, 1}}})));
  EXPECT_TRUE(IsFatal(CheckPuts(std::vector<RowPut>{{"r", Version(~uint64_t{0}), {&cell, 1}}})));
  EXPECT_TRUE(IsFatal(CheckPuts(std::vector<RowPut>{{long_row, Version(1), {&cell, 1}}})));
  EXPECT_TRUE(IsFatal(CheckPuts(std::vector<RowPut>{{"r", Version(1), {&too_large, 1}}})));
  EXPECT_TRUE(IsFatal(CheckGets(std::vector<RowGet>(kMaxRowsPerGet + 1, RowGet{"r", {}}))));
  EXPECT_TRUE(IsFatal(CheckErases(std::vector<RowErase>{{"", Version(1), {}}})));
  const std::string_view no_name;
  EXPECT_TRUE(IsFatal(CheckScan({.columns = {&no_name, 1}})));
  EXPECT_TRUE(IsFatal(CheckScan({.end = std::string(kMaxRowBytes + 2, 'r')})));
}

TEST(StoreLimitsTest, LetsAScanGoOnAfterTheLongestRow) {
  EXPECT_TRUE(CheckScan({.begin = std::string(kMaxRowBytes, 'r') + '\0'}).ok());
}

}  // namespace
}  // namespace orbweaver
