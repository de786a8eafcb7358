// Compares the URLs that were crawled with those that could be reached.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/json.h"
#include "tests/support/synthetic_web/ledger.h"
#include "tests/support/synthetic_web/reachable.h"

namespace orbweaver::synthetic {

struct Comparison {
  struct Finding {
    uint64_t count = 0;
    std::vector<std::string> examples;  // URLs, the first few
  };
  uint64_t crawled = 0;   // reachable URLs that were requested often enough
  Finding missing;        // to be requested, and never were
  Finding unfinished;     // given up before the failures that pass were over
  Finding forbidden;      // against robots.txt, or a private address
  Finding unreachable;    // requested although nothing leads there
  uint64_t repeated = 0;  // requests beyond those that a URL needed
  // Those of them that were for pages, which come once their failures are over: nothing but a
  // crawler's crash makes it ask again.
  uint64_t repeated_pages = 0;

  // Whether what was crawled is what was to be crawled. Repeated requests are for the caller to
  // judge.
  bool equal() const {
    return missing.count + unfinished.count + forbidden.count + unreachable.count == 0;
  }
};

Comparison Compare(const Reachable& reachable, const Ledger& ledger);

void WriteJson(const Comparison& comparison, JsonWriter* json);

}  // namespace orbweaver::synthetic
