// The crawls of one strategy, which differ in what unknown pages answered, as one.
#pragma once

#include <cstddef>
#include <vector>

#include "lab/report/crawl_measurement.h"
#include "lab/report/report_model.h"

namespace orbweaver::lab {

inline constexpr size_t kMostDraws = 10;

// Means of all figures. Each draw gives an unknown page the links and the status of another one, so
// its crawl parts from the others there, as the real crawl would. Bounds are therefore wider than
// those of the draws, by how far a further draw would lie from their mean with 95 % probability
// (Student's t); `spread` is that of the estimate. One draw is left as it is. There must be 1 to
// kMostDraws, of the same grid and domains.
MeasuredCrawl MergeDraws(std::vector<MeasuredCrawl> draws);

// Wider by `spread`, which is independent of it.
Interval Widen(const Interval& interval, double spread);

}  // namespace orbweaver::lab
