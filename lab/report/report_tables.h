// The figures of a report as tables.
#pragma once

#include <vector>

#include "lab/report/report_model.h"
#include "lab/report/report_table.h"

namespace orbweaver::lab {

// curves: a row for each strategy, axis (fetches, time), point and metric. figures: a row for each
// strategy and metric, after Report::compared_fetches. differences: a row for each pair and metric.
// domains: the winners and losers. Figures of a pair without a verdict stand here all the same.
std::vector<ReportTable> ReportTables(const Report& report);

}  // namespace orbweaver::lab
