#include "lab/recording/recording_check.h"

#include <filesystem>
#include <set>

#include "fmt/format.h"

#include "common/base/status.h"
#include "lab/recording/recorded_file_reader.h"

namespace orbweaver::lab {
namespace {

// All cells of all columns, also those that readers of records do not look at.
absl::Status ReadColumns(parquet::ParquetReader& parquet) {
  const parquet::Schema& schema = parquet.schema();
  for (size_t group = 0; group < parquet.meta().groups.size(); ++group) {
    for (const int leaf : schema.leaves()) {
      const auto column = parquet.Column(group, schema.node(leaf));
      int64_t rows = 0;
      while (true) {
        ASSIGN_OR_RETURN(const parquet::Cell* const cell, column->Peek());
        if (cell == nullptr) break;
        rows += cell->repetition == 0 ? 1 : 0;
        column->Pop();
      }
      if (rows != parquet.meta().groups[group].rows) {
        return PoisonError("column '{}' has {} rows of {}", schema.node(leaf).name, rows,
                           parquet.meta().groups[group].rows);
      }
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<uint64_t> CheckFile(const Recording& recording, const RecordedFile& file) {
  ASSIGN_OR_RETURN(const auto reader,
                   RecordedFileReader::Open(recording.path(), recording.manifest().id, file));
  uint64_t records = 0;
  Message message;
  while (true) {
    ASSIGN_OR_RETURN(const bool is_there, reader->Next(&message));
    if (!is_there) break;
    ++records;
  }
  RETURN_IF_ERROR(
      Annotate(ReadColumns(reader->parquet()), (recording.path() / file.Name()).string()));
  return records;
}

bool IsGapBetween(const Manifest& manifest, const LogRangeOf& of, Offset from, Offset to) {
  for (const LogRangeOf& gap : manifest.gaps) {
    if (gap.IsOf(of.topic, of.partition) && gap.first >= from && gap.end == to) return true;
  }
  return false;
}

// Whether the files follow one another.
void CheckOrder(const Manifest& manifest, const LogRangeOf& range, CheckedRecording* checked) {
  Offset next = range.first;
  for (const RecordedFile& file : manifest.FilesOf(range.topic, range.partition)) {
    if (file.range.first < next) {
      checked->damage.push_back(fmt::format("{} partition {}: offsets {} to {} are in two files",
                                            range.topic, range.partition, file.range.first, next));
    } else if (file.range.first > next && !IsGapBetween(manifest, range, next, file.range.first)) {
      checked->damage.push_back(
          fmt::format("{} partition {}: offsets {} to {} are in no file of {}", range.topic,
                      range.partition, next, file.range.first, kManifestName));
    }
    next = file.range.end;
  }
}

absl::Status FindStrangers(const Recording& recording, CheckedRecording* checked) {
  std::set<std::string> known = {std::string(kManifestName)};
  for (const RecordedFile& file : recording.manifest().files) known.insert(file.Name());
  std::error_code error;
  for (std::filesystem::directory_iterator entry(recording.path(), error), end;
       !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (!known.contains(name)) checked->strangers.push_back(name);
  }
  if (!error) return absl::OkStatus();
  return FatalError("read folder {}: {}", recording.path().string(), error.message());
}

}  // namespace

absl::StatusOr<CheckedRecording> CheckRecording(
    const Recording& recording, absl::FunctionRef<void(const RecordedFile&)> progress) {
  CheckedRecording checked;
  const Manifest& manifest = recording.manifest();
  for (const LogRangeOf& range : manifest.partitions) CheckOrder(manifest, range, &checked);
  for (const LogRangeOf& gap : manifest.gaps) {
    checked.gap_offsets += static_cast<uint64_t>(gap.end.value() - gap.first.value());
    checked.gaps.push_back(fmt::format(
        "{} partition {}: offsets {} to {} were deleted by retention before they were recorded",
        gap.topic, gap.partition, gap.first, gap.end));
  }
  for (const RecordedFile& file : manifest.files) {
    progress(file);
    const auto records = CheckFile(recording, file);
    if (IsFatal(records.status())) return records.status();
    ++checked.files;
    if (records.ok()) {
      checked.records += *records;
    } else {
      checked.damage.emplace_back(MessageOf(records.status()));
    }
  }
  RETURN_IF_ERROR(FindStrangers(recording, &checked));
  return checked;
}

}  // namespace orbweaver::lab
