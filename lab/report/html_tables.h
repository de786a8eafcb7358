// The tables of a report's page.
#pragma once

#include <string>

#include "lab/report/report_model.h"

namespace orbweaver::lab {

// A section each, as HTML.
std::string CrawlsSection(const Report& report);
std::string FiguresSection(const Report& report);
std::string DifferencesSection(const Report& report);
std::string DomainsSection(const Report& report);

}  // namespace orbweaver::lab
