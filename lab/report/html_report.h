// A report as one page for a browser.
#pragma once

#include <string>

#include "lab/report/report_model.h"

namespace orbweaver::lab {

// A whole page that asks nobody for anything, which its content security policy makes sure of:
// style, script and numbers stand in it. Works with a keyboard, at any width, light and dark;
// without scripts it has everything but the plot. Any bytes in names are shown as text.
std::string HtmlReport(const Report& report);

}  // namespace orbweaver::lab
