#include "lab/recording/recording_folder.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <random>
#include <sys/file.h>
#include <unistd.h>
#include <utility>

#include "fmt/format.h"

#include "common/base/check.h"
#include "common/base/status.h"
#include "common/parquet/parquet_reader.h"
#include "lab/recording/folder_file.h"

namespace orbweaver::lab {
namespace {

namespace fs = std::filesystem;

// The claim of a file of this recording that the manifest does not name; nullopt for any other.
std::optional<RecordedFile> ClaimOf(const fs::path& path, const Manifest& manifest) {
  auto source = parquet::FileSource::Open(path.string());
  if (!source.ok()) return std::nullopt;
  const auto reader = parquet::ParquetReader::Open(*std::move(source));
  if (!reader.ok()) return std::nullopt;
  for (const auto& [key, value] : (*reader)->meta().key_values) {
    if (key != kFileKey) continue;
    auto claim = ParseFileText(value);
    if (!claim.ok() || claim->recording_id != manifest.id) return std::nullopt;
    if (claim->file.Name() != path.filename().string()) return std::nullopt;
    return std::move(claim->file);
  }
  return std::nullopt;
}

absl::StatusOr<std::vector<fs::path>> FilesIn(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> paths;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    paths.push_back(entry->path());
  }
  if (error) return FatalError("read folder {}: {}", folder.string(), error.message());
  std::ranges::sort(paths);
  return paths;
}

std::string NewId() {
  std::random_device random;
  return fmt::format("{:08x}{:08x}", random(), random());
}

}  // namespace

absl::StatusOr<std::unique_ptr<RecordingFolder>> RecordingFolder::Open(
    const fs::path& folder, const RecordingOrigin& origin, double sample, WallTime now) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return FatalError("make folder {}: {}", folder.string(), error.message());
  const int lock = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (lock < 0) return FatalError("open {}: {}", folder.string(), std::strerror(errno));
  std::unique_ptr<RecordingFolder> opened(new RecordingFolder(folder, lock));
  if (flock(lock, LOCK_EX | LOCK_NB) != 0) {
    return FatalError("record to {}: another process does", folder.string());
  }
  RETURN_IF_ERROR(opened->Load(origin, sample, now));
  RETURN_IF_ERROR(opened->TakeUp());
  return opened;
}

RecordingFolder::~RecordingFolder() { close(lock_); }

absl::Status RecordingFolder::Load(const RecordingOrigin& origin, double sample, WallTime now) {
  const auto text = ReadWholeFile(path_ / kManifestName);
  if (absl::IsNotFound(text.status())) {
    ASSIGN_OR_RETURN(const auto paths, FilesIn(path_));
    for (const fs::path& path : paths) {
      // A recording may have died before its first manifest had its name.
      if (path.filename() == std::string(kManifestName) + std::string(FolderFile::kOpen)) continue;
      return FatalError("record to {}: it has files and no {}. Name a new folder", path_.string(),
                        kManifestName);
    }
    manifest_ = {.id = NewId(), .begun_at = now, .origin = origin, .sample = sample};
    is_changed_ = true;
    return Save();
  }
  RETURN_IF_ERROR(text.status());
  auto manifest = ParseManifest(*text);
  if (!manifest.ok()) return Annotate(manifest.status(), path_.string());
  manifest_ = *std::move(manifest);
  if (manifest_.sample != sample) {
    return FatalError(
        "record to {}: it has a sample of {}%. Give the same --sample, or a new folder",
        path_.string(), manifest_.sample * 100);
  }
  return absl::OkStatus();
}

absl::Status RecordingFolder::TakeUp() {
  ASSIGN_OR_RETURN(const auto paths, FilesIn(path_));
  for (const fs::path& path : paths) {
    const std::string name = path.filename().string();
    if (name.ends_with(FolderFile::kOpen)) {
      std::error_code error;
      fs::remove(path, error);
      if (error) return FatalError("remove {}: {}", path.string(), error.message());
      continue;
    }
    const bool is_named = std::ranges::any_of(
        manifest_.files, [&](const RecordedFile& file) { return file.Name() == name; });
    if (is_named || !name.ends_with(".parquet")) continue;
    // The next one of its partition, or nobody's.
    auto file = ClaimOf(path, manifest_);
    if (!file || manifest_.Find(file->range.topic, file->range.partition) == nullptr ||
        file->range.first != NextFirst(file->range.topic, file->range.partition)) {
      continue;
    }
    ASSIGN_OR_RETURN(const FileSum sum, SumOf(path));
    file->bytes = sum.bytes;
    file->crc = sum.crc;
    RETURN_IF_ERROR(Add(*file));
  }
  return absl::OkStatus();
}

std::optional<Offset> RecordingFolder::Position(std::string_view topic,
                                                PartitionId partition) const {
  const LogRangeOf* const range = manifest_.Find(topic, partition);
  return range == nullptr ? std::nullopt : std::optional(range->end);
}

Offset RecordingFolder::NextFirst(std::string_view topic, PartitionId partition) const {
  const LogRangeOf* const range = manifest_.Find(topic, partition);
  CHECK(range != nullptr);
  Offset first = range->first;
  for (const LogRangeOf& gap : manifest_.gaps) {
    if (gap.IsOf(topic, partition)) first = std::max(first, gap.end);
  }
  for (const RecordedFile& file : manifest_.files) {
    if (file.range.IsOf(topic, partition)) first = std::max(first, file.range.end);
  }
  return first;
}

absl::Status RecordingFolder::Begin(std::span<const LogRangeOf> ranges) {
  for (const LogRangeOf& range : ranges) {
    if (manifest_.Find(range.topic, range.partition) != nullptr) continue;
    is_changed_ = true;
    manifest_.partitions.push_back({.topic = range.topic,
                                    .partition = range.partition,
                                    .first = range.first,
                                    .end = range.first});
  }
  return Save();
}

absl::Status RecordingFolder::Add(const RecordedFile& file) {
  manifest_.files.push_back(file);
  is_changed_ = true;
  Advance(file.range.topic, file.range.partition, file.range.end);
  return Save();
}

void RecordingFolder::Advance(std::string_view topic, PartitionId partition, Offset end) {
  LogRangeOf* const range = manifest_.Find(topic, partition);
  CHECK(range != nullptr);
  if (end <= range->end) return;
  range->end = end;
  is_changed_ = true;
}

absl::Status RecordingFolder::AddGap(std::string_view topic, PartitionId partition, Offset end) {
  const LogRangeOf* const range = manifest_.Find(topic, partition);
  CHECK(range != nullptr);
  manifest_.gaps.push_back(
      {.topic = std::string(topic), .partition = partition, .first = range->end, .end = end});
  Advance(topic, partition, end);
  return Save();
}

absl::Status RecordingFolder::Save() {
  if (!is_changed_) return absl::OkStatus();
  RETURN_IF_ERROR(ReplaceFile(path_ / kManifestName, ManifestText(manifest_)));
  is_changed_ = false;
  return absl::OkStatus();
}

}  // namespace orbweaver::lab
