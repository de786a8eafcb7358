// The columns of a recorded page by which its value can be said.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "common/model/spider_log.h"

namespace orbweaver::lab {

struct RecordedPage {
  const PageFetched& page;
  std::string_view domain;  // registered
};

// Names as in a recording's files (docs/experiments.md), and short ones of some.
struct PageColumn {
  std::string_view name;
  // One of the two. A missing number is NaN; a text is a view into the page, empty when missing.
  double (*number)(const RecordedPage& page) = nullptr;
  std::string_view (*text)(const RecordedPage& page) = nullptr;
};

std::span<const PageColumn> PageColumns();
// Null: there is none.
const PageColumn* FindPageColumn(std::string_view name);

}  // namespace orbweaver::lab
