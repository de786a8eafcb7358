// Makes the files of a mirror what they should be by all that is known of it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "common/base/clock.h"
#include "common/url/options.h"
#include "spider/mirror/link_converter.h"
#include "spider/mirror/mirror_answers.h"
#include "spider/mirror/mirror_layout.h"
#include "spider/publish/mirror_folder.h"

namespace orbweaver {

struct MirrorReport {
  uint64_t files = 0;
  uint64_t converted = 0;      // of those: files that differ from what was fetched
  uint64_t not_converted = 0;  // their charset does not allow it
  uint64_t cut = 0;            // pages that were longer than what is read of one; they have no file
  uint64_t lost = 0;           // pages whose body is not whole on this disk; likewise
  std::string first;           // the file of the page that was fetched first; empty: there is none
};

struct MirrorBuild {
  std::string folder;  // of the outputs
  bool convert_links = false;
  UrlOptions urls;      // as the crawl had them
  Duration patience{};  // while another process is at it
};

// Place: at the end of `orbweaver crawl`, and in `orbweaver mirror`. Gives each page its file and
// makes links lead to files, always from what was fetched, which MirrorWriter keeps. So it can be
// repeated at any time, also while spiders write and after a crash, and the second of two changes
// nothing. Files are replaced as a whole. One at a time: fatal when another process is at it for
// longer than there is patience.
absl::StatusOr<MirrorReport> BuildMirror(const MirrorBuild& build);

// Whether `folder` has anything to make a mirror of.
bool HasMirror(const std::string& folder);

}  // namespace orbweaver
