#include "cli/record/log_recording.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/amounts.h"
#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/crawl/recording_origin.h"
#include "cli/frontier/frontier.h"
#include "cli/frontier/log_reader.h"
#include "cli/message.h"
#include "cli/record/progress_line.h"
#include "fmt/format.h"

#include "common/base/status.h"
#include "common/runtime/signal_watcher.h"
#include "lab/recording/recorder.h"
#include "lab/recording/recording_folder.h"

namespace orbweaver {
namespace {

constexpr Duration kStopDeadline = std::chrono::seconds(60);
// A folder is opened anew so many times when its crawl has deleted what was to be read.
constexpr int kOpenAgain = 20;
// Following, a partition has a file more when so much has come, or after --every.
constexpr int64_t kManyMessages = 100'000;
constexpr Duration kLookEvery = std::chrono::seconds(1);

// Reads logs into a folder, once or until it is stopped.
class LogRecording {
 public:
  LogRecording(const ProductOptions& options, const RecordArguments& args,
               const PublicSuffixes& suffixes, lab::RecordingFolder* folder,
               const StopRequest& stop)
      : options_(options),
        args_(args),
        folder_(*folder),
        recorder_(folder, suffixes,
                  {.since = args.range.since, .until = args.range.until, .timeout = kLookTimeout}),
        stop_(stop) {}

  absl::Status Run() {
    absl::Status status;
    for (int attempt = 0; attempt < kOpenAgain; ++attempt) {
      ASSIGN_OR_RETURN(const auto frontier, Frontier::Open(options_, args_.folder));
      status = RunOn(frontier->bus());
      if (status.ok() || stop_.requested()) return folder_.Save();
      const absl::Status hinted(status.code(),
                                fmt::format("{}{}", MessageOf(status), frontier->Hint(status)));
      if (!args_.folder.has_value()) return hinted;
      status = hinted;
    }
    return status;
  }

  const lab::Recorder& recorder() const { return recorder_; }

 private:
  absl::Status RunOn(Bus& bus) {
    RETURN_IF_ERROR(recorder_.CheckLogs(bus));
    RETURN_IF_ERROR(Round(bus, /*all=*/true));
    if (args_.follow && !stop_.requested()) {
      PrintError("The logs are recorded up to their ends. Following them until Ctrl-C.\n");
    }
    while (args_.follow && !stop_.WaitFor(std::min(kLookEvery, args_.every))) {
      const absl::Status status = Round(bus, /*all=*/false);
      // Brokers come back, and meanwhile the log keeps what is not recorded.
      if (!status.ok() && !IsRetry(status)) return status;
      if (IsRetry(status)) PrintError("{}\n", MessageOf(status));
    }
    return absl::OkStatus();
  }

  absl::Status Round(Bus& bus, bool all) {
    std::vector<lab::LogRangeOf> ranges;
    all_ = done_ = 0;
    for (const std::string& topic : args_.topics) {
      LogRange range = args_.range;
      range.topic = topic;
      // Once a partition has a position, nobody needs to look for its first message.
      if (!all) range.from = range.last = std::nullopt;
      if (!all) range.since = range.until = std::nullopt;
      ASSIGN_OR_RETURN(const auto bounds, FindBounds(bus, range, kLookTimeout));
      for (const auto& [partition, within] : bounds) {
        lab::LogRangeOf of{.topic = topic,
                           .partition = partition,
                           .first = std::min(within.start, within.end),
                           .end = within.end};
        const Offset from = folder_.Position(topic, partition).value_or(of.first);
        if (from < of.end) all_ += static_cast<uint64_t>(of.end.value() - from.value());
        ranges.push_back(std::move(of));
      }
    }
    RETURN_IF_ERROR(folder_.Begin(ranges));
    for (const lab::LogRangeOf& range : ranges) {
      if (!all && !IsDue(range)) continue;
      const Offset from = *folder_.Position(range.topic, range.partition);
      const uint64_t done = done_;
      RETURN_IF_ERROR(recorder_.Record(bus, range, [&] {
        done_ = done + static_cast<uint64_t>(recorder_.at().value() - from.value());
        progress_.Show(fmt::format("{}, {}", Count(recorder_.records(), "record"),
                                   Bytes(recorder_.raw_bytes())),
                       done_, all_);
        return !stop_.requested();
      }));
      if (from < range.end) done_ = done + static_cast<uint64_t>(range.end.value() - from.value());
      last_[{range.topic, range.partition}] = SystemClock().Now();
      if (stop_.requested()) break;
    }
    return folder_.Save();
  }

  bool IsDue(const lab::LogRangeOf& range) {
    const int64_t messages =
        range.end.value() - folder_.Position(range.topic, range.partition)->value();
    return messages >= kManyMessages ||
           (messages > 0 &&
            SystemClock().Now() - last_[{range.topic, range.partition}] >= args_.every);
  }

  const ProductOptions& options_;
  const RecordArguments& args_;
  lab::RecordingFolder& folder_;
  lab::Recorder recorder_;
  const StopRequest& stop_;
  ProgressLine progress_;
  uint64_t all_ = 0;  // of a round
  uint64_t done_ = 0;
  std::map<std::pair<std::string, PartitionId>, SteadyTime> last_;
};

}  // namespace

int RecordLogs(const ProductOptions& options, const config::Schema& schema,
               const RecordArguments& args) {
  const auto suffixes = PublicSuffixes::Load(options.public_suffixes);
  if (!suffixes.ok()) return Fail(kExitUsage, "record", MessageOf(suffixes.status()));
  const auto folder = lab::RecordingFolder::Open(
      args.recording, OriginOf(options, schema, args.folder), args.sample, SystemClock().Wall());
  if (!folder.ok()) return Fail(kExitFailed, "record", MessageOf(folder.status()));
  StopRequest stop;
  SignalWatcher signals(stop, kStopDeadline);
  signals.Start();
  std::optional<LogRecording> recording;
  recording.emplace(options, args, **suffixes, folder->get(), stop);
  const absl::Status status = recording->Run();
  signals.Stop();
  const uint64_t records = recording->recorder().records();
  const uint64_t raw_bytes = recording->recorder().raw_bytes();
  recording.reset();
  Print("{} recorded to {}, {} of them.\n", Count(records, "record"), args.recording.string(),
        Bytes(raw_bytes));
  uint64_t gap = 0;
  for (const lab::LogRangeOf& range : (*folder)->manifest().gaps) {
    gap += static_cast<uint64_t>(range.end.value() - range.first.value());
  }
  if (gap > 0) {
    Print(
        "{} deleted from the logs before they were recorded; `orbweaver record check {}` says "
        "which.\n",
        gap == 1 ? "1 offset was" : fmt::format("{} offsets were", Count(gap)),
        ShellQuoted(args.recording.string()));
  }
  if (!status.ok()) return Fail(kExitFailed, "record", MessageOf(status));
  if (!stop.requested() || args.follow) return kExitOk;
  Print("It was stopped; the same command goes on.\n");
  return kExitStopped;
}

}  // namespace orbweaver
