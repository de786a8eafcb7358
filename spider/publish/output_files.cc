#include "spider/publish/output_files.h"

#include <ctime>
#include <utility>

#include "fmt/format.h"

#include "common/base/status.h"

namespace orbweaver {

OutputFiles::OutputFiles(OutputFilesOptions options, const Clock& clock, Begun begun,
                         Finished finished)
    : options_(std::move(options)),
      clock_(clock),
      begun_(std::move(begun)),
      finished_(std::move(finished)) {}

absl::Status OutputFiles::Append(std::string_view record) {
  if (file_ != nullptr && file_->size() >= options_.max_file_bytes) RETURN_IF_ERROR(Finish());
  if (file_ == nullptr) RETURN_IF_ERROR(Begin());
  return file_->Append(record);
}

absl::Status OutputFiles::Finish() {
  if (file_ == nullptr) return absl::OkStatus();
  const std::unique_ptr<OutputFile> finished = std::move(file_);
  RETURN_IF_ERROR(finished->Finish());
  return finished_ == nullptr ? absl::OkStatus() : finished_();
}

absl::Status OutputFiles::Begin() {
  const std::time_t now = std::chrono::system_clock::to_time_t(clock_.Wall());
  std::tm utc{};
  gmtime_r(&now, &utc);
  char time[16];
  std::strftime(time, sizeof time, "%Y%m%d%H%M%S", &utc);
  std::string name;
  absl::Status made;
  // A worker that was restarted within the second has used some numbers.
  do {
    name = fmt::format("{}-{}-{:05}{}", options_.prefix, time, ++made_, options_.suffix);
    auto file = OutputFile::Create(options_.folder, name, options_.ending);
    made = file.status();
    if (made.ok()) file_ = *std::move(file);
  } while (absl::IsAlreadyExists(made));
  RETURN_IF_ERROR(made);
  if (begun_ == nullptr) return absl::OkStatus();
  ASSIGN_OR_RETURN(const std::string first, begun_(name));
  return first.empty() ? absl::OkStatus() : file_->Append(first);
}

}  // namespace orbweaver
