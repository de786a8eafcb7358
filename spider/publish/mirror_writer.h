// Answers that were fetched, as the files of a mirror.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"

#include "common/base/clock.h"
#include "spider/fetch/fetch_result.h"
#include "spider/publish/mirror_folder.h"
#include "spider/publish/output_files.h"
#include "spider/publish/publish_options.h"

namespace orbweaver {

// Where the body of a URL is kept as it was fetched: a file of its own, whatever the others are.
std::string MirrorBodyPath(std::string_view url);

// The files that say what was answered: `answers-WRITER-….tsv` in `.mirror`.
inline constexpr std::string_view kMirrorAnswers = "answers";
inline constexpr std::string_view kMirrorAnswersSuffix = ".tsv";

// Place: in Archive, one in each lane. Each whole body of an answer 200 is kept in `.mirror`, and
// at once gets its name in the mirror too, unless something stands there: MirrorBuilder, which
// knows all URLs, decides about that. A crash leaves whole files. Not thread-safe.
class MirrorWriter {
 public:
  // As LineFiles'.
  MirrorWriter(const ArchiveOptions& options, std::string_view writer, const Clock& clock);

  // Every answer. Fatal when the disk does not take it.
  absl::Status Keep(std::string_view url, const FetchResult& result);

  // Finishes the file of answers.
  absl::Status Finish() { return answers_.Finish(); }

 private:
  const std::string name_;
  const std::string writer_;
  std::unique_ptr<MirrorFolder> folder_;  // null until there is something to write
  OutputFiles answers_;
};

// Finishes what writers that died have left in the folder; returns how many files that were.
int RecoverMirror(const std::string& folder);

}  // namespace orbweaver
