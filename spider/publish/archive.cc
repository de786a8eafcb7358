#include "spider/publish/archive.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"

#include "common/base/log.h"
#include "common/base/status.h"
#include "common/model/own_request.h"
#include "spider/publish/page_lines.h"
#include "spider/publish/warc_index.h"
#include "spider/publish/warc_record.h"

namespace orbweaver {
namespace {

std::vector<std::string> LowerCase(std::vector<std::string> names) {
  for (std::string& name : names) absl::AsciiStrToLower(&name);
  // One that is named twice would be twice in each line.
  std::ranges::sort(names);
  names.erase(std::ranges::unique(names).begin(), names.end());
  return names;
}

}  // namespace

Archive::Archive(const ArchiveOptions& options, std::string_view writer, std::string_view software,
                 const Clock& clock, std::shared_ptr<LineConverter> converter)
    : headers_(LowerCase(options.headers)),
      converter_(std::move(converter)),
      has_text_(options.text),
      has_markdown_(options.markdown) {
  if (options.folder.empty()) return;
  if (options.warc) {
    warc_ =
        std::make_unique<WarcWriter>(options, "orbweaver-" + std::string(writer), software, clock);
  }
  const auto files = [&](std::string_view kind) {
    return std::make_unique<LineFiles>(options, kind, writer, clock, converter_);
  };
  if (options.jsonl) pages_ = files("pages");
  if (options.links) links_ = files("links");
  if (has_text_ || has_markdown_) texts_ = files("texts");
  if (options.mirror) mirror_ = std::make_unique<MirrorWriter>(options, writer, clock);
}

absl::Status Archive::KeepExchange(std::string_view url, const FetchResult& result) {
  if (warc_ != nullptr) RETURN_IF_ERROR(warc_->Write(url, result));
  return mirror_ == nullptr ? absl::OkStatus() : mirror_->Keep(url, result);
}

absl::Status Archive::KeepPage(const Journey& journey, const FetchResult& result,
                               const ParsedPage& page) {
  std::string digest;
  if (!result.body.empty() && (pages_ != nullptr || texts_ != nullptr)) {
    digest = warc_ != nullptr ? warc_->last_digest() : WarcDigest(result.body);
  }
  const KeptPage kept{.journey = journey, .result = result, .page = page, .digest = digest};
  // A script is text that nobody reads, and an image has no links.
  const OwnRequest own = OwnRequestOf(journey.request().meta);
  const bool is_asset = own.IsAsset() && !IsPage(own, page.content_type);
  if (links_ != nullptr && !(is_asset && page.domains.empty())) {
    WriteLinksLine(kept, &line_);
    RETURN_IF_ERROR(links_->Append(line_));
  }
  if (texts_ != nullptr && !is_asset && !(page.text.empty() && page.markdown.empty())) {
    WriteTextLine(kept, has_text_, has_markdown_, &line_);
    RETURN_IF_ERROR(texts_->Append(line_));
  }
  if (pages_ == nullptr) return absl::OkStatus();
  WritePageLine(kept, headers_, &line_);
  return pages_->Append(line_);
}

absl::Status Archive::Finish() {
  if (warc_ != nullptr) RETURN_IF_ERROR(warc_->Finish());
  if (mirror_ != nullptr) RETURN_IF_ERROR(mirror_->Finish());
  for (LineFiles* const lines : {pages_.get(), links_.get(), texts_.get()}) {
    if (lines != nullptr) RETURN_IF_ERROR(lines->Finish());
  }
  return converter_ == nullptr ? absl::OkStatus() : converter_->Wait();
}

void RecoverArchives(const ArchiveOptions& options) {
  if (options.folder.empty()) return;
  int warcs = RecoverOutputFiles(options.folder, kWarcSuffix, [](int fd, const std::string&) {
    return ReadGzipMembers(fd, /*head_bytes=*/0, [](const GzipMember&) {});
  });
  warcs += RecoverIndexes(options.folder);
  const int lines = RecoverLineFiles(options) + RecoverMirror(options.folder);
  if (warcs + lines > 0) {
    Log(LogLevel::kInfo, "archive", "finished {} files in {} that were left open", warcs + lines,
        options.folder);
  }
}

}  // namespace orbweaver
