// A report as a folder of files.
#pragma once

#include <filesystem>
#include <string_view>

#include "absl/status/status.h"

#include "lab/report/report_model.h"

namespace orbweaver::lab {

// The page's name in the folder.
inline constexpr std::string_view kReportPage = "report.html";

// Whether WriteReport may put a report there: the folder is not there, is empty, or holds nothing
// but an earlier report, which will be replaced. Fatal otherwise. For commands that ask before a
// long work.
absl::Status CheckReportFolder(const std::filesystem::path& folder);

// Writes report.html, and curves, figures, differences and domains as .csv and .parquet. The folder
// appears whole or not at all, after a crash too, and an earlier report stays until then. Fatal
// when it cannot be written.
absl::Status WriteReport(const Report& report, const std::filesystem::path& folder);

}  // namespace orbweaver::lab
