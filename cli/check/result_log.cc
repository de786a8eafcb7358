#include "cli/check/result_log.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/check/file_lines.h"
#include "fmt/format.h"

#include "common/base/status.h"

namespace orbweaver {
namespace {

constexpr std::string_view kFormat = "orbweaver check 1";

absl::Status Failed(std::string_view action, const std::string& path) {
  return FatalError("{} {}: {}", action, path, std::strerror(errno));
}

bool WriteAll(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = write(fd, text.data(), text.size());
    if (count < 0 && errno != EINTR) return false;
    if (count > 0) text.remove_prefix(static_cast<size_t>(count));
  }
  return true;
}

uint64_t SizeOf(int fd) {
  struct stat info{};
  return fstat(fd, &info) == 0 ? static_cast<uint64_t>(info.st_size) : 0;
}

bool Cut(int fd, uint64_t size) {
  return ftruncate(fd, static_cast<off_t>(size)) == 0 &&
         lseek(fd, static_cast<off_t>(size), SEEK_SET) >= 0;
}

std::string Header(const ResultLog::Purpose& purpose) {
  return fmt::format("{}\t{}\t{}", kFormat, purpose.digest, purpose.options);
}

}  // namespace

absl::StatusOr<std::unique_ptr<ResultLog>> ResultLog::Open(const std::string& path,
                                                           const Purpose& purpose,
                                                           const OnRecord& on_record) {
  const std::string progress = path + ".progress";
  const bool had_results = access(path.c_str(), F_OK) == 0;
  const bool had_progress = access(progress.c_str(), F_OK) == 0;
  std::unique_ptr<ResultLog> log(new ResultLog(path, -1, -1));
  log->results_ = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (log->results_ < 0) return Failed("write", path);
  absl::Status status;
  log->records_ = open(progress.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (log->records_ < 0) {
    status = Failed("write", progress);
  } else if (flock(log->records_, LOCK_EX | LOCK_NB) != 0) {
    return FatalError("write {}: another check is writing it", path);
  } else if (had_results && SizeOf(log->results_) > 0 && !had_progress) {
    status = FatalError(
        "write {}: it exists, and no check made it. Name another file with --out, or remove it",
        path);
  } else {
    // Results that were removed are wanted anew.
    status = purpose.restart || !had_results || SizeOf(log->records_) == 0
                 ? log->BeginAnew(purpose)
                 : log->ReadRecords(purpose, on_record);
  }
  if (status.ok()) return log;
  if (!had_progress) unlink(progress.c_str());
  if (!had_results) unlink(path.c_str());
  return status;
}

std::unique_ptr<ResultLog> ResultLog::To(int fd, std::string name) {
  std::unique_ptr<ResultLog> log(new ResultLog(std::move(name), fd, -1));
  log->owns_results_ = false;
  return log;
}

ResultLog::~ResultLog() {
  if (owns_results_ && results_ >= 0) close(results_);
  if (records_ >= 0) close(records_);
}

absl::Status ResultLog::BeginAnew(const Purpose& purpose) {
  if (!Cut(records_, 0) || !WriteAll(records_, Header(purpose) + "\n")) {
    return Failed("write", progress_path());
  }
  if (!Cut(results_, 0)) return Failed("write", path_);
  return Sync();
}

absl::Status ResultLog::ReadRecords(const Purpose& purpose, const OnRecord& on_record) {
  const uint64_t results_size = SizeOf(results_);
  const std::string header = Header(purpose);
  bool is_same = false;
  bool is_begun = true;  // false: it ended while its first line was written
  bool goes_on = true;
  std::string found;
  uint64_t records_end = 0;
  const bool is_read = ForEachLine(records_, [&](const FileLine& line) {
    if (line.number == 1) {
      found = line.text;
      is_same = line.complete && line.text == header;
      is_begun = line.complete || !header.starts_with(line.text);
      records_end = line.end;
      return;
    }
    CheckRecord record;
    uint64_t end = 0;
    goes_on = goes_on && is_same && line.complete && ParseRecord(line.text, &record, &end) &&
              end <= results_size && end >= results_end_;
    if (!goes_on) return;
    results_end_ = end;
    records_end = line.end;
    if (record.line >= done_.size())
      done_.resize(std::max<size_t>(record.line + 1, 2 * done_.size()));
    if (done_[record.line]) return;
    done_[record.line] = true;
    on_record(record);
  });
  if (!is_read) return Failed("read", progress_path());
  if (!is_begun && results_size == 0) return BeginAnew(purpose);
  if (!is_same) {
    const bool is_ours = found.starts_with(kFormat);
    const bool is_of_list = found.find(purpose.digest) != std::string::npos;
    return FatalError(
        "go on with {}: {}. Give --restart to begin anew and lose the results that are there, or "
        "name another file with --out",
        path_,
        !is_ours     ? progress_path() + " was not written by a check"
        : is_of_list ? "it was begun with other options (" + found.substr(found.rfind('\t') + 1) +
                           ", now " + purpose.options + ")"
                     : "it was begun with another list, or the list has changed since");
  }
  if (!Cut(records_, records_end)) return Failed("write", progress_path());
  if (!Cut(results_, results_end_)) return Failed("write", path_);
  return absl::OkStatus();
}

void ResultLog::Add(std::string_view text, const CheckRecord& record) {
  results_text_ += text;
  results_end_ += text.size();
  if (records_ >= 0) AppendRecord(record, results_end_, &records_text_);
}

absl::Status ResultLog::Flush() {
  if (!WriteAll(results_, results_text_)) return Failed("write", path_);
  results_text_.clear();
  if (records_ >= 0 && !WriteAll(records_, records_text_)) {
    return Failed("write", progress_path());
  }
  records_text_.clear();
  return absl::OkStatus();
}

absl::Status ResultLog::Sync() {
  RETURN_IF_ERROR(Flush());
  if (records_ < 0) return absl::OkStatus();
  if (fdatasync(results_) != 0) return Failed("write", path_);
  if (fdatasync(records_) != 0) return Failed("write", progress_path());
  return absl::OkStatus();
}

}  // namespace orbweaver
