// The parts of a report's page that are files of their own in page/, compiled in.
#pragma once

#include <string_view>

namespace orbweaver::lab {

extern const std::string_view kReportStyle;
extern const std::string_view kReportScript;

}  // namespace orbweaver::lab
