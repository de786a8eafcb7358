#include "spider/publish/warc_index.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <unistd.h>
#include <utility>

#include "common/base/json.h"
#include "common/base/status.h"
#include "spider/publish/output_file.h"
#include "spider/publish/surt.h"
#include "spider/publish/warc_head.h"
#include "spider/publish/warc_record.h"

namespace orbweaver {
namespace {

// Of a record: its own head and that of the answer stand within. A longer one gives a line without
// what stands beyond.
constexpr size_t kMaxHeadBytes = size_t{256} << 10;

void AddRecord(const GzipMember& member, std::string_view filename, WarcIndex* index) {
  const std::string_view type = HeaderOf(member.head, "WARC-Type");
  if (type != "response" && type != "revisit") return;
  const size_t end = member.head.find("\r\n\r\n");
  if (end == std::string_view::npos) return;
  const std::string_view http = member.head.substr(end + 4);
  index->Add({.url = HeaderOf(member.head, "WARC-Target-URI"),
              .date = HeaderOf(member.head, "WARC-Date"),
              .is_revisit = type == "revisit",
              .content_type = HeaderOf(http, "Content-Type"),
              .status = StatusOf(http),
              .digest = HeaderOf(member.head, "WARC-Payload-Digest"),
              .offset = member.offset,
              .length = member.length},
             filename);
}

absl::Status WriteAll(int fd, std::string_view text) {
  bool ok = ftruncate(fd, 0) == 0;
  for (size_t at = 0; ok && at < text.size();) {
    const ssize_t n = pwrite(fd, text.data() + at, text.size() - at, static_cast<off_t>(at));
    if (n < 0 && errno == EINTR) continue;
    ok = n >= 0;
    if (ok) at += static_cast<size_t>(n);
  }
  if (ok) return absl::OkStatus();
  return FatalError("write index: {}. Make room on the disk", std::strerror(errno));
}

// As a writer's Finish would have done it. 0: there is nothing to index.
absl::StatusOr<uint64_t> Rebuild(int fd, const std::string& path) {
  const std::string warc =
      path.substr(0, path.size() - kIndexSuffix.size()) + std::string(kWarcSuffix);
  std::error_code error;
  if (!std::filesystem::exists(warc, error)) return uint64_t{0};
  ASSIGN_OR_RETURN(const std::string text, IndexOfWarc(warc));
  RETURN_IF_ERROR(WriteAll(fd, text));
  return text.size();
}

}  // namespace

void WarcIndex::Add(const IndexedRecord& record, std::string_view filename) {
  const size_t begin = text_.size();
  text_ += SurtOf(record.url);
  text_ += ' ';
  for (const char c : record.date) {
    if (c == '.') break;  // to the second, as all tools have it
    if (c >= '0' && c <= '9') text_ += c;
  }
  text_ += ' ';
  JsonWriter json(&text_);
  json.BeginObject().Key("url").Value(record.url);
  const std::string_view mime =
      record.content_type.substr(0, record.content_type.find_first_of("; \t"));
  if (record.is_revisit) {
    json.Key("mime").Value("warc/revisit");
  } else if (!mime.empty()) {
    json.Key("mime").Value(mime);
  }
  if (!record.status.empty()) json.Key("status").Value(record.status);
  if (!record.digest.empty()) json.Key("digest").Value(record.digest);
  // Numbers as texts: readers of CDXJ expect them so.
  json.Key("length").Value(std::to_string(record.length));
  json.Key("offset").Value(std::to_string(record.offset));
  json.Key("filename").Value(filename).EndObject();
  text_ += '\n';
  lines_.push_back({.begin = begin, .size = text_.size() - begin});
}

std::string WarcIndex::Take() {
  const auto text_of = [this](const Line& line) {
    return std::string_view(text_).substr(line.begin, line.size);
  };
  std::ranges::sort(lines_, [&](const Line& a, const Line& b) { return text_of(a) < text_of(b); });
  std::string sorted;
  sorted.reserve(text_.size());
  for (const Line& line : lines_) sorted += text_of(line);
  text_.clear();
  lines_.clear();
  return sorted;
}

absl::StatusOr<std::string> IndexOfWarc(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return FatalError("open {}: {}", path, std::strerror(errno));
  WarcIndex index;
  const std::string name = std::filesystem::path(path).filename().string();
  const absl::Status status = ReadGzipMembers(fd, kMaxHeadBytes, [&](const GzipMember& member) {
                                AddRecord(member, name, &index);
                              }).status();
  close(fd);
  RETURN_IF_ERROR(status);
  return index.Take();
}

int RecoverIndexes(const std::string& folder) {
  return RecoverOutputFiles(folder, kIndexSuffix, Rebuild);
}

}  // namespace orbweaver
