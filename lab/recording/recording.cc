#include "lab/recording/recording.h"

#include "common/base/status.h"
#include "lab/recording/folder_file.h"

namespace orbweaver::lab {

absl::StatusOr<std::unique_ptr<Recording>> Recording::Open(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / kManifestName;
  const auto text = ReadWholeFile(path);
  if (absl::IsNotFound(text.status())) {
    return FatalError("open {}: it has no {}. `orbweaver record --out` makes a recording",
                      folder.string(), kManifestName);
  }
  RETURN_IF_ERROR(text.status());
  auto manifest = ParseManifest(*text);
  if (!manifest.ok()) return Annotate(manifest.status(), path.string());
  return std::unique_ptr<Recording>(new Recording(folder, *std::move(manifest)));
}

std::unique_ptr<RecordReader> Recording::Read(std::string_view topic, PartitionId partition,
                                              bool skip_damaged) const {
  return std::unique_ptr<RecordReader>(
      new RecordReader(path_, manifest_.id, manifest_.FilesOf(topic, partition), skip_damaged));
}

absl::StatusOr<bool> RecordReader::Next(Message* message) {
  while (true) {
    if (file_ != nullptr) {
      ASSIGN_OR_RETURN(const bool is_there, file_->Next(message));
      if (is_there) return true;
      file_.reset();
    }
    if (files_.empty()) return false;
    const RecordedFile file = std::move(files_.front());
    files_.pop_front();
    auto opened = RecordedFileReader::Open(folder_, recording_id_, file);
    if (opened.ok()) {
      file_ = *std::move(opened);
      continue;
    }
    if (!skip_damaged_ || !IsPoison(opened.status())) return opened.status();
    ++left_out_.files;
    left_out_.records += file.records;
    left_out_.why.emplace_back(MessageOf(opened.status()));
  }
}

}  // namespace orbweaver::lab
