#include "lab/recording/record_file_writer.h"

#include <utility>

#include "fmt/format.h"

#include "common/base/status.h"
#include "common/protocol/log_witness.h"

namespace orbweaver::lab {

absl::StatusOr<std::unique_ptr<RecordFileWriter>> RecordFileWriter::Create(
    const std::filesystem::path& folder, std::string_view recording_id, std::string software,
    LogRangeOf range, TopicColumns* columns) {
  std::unique_ptr<RecordFileWriter> writer(
      new RecordFileWriter(folder, recording_id, std::move(range), columns));
  // Its end is not known yet.
  const LogRangeOf& of = writer->file_.range;
  ASSIGN_OR_RETURN(
      writer->bytes_,
      FolderFile::Create(folder / fmt::format("{}-{:05}.parquet", of.topic, of.partition.value())));
  FolderFile* const bytes = writer->bytes_.get();
  writer->rows_ = std::make_unique<parquet::ParquetWriter>(
      columns->schema(), parquet::ParquetWriterOptions{.software = std::move(software)},
      [bytes](std::string_view text) { return bytes->Append(text); });
  return writer;
}

absl::Status RecordFileWriter::Add(const Message& message) {
  RETURN_IF_ERROR(columns_.Add(message, rows_.get()));
  if (file_.records++ == 0) file_.first_time = file_.last_time = message.time;
  file_.first_time = std::min(file_.first_time, message.time);
  file_.last_time = std::max(file_.last_time, message.time);
  file_.raw_bytes += message.key.size() + message.value.size();
  for (const Header& header : message.headers) {
    file_.raw_bytes += header.name.size() + header.value.size();
  }
  const LogWitness witness = WitnessOf(message);
  file_.last_offset = witness.offset;
  last_ = witness.hash;
  return absl::OkStatus();
}

absl::StatusOr<RecordedFile> RecordFileWriter::Finish(Offset end) {
  file_.range.end = end;
  file_.last_hash = last_.ToHex();
  RETURN_IF_ERROR(rows_->Finish({{std::string(kFileKey), FileText(recording_id_, file_)}}));
  RETURN_IF_ERROR(bytes_->FinishAs(folder_ / file_.Name()));
  file_.bytes = bytes_->size();
  file_.crc = bytes_->crc();
  return std::move(file_);
}

}  // namespace orbweaver::lab
