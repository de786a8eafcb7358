// The sentence that a report comes to about two strategies.
#pragma once

#include "lab/report/report_model.h"

namespace orbweaver::lab {

// Sets `has_verdict` and `verdict` of a difference whose figures are there already: which strategy
// gathers more of the report's aim and by how much, that none is shown to, or why nothing can be
// said.
void SetVerdict(const Report& report, CrawlDifference* difference);

}  // namespace orbweaver::lab
