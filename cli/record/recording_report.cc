#include "cli/record/recording_report.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/amounts.h"
#include "cli/command.h"
#include "cli/frontier/message_view.h"
#include "cli/message.h"
#include "cli/record/progress_line.h"
#include "fmt/format.h"

#include "common/base/json.h"
#include "common/base/status.h"
#include "lab/recording/recording_check.h"
#include "lab/recording/recording_stats.h"

namespace orbweaver {
namespace {

void PrintStats(const std::string& topic, const lab::TopicStats& stats) {
  Print("{}: {} of {}\n", topic, Count(stats.records, "record"),
        Count(stats.domains, "registered domain"));
  for (const auto& [event, count] : stats.events) Print("  {:<14} {:>14}\n", event, Count(count));
  if (stats.records > 0) {
    Print("  written        {} to {}\n", TimeText(stats.first_time), TimeText(stats.last_time));
  }
  if (stats.links > 0) {
    Print("  links          {:>14}, {:.1f} a page\n", Count(stats.links), stats.LinksAPage());
  }
  if (stats.raw_bytes > 0) {
    const auto share = [&stats](uint64_t bytes) {
      return static_cast<double>(bytes) / static_cast<double>(stats.raw_bytes);
    };
    Print("  bytes          {} in {} of {}: {:.2f}, of which the records as they are {:.2f}\n",
          Bytes(stats.raw_bytes), Count(stats.files, "file"), Bytes(stats.bytes),
          share(stats.bytes), share(stats.record_bytes));
  }
}

std::string StatsJson(const lab::RecordingStats& stats) {
  std::string text;
  JsonWriter json(&text);
  json.BeginObject().Key("topics").BeginObject();
  for (const auto& [topic, of] : stats.topics) {
    json.Key(topic).BeginObject().Key("records").Value(of.records).Key("files").Value(of.files);
    json.Key("domains").Value(of.domains).Key("links").Value(of.links);
    json.Key("raw_bytes").Value(of.raw_bytes).Key("bytes").Value(of.bytes);
    json.Key("record_bytes").Value(of.record_bytes);
    json.Key("first_time_ms").Value(of.first_time.time_since_epoch().count());
    json.Key("last_time_ms").Value(of.last_time.time_since_epoch().count());
    json.Key("events").BeginObject();
    for (const auto& [event, count] : of.events) json.Key(event).Value(count);
    json.EndObject().EndObject();
  }
  json.EndObject().Key("left_out").BeginObject().Key("files").Value(stats.left_out.files);
  json.Key("records").Value(stats.left_out.records).EndObject().EndObject();
  return text;
}

}  // namespace

void TellLeftOut(const lab::LeftOut& left_out) {
  for (const std::string& why : left_out.why) PrintError("left out: {}\n", why);
  if (left_out.files > 0) {
    PrintError("{} left out, with {}.\n", Count(left_out.files, "damaged file"),
               Count(left_out.records, "record"));
  }
}

int CheckRecordingCommand(const RecordArguments& args) {
  const auto recording = lab::Recording::Open(args.recording);
  if (!recording.ok()) return Fail(kExitFailed, "record", MessageOf(recording.status()));
  uint64_t begun = 0;
  std::optional<ProgressLine> progress;
  progress.emplace();
  const auto checked = lab::CheckRecording(**recording, [&](const lab::RecordedFile& file) {
    progress->Show(file.Name(), begun++, (*recording)->manifest().files.size());
  });
  progress.reset();
  if (!checked.ok()) return Fail(kExitFailed, "record", MessageOf(checked.status()));
  const bool is_whole = checked->damage.empty();
  if (args.json) {
    std::string text;
    JsonWriter json(&text);
    json.BeginObject().Key("files").Value(checked->files).Key("records").Value(checked->records);
    const std::pair<std::string_view, const std::vector<std::string>*> lists[] = {
        {"damage", &checked->damage}, {"gaps", &checked->gaps}, {"strangers", &checked->strangers}};
    for (const auto& [key, list] : lists) {
      json.Key(key).BeginArray();
      for (const std::string& line : *list) json.Value(line);
      json.EndArray();
    }
    json.EndObject();
    Print("{}\n", text);
    return is_whole ? kExitOk : kExitFailed;
  }
  for (const std::string& line : checked->damage) Print("damaged: {}\n", line);
  for (const std::string& line : checked->gaps) Print("gap: {}\n", line);
  for (const std::string& name : checked->strangers) Print("not a part of it: {}\n", name);
  Print("{} in {}: {}.\n", Count(checked->records, "record"), Count(checked->files, "file"),
        is_whole ? "whole" : fmt::format("{} wrong", Count(checked->damage.size(), "thing")));
  return is_whole ? kExitOk : kExitFailed;
}

int RecordingStatsCommand(const RecordArguments& args) {
  const auto recording = lab::Recording::Open(args.recording);
  if (!recording.ok()) return Fail(kExitFailed, "record", MessageOf(recording.status()));
  const auto stats = lab::StatsOf(**recording, args.skip_damaged);
  if (!stats.ok()) return Fail(kExitFailed, "record", MessageOf(stats.status()));
  TellLeftOut(stats->left_out);
  if (args.json) {
    Print("{}\n", StatsJson(*stats));
    return kExitOk;
  }
  const lab::Manifest& manifest = (*recording)->manifest();
  Print("{}, begun {} by {}{}{}\n", manifest.origin.source, TimeText(manifest.begun_at),
        manifest.origin.software,
        manifest.origin.strategy.empty() ? ""
                                         : fmt::format(", strategy {} {}", manifest.origin.strategy,
                                                       manifest.origin.strategy_version),
        manifest.sample < 1 ? fmt::format(", {}% of the domains", manifest.sample * 100) : "");
  for (const auto& [topic, of] : stats->topics) PrintStats(topic, of);
  return kExitOk;
}

}  // namespace orbweaver
