#include "spider/publish/mirror_writer.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <utility>

#include "fmt/format.h"

#include "common/base/status.h"
#include "spider/fetch/failure_cause.h"
#include "spider/publish/line_files.h"
#include "spider/publish/mirror_path.h"

namespace orbweaver {
namespace {

std::string OwnFolder(const std::string& folder) {
  return (std::filesystem::path(folder) / kMirrorOwn).string();
}

// A header's value as a field of a line.
std::string FieldOf(std::string_view value) {
  std::string field(value);
  std::ranges::replace_if(
      field, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, ' ');
  return field;
}

}  // namespace

std::string MirrorBodyPath(std::string_view url) {
  const std::string hash = MirrorHash(url);
  return fmt::format("{}/bodies/{}/{}", kMirrorOwn, hash.substr(0, 2), hash);
}

MirrorWriter::MirrorWriter(const ArchiveOptions& options, std::string_view writer,
                           const Clock& clock)
    : name_(options.folder),
      writer_(writer),
      answers_({.folder = OwnFolder(options.folder),
                .prefix = fmt::format("{}-{}", kMirrorAnswers, writer),
                .suffix = std::string(kMirrorAnswersSuffix),
                .max_file_bytes = options.max_file_bytes},
               clock) {}

absl::Status MirrorWriter::Keep(std::string_view url, const FetchResult& result) {
  if (result.failure) return absl::OkStatus();
  const bool is_redirect = IsRedirect(result.status);
  if (result.status != 200 && !is_redirect) return absl::OkStatus();
  if (folder_ == nullptr) {
    ASSIGN_OR_RETURN(folder_, MirrorFolder::Open(name_, writer_));
  }
  const bool is_cut = !is_redirect && result.body_truncated;
  const std::string_view type = result.Header("content-type");
  const bool is_file = !is_redirect && !is_cut;
  const std::string body = is_file ? MirrorBodyPath(url) : "";
  if (is_file) {
    RETURN_IF_ERROR(folder_->Write(body, result.body, MirrorFolder::InTheWay::kRefuse));
  }
  const auto at =
      std::chrono::duration_cast<std::chrono::microseconds>(result.started_at.time_since_epoch());
  RETURN_IF_ERROR(
      answers_.Append(fmt::format("{}\t{}\t{}\t{}\t{}\n",
                                  is_redirect ? "redirect"
                                  : is_cut    ? "cut"
                                              : "file",
                                  at.count(), url, result.body.size(),
                                  FieldOf(is_redirect ? result.Header("location") : type))));
  if (is_file) folder_->TryLink(body, MirrorPathOf(url, type).path);
  return absl::OkStatus();
}

int RecoverMirror(const std::string& folder) {
  std::error_code error;
  if (!std::filesystem::is_directory(OwnFolder(folder), error)) return 0;
  RemoveTornFiles(folder);
  return RecoverOutputFiles(OwnFolder(folder), kMirrorAnswersSuffix, WholeLines);
}

}  // namespace orbweaver
