#include "spider/publish/archive.h"

#include <cerrno>
#include <cstring>
#include <unistd.h>
#include <vector>

#include "common/base/json.h"
#include "common/base/log.h"
#include "common/base/status.h"
#include "spider/parse/link_json.h"

namespace orbweaver {
namespace {

constexpr std::string_view kWarcSuffix = ".warc.gz";
constexpr std::string_view kLinesSuffix = ".jsonl";

absl::StatusOr<uint64_t> WholeLines(int fd) {
  std::vector<char> block(size_t{64} << 10);
  uint64_t whole = 0;
  for (uint64_t at = 0;;) {
    const ssize_t size = pread(fd, block.data(), block.size(), static_cast<off_t>(at));
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return FatalError("read archive: {}. Check the disk", std::strerror(errno));
    if (size == 0) return whole;
    const std::string_view bytes(block.data(), static_cast<size_t>(size));
    const size_t end = bytes.rfind('\n');
    if (end != std::string_view::npos) whole = at + end + 1;
    at += bytes.size();
  }
}

// What the lines of both files begin with.
void WritePage(const Journey& journey, const FetchResult& result, JsonWriter* json) {
  json->Key("url").Value(journey.request.url);
  if (journey.url != journey.request.url) json->Key("final_url").Value(journey.url);
  json->Key("domain").Value(journey.request.domain);
  json->Key("fetched_at").Value(WarcDate(result.started_at));
}

}  // namespace

Archive::Archive(const ArchiveOptions& options, std::string_view writer, std::string_view software,
                 const Clock& clock) {
  if (options.folder.empty()) return;
  if (options.warc) {
    warc_ =
        std::make_unique<WarcWriter>(options, "orbweaver-" + std::string(writer), software, clock);
  }
  const auto lines = [&](std::string_view kind) {
    return std::make_unique<OutputFiles>(
        OutputFilesOptions{.folder = options.folder,
                           .prefix = std::string(kind) + "-" + std::string(writer),
                           .suffix = std::string(kLinesSuffix),
                           .max_file_bytes = options.max_file_bytes},
        clock, [](std::string_view) { return std::string(); });
  };
  if (options.jsonl) pages_ = lines("pages");
  if (options.links) links_ = lines("links");
}

absl::Status Archive::KeepExchange(std::string_view url, const FetchResult& result) {
  return warc_ == nullptr ? absl::OkStatus() : warc_->Write(url, result);
}

absl::Status Archive::KeepPage(const Journey& journey, const FetchResult& result,
                               const ParsedPage& page) {
  if (links_ != nullptr) RETURN_IF_ERROR(KeepLinks(journey, result, page));
  if (pages_ == nullptr) return absl::OkStatus();
  line_.clear();
  JsonWriter json(&line_);
  json.BeginObject();
  WritePage(journey, result, &json);
  json.Key("depth").Value(journey.request.depth);
  json.Key("status").Value(result.status);
  json.Key("content_type").Value(page.content_type);
  json.Key("charset").Value(page.charset);
  json.Key("title").Value(page.title);
  json.Key("language").Value(page.language);
  json.Key("canonical_url").Value(page.canonical_url);
  json.Key("robots").Value(page.robots_directives);
  json.Key("body_bytes").Value(result.body.size());
  json.Key("body_truncated").Value(result.body_truncated);
  json.Key("text_bytes").Value(page.text_bytes);
  json.Key("links_inside").Value(page.links_inside);
  json.Key("links_outside").Value(page.links_outside);
  json.Key("total_ms")
      .Value(std::chrono::duration_cast<std::chrono::milliseconds>(result.times.total).count());
  json.EndObject();
  line_ += '\n';
  return pages_->Append(line_);
}

absl::Status Archive::KeepLinks(const Journey& journey, const FetchResult& result,
                                const ParsedPage& page) {
  line_.clear();
  JsonWriter json(&line_);
  json.BeginObject();
  WritePage(journey, result, &json);
  json.Key("links_truncated").Value(page.links_truncated).Key("links").BeginArray();
  for (const DomainLinks& domain : page.domains) {
    for (const Link& link : domain.links) WriteJson(link, &json);
  }
  json.EndArray().EndObject();
  line_ += '\n';
  return links_->Append(line_);
}

absl::Status Archive::Finish() {
  if (warc_ != nullptr) RETURN_IF_ERROR(warc_->Finish());
  for (OutputFiles* const lines : {pages_.get(), links_.get()}) {
    if (lines != nullptr) RETURN_IF_ERROR(lines->Finish());
  }
  return absl::OkStatus();
}

void RecoverArchives(const ArchiveOptions& options) {
  if (options.folder.empty()) return;
  const int warcs = RecoverOutputFiles(options.folder, kWarcSuffix, WholeGzipMembers);
  const int lines = RecoverOutputFiles(options.folder, kLinesSuffix, WholeLines);
  if (warcs + lines > 0) {
    Log(LogLevel::kInfo, "archive", "finished {} files in {} that were left open", warcs + lines,
        options.folder);
  }
}

}  // namespace orbweaver
