#include "cli/record/recording_import.h"

#include <filesystem>
#include <optional>
#include <string>

#include "cli/amounts.h"
#include "cli/command.h"
#include "cli/crawl/crawl_folder.h"
#include "cli/frontier/frontier.h"
#include "cli/frontier/writable_log.h"
#include "cli/message.h"
#include "cli/record/log_recording.h"
#include "cli/record/progress_line.h"
#include "cli/record/recording_report.h"
#include "fmt/format.h"

#include "common/base/status.h"
#include "common/runtime/signal_watcher.h"
#include "lab/recording/importer.h"

namespace orbweaver {
namespace {

constexpr Duration kStopDeadline = std::chrono::seconds(60);

// The logs to import into; a new folder has topics of as many partitions as were recorded.
absl::StatusOr<WritableLog> OpenTarget(const ProductOptions& options, const config::Schema& schema,
                                       const RecordArguments& args, const lab::Manifest& manifest,
                                       const Clock& clock) {
  if (args.folder.has_value()) {
    std::error_code error;
    std::filesystem::create_directories(*args.folder, error);
    if (error) return FatalError("make folder {}: {}", args.folder->string(), error.message());
  }
  ASSIGN_OR_RETURN(WritableLog log, OpenWritableLog(options, args.folder, clock));
  if (!args.folder.has_value()) return std::move(log);
  TopicOptions topics = options.topics;
  topics.partitions = static_cast<int>(
      manifest.Partitions(manifest.Topics().empty() ? "" : manifest.Topics()[0]).size());
  // Nothing is deleted before somebody reads it.
  topics.retention = Duration::zero();
  topics.retention_bytes = 0;
  ASSIGN_OR_RETURN(const auto specs, ProductTopics(topics));
  RETURN_IF_ERROR(log.bus->EnsureTopics(specs, kLookTimeout).status());
  // So that commands take it for a crawl's folder, whose logs they show.
  const CrawlFolder folder(*args.folder);
  if (folder.options_file().empty()) RETURN_IF_ERROR(folder.KeepOptions(schema));
  return std::move(log);
}

}  // namespace

int ImportRecording(const ProductOptions& options, const config::Schema& schema,
                    const RecordArguments& args) {
  const auto recording = lab::Recording::Open(args.recording);
  if (!recording.ok()) return Fail(kExitFailed, "record", MessageOf(recording.status()));
  const lab::Manifest& manifest = (*recording)->manifest();
  lab::RecordClock clock;  // outlives the log
  const auto target = OpenTarget(options, schema, args, manifest, clock);
  if (!target.ok()) return Fail(kExitFailed, "record", MessageOf(target.status()));
  StopRequest stop;
  SignalWatcher signals(stop, kStopDeadline);
  signals.Start();
  uint64_t all = 0;
  for (const lab::RecordedFile& file : manifest.files) all += file.records;
  lab::Importer importer(
      **recording, *target->bus,
      {.skip_damaged = args.skip_damaged, .clock = args.folder.has_value() ? &clock : nullptr});
  std::optional<ProgressLine> progress;
  progress.emplace();
  absl::Status status;
  for (const std::string& topic : manifest.Topics()) {
    if (!status.ok() || stop.requested()) break;
    status = importer.Import(topic, [&] {
      progress->Show(
          fmt::format("{}, {}", Count(importer.records(), "record"), Bytes(importer.raw_bytes())),
          importer.records() + importer.before(), all);
      return !stop.requested();
    });
  }
  signals.Stop();
  progress.reset();
  TellLeftOut(importer.left_out());
  Print(
      "{} imported{}.\n", Count(importer.records(), "record"),
      importer.before() > 0 ? fmt::format("; {} were there before", Count(importer.before())) : "");
  if (!status.ok()) return Fail(kExitFailed, "record", MessageOf(status));
  if (!stop.requested()) return kExitOk;
  Print("It was stopped; the same command goes on.\n");
  return kExitStopped;
}

}  // namespace orbweaver
