#include "lab/report/report_folder.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <set>
#include <string>
#include <utility>

#include "common/base/status.h"
#include "lab/recording/folder_file.h"
#include "lab/report/html_report.h"
#include "lab/report/report_tables.h"

namespace orbweaver::lab {
namespace {

namespace fs = std::filesystem;

std::set<std::string> FileNames() {
  std::set<std::string> names = {std::string(kReportPage)};
  for (const ReportTable& table : ReportTables({})) {
    names.insert(table.name + ".csv");
    names.insert(table.name + ".parquet");
  }
  return names;
}

absl::Status Failed(const fs::path& folder, int error) {
  return FatalError("write the report to {}: {}. Choose another --out", folder.string(),
                    std::strerror(error));
}

absl::Status WriteFiles(const Report& report, const fs::path& folder) {
  RETURN_IF_ERROR(ReplaceFile(folder / kReportPage, HtmlReport(report)));
  for (const ReportTable& table : ReportTables(report)) {
    RETURN_IF_ERROR(ReplaceFile(folder / (table.name + ".csv"), table.ToCsv()));
    ASSIGN_OR_RETURN(const std::string parquet, table.ToParquet());
    RETURN_IF_ERROR(ReplaceFile(folder / (table.name + ".parquet"), parquet));
  }
  return absl::OkStatus();
}

// Puts the folder `from` in the place of `to`, which is a report's or is not there.
absl::Status PutInPlace(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::rename(from, to, error);
  if (!error) return absl::OkStatus();
  // There is an earlier one: both change places in one step.
  if (renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_EXCHANGE) != 0) {
    return Failed(to, errno);
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckReportFolder(const fs::path& folder) {
  std::error_code error;
  const fs::file_status status = fs::status(folder, error);
  if (status.type() == fs::file_type::not_found) return absl::OkStatus();
  if (status.type() != fs::file_type::directory) {
    return FatalError("write the report to {}: it is no folder. Choose another --out",
                      folder.string());
  }
  const std::set<std::string> ours = FileNames();
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (ours.contains(entry->path().filename().string())) continue;
    return FatalError(
        "write the report to {}: it holds {}, which is no part of a report. Choose "
        "another --out",
        folder.string(), entry->path().filename().string());
  }
  return error ? Failed(folder, error.value()) : absl::OkStatus();
}

absl::Status WriteReport(const Report& report, const fs::path& folder) {
  RETURN_IF_ERROR(CheckReportFolder(folder));
  std::error_code error;
  fs::path target = fs::absolute(folder, error).lexically_normal();
  if (!target.has_filename()) target = target.parent_path();
  fs::create_directories(target.parent_path(), error);
  if (error) return Failed(folder, error.value());
  std::string made = target.string() + ".XXXXXX";
  if (mkdtemp(made.data()) == nullptr) return Failed(folder, errno);
  fs::permissions(made,
                  fs::perms::owner_all | fs::perms::group_read | fs::perms::group_exec |
                      fs::perms::others_read | fs::perms::others_exec,
                  error);
  absl::Status status = WriteFiles(report, made);
  if (status.ok()) status = PutInPlace(made, target);
  // Of what was not finished, or the earlier report.
  fs::remove_all(made, error);
  return status;
}

}  // namespace orbweaver::lab
