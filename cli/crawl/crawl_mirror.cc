#include "cli/crawl/crawl_mirror.h"

#include "cli/amounts.h"
#include "fmt/format.h"

#include "common/base/status.h"
#include "spider/mirror/mirror_builder.h"

namespace orbweaver {

absl::StatusOr<std::string> CompleteMirror(const ProductOptions& options, Duration patience) {
  const ArchiveOptions& archive = options.spider.archive;
  if (archive.folder.empty() || !HasMirror(archive.folder)) return std::string();
  ASSIGN_OR_RETURN(const MirrorReport report, BuildMirror({.folder = archive.folder,
                                                           .convert_links = archive.convert_links,
                                                           .urls = options.spider.url,
                                                           .patience = patience}));
  std::string text = fmt::format("Mirror: {} in {}", Count(report.files, "file"), archive.folder);
  if (archive.convert_links) {
    text += fmt::format(", with links converted in {}", Count(report.converted));
  }
  text += ".\n";
  if (!report.first.empty()) {
    text += fmt::format("  begin with {}/{}\n", archive.folder, report.first);
  }
  const auto note = [&text](uint64_t count, std::string_view what, std::string_view why) {
    if (count > 0) text += fmt::format("  {} {}\n", Count(count, what), why);
  };
  note(report.cut, "page", "left out, since there is more of it than --max-size allows");
  note(report.not_converted, "file",
       "in UTF-16 or ISO-2022-JP, whose links stay as they were fetched");
  note(report.lost, "page",
       "left out, since the files in .mirror are not whole: the crawl or the machine was "
       "interrupted. Go on with the crawl");
  return text;
}

}  // namespace orbweaver
