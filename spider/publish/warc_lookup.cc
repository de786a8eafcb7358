#include "spider/publish/warc_lookup.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>
#include <vector>
#include <zlib.h>

#include "common/base/json.h"
#include "common/base/status.h"
#include "spider/publish/surt.h"
#include "spider/publish/warc_head.h"
#include "spider/publish/warc_index.h"
#include "spider/publish/warc_record.h"

namespace orbweaver {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kOpen = ".open";
// More than that no record of ours has: its body is bounded by spider.fetch.max_body_bytes.
constexpr uint64_t kMaxRecordBytes = uint64_t{4} << 30;

// A line of an index, as far as it leads to the record.
struct IndexLine {
  std::string time;  // YYYYMMDDhhmmss
  fs::path file;
  uint64_t offset = 0;
  uint64_t length = 0;
  bool is_revisit = false;
};

// Which answers are asked for.
struct Wanted {
  std::string_view url;
  bool with_body = false;  // no revisits
  std::string time;        // empty: the newest
};

// The text between `before` and the next quotation mark. `line` is one of ours: what stands last in
// it is found from its end.
std::string_view Field(std::string_view line, std::string_view before) {
  const size_t at = line.rfind(before);
  if (at == std::string_view::npos) return {};
  line.remove_prefix(at + before.size());
  return line.substr(0, line.find('"'));
}

bool ReadNumber(std::string_view text, uint64_t* number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *number);
  return error == std::errc() && end == text.data() + text.size();
}

// nullopt when the line is of another URL of that key, or not wanted.
std::optional<IndexLine> ReadIndexLine(std::string_view line, size_t key_size, const Wanted& wanted,
                                       const fs::path& folder) {
  std::string begin = "{\"url\":";
  AppendJsonString(wanted.url, &begin);
  const std::string_view behind_key = line.substr(key_size);
  const size_t space = behind_key.find(' ');
  if (space == std::string_view::npos || !behind_key.substr(space + 1).starts_with(begin + ",")) {
    return std::nullopt;
  }
  IndexLine found{.time = std::string(behind_key.substr(0, space)),
                  .file = folder / Field(line, "\"filename\":\""),
                  .is_revisit = line.find(",\"mime\":\"warc/revisit\",") != std::string_view::npos};
  const bool ok = ReadNumber(Field(line, "\"offset\":\""), &found.offset) &&
                  ReadNumber(Field(line, "\"length\":\""), &found.length) &&
                  found.length <= kMaxRecordBytes;
  if (!ok || (wanted.with_body && found.is_revisit)) return std::nullopt;
  if (!wanted.time.empty() && found.time != wanted.time) return std::nullopt;
  return found;
}

// Goes to the first line that is not before `key`.
void SeekTo(std::string_view key, std::istream& index) {
  index.seekg(0, std::ios::end);
  std::streamoff low = 0;
  std::streamoff high = index.tellg();
  std::string line;
  // Lines that begin at or before `low` are before the key; one that begins behind `high` is not.
  while (low < high) {
    const std::streamoff middle = low + (high - low) / 2;
    index.clear();
    index.seekg(middle);
    if (middle > 0) std::getline(index, line);
    if (std::getline(index, line) && line < key) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  index.clear();
  index.seekg(low);
  if (low > 0) std::getline(index, line);
}

// Replaces *best by what is newer in the index.
void Search(std::istream& index, const Wanted& wanted, const fs::path& folder,
            std::optional<IndexLine>* best) {
  const std::string key = SurtOf(wanted.url) + ' ';
  SeekTo(key, index);
  for (std::string line; std::getline(index, line) && line.starts_with(key);) {
    const auto found = ReadIndexLine(line, key.size(), wanted, folder);
    if (found && (!*best || found->time >= (*best)->time)) *best = found;
  }
}

absl::StatusOr<std::optional<IndexLine>> FindIndexLine(const std::string& folder,
                                                       const Wanted& wanted) {
  std::optional<IndexLine> best;
  std::error_code error;
  std::vector<fs::path> files;
  for (fs::directory_iterator entry(folder, error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    files.push_back(entry->path());
  }
  if (error) return FatalError("list folder {}: {}", folder, error.message());
  std::ranges::sort(files);
  for (const fs::path& file : files) {
    std::string name = file.string();
    if (name.ends_with(kIndexSuffix)) {
      std::ifstream index(file, std::ios::binary);
      Search(index, wanted, folder, &best);
      continue;
    }
    const bool is_open = name.ends_with(std::string(kWarcSuffix) + std::string(kOpen));
    if (!is_open && !name.ends_with(kWarcSuffix)) continue;
    std::string index_of = name.substr(0, name.rfind(kWarcSuffix)) + std::string(kIndexSuffix);
    if (!is_open && fs::exists(index_of, error)) continue;
    const auto text = IndexOfWarc(name);
    // It may have been finished since.
    if (!text.ok() && is_open && !fs::exists(file, error)) continue;
    RETURN_IF_ERROR(text.status());
    std::istringstream index(*text);
    Search(index, wanted, folder, &best);
  }
  return best;
}

absl::StatusOr<std::string> ReadRecord(const IndexLine& found) {
  std::string packed(found.length, '\0');
  std::ifstream file(found.file, std::ios::binary);
  file.seekg(static_cast<std::streamoff>(found.offset));
  if (!file.read(packed.data(), static_cast<std::streamsize>(packed.size()))) {
    return FatalError("read {}: no record of {} bytes at {}", found.file.string(), found.length,
                      found.offset);
  }
  return UnpackGzipMember(packed);
}

absl::StatusOr<ArchivedAnswer> ReadAnswer(const IndexLine& found) {
  ASSIGN_OR_RETURN(const std::string record, ReadRecord(found));
  const size_t end = record.find("\r\n\r\n");
  const std::string_view all = record;
  const std::string_view head = all.substr(0, end);
  uint64_t size = 0;
  if (end == std::string::npos || !ReadNumber(HeaderOf(head, "Content-Length"), &size) ||
      size > record.size() - end - 4) {
    return FatalError("read {}: no WARC record at {}", found.file.string(), found.offset);
  }
  const std::string_view block = all.substr(end + 4, size);
  const size_t head_end = std::min(block.find("\r\n\r\n"), block.size());
  ArchivedAnswer answer{.url = std::string(HeaderOf(head, "WARC-Target-URI")),
                        .date = std::string(HeaderOf(head, "WARC-Date")),
                        .is_revisit = found.is_revisit,
                        .digest = std::string(HeaderOf(head, "WARC-Payload-Digest")),
                        .head = std::string(block.substr(0, head_end)),
                        .file = found.file.string(),
                        .offset = found.offset,
                        .length = found.length};
  answer.status = StatusOf(answer.head);
  answer.content_type = HeaderOf(answer.head, "Content-Type");
  answer.has_body = !found.is_revisit;
  if (answer.has_body) answer.body = block.substr(std::min(head_end + 4, block.size()));
  return answer;
}

// Where the content stands that a revisit has none of.
absl::StatusOr<std::optional<IndexLine>> FindContent(const std::string& folder,
                                                     const IndexLine& revisit) {
  ASSIGN_OR_RETURN(const std::string record, ReadRecord(revisit));
  const std::string_view url = HeaderOf(record, "WARC-Refers-To-Target-URI");
  std::string time;
  for (const char c : HeaderOf(record, "WARC-Refers-To-Date")) {
    if (c == '.') break;
    if (c >= '0' && c <= '9') time += c;
  }
  return FindIndexLine(folder, {.url = url, .with_body = true, .time = time});
}

}  // namespace

absl::StatusOr<std::optional<ArchivedAnswer>> FindInArchive(const std::string& folder,
                                                            std::string_view url) {
  ASSIGN_OR_RETURN(const auto found, FindIndexLine(folder, {.url = url}));
  if (!found) return std::optional<ArchivedAnswer>();
  ASSIGN_OR_RETURN(ArchivedAnswer answer, ReadAnswer(*found));
  if (found->is_revisit) {
    ASSIGN_OR_RETURN(const auto content, FindContent(folder, *found));
    if (content) {
      ASSIGN_OR_RETURN(ArchivedAnswer first, ReadAnswer(*content));
      answer.body = std::move(first.body);
      answer.has_body = true;
    }
  }
  return std::optional<ArchivedAnswer>(std::move(answer));
}

}  // namespace orbweaver
