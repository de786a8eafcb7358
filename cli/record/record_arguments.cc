#include "cli/record/record_arguments.h"

#include <algorithm>
#include <iterator>

#include "cli/arguments.h"
#include "cli/frontier/log_range_arguments.h"
#include "cli/help_text.h"
#include "fmt/format.h"

#include "common/config/value_text.h"

namespace orbweaver {
namespace {

// Returns what is wrong, or nothing.
std::string ParseTopics(std::string_view list, std::vector<std::string>* topics) {
  topics->clear();
  while (!list.empty()) {
    const size_t comma = std::min(list.find(','), list.size());
    const std::string_view topic = list.substr(0, comma);
    list.remove_prefix(std::min(comma + 1, list.size()));
    if (topic != kSpiderLogTopic && topic != kScoringLogTopic && topic != kSpiderFeedTopic) {
      return fmt::format("--topics {}: expected spider-log, scoring-log or spider-feed", topic);
    }
    if (std::ranges::find(*topics, topic) == topics->end()) topics->emplace_back(topic);
  }
  return topics->empty() ? "--topics: expected spider-log, scoring-log or spider-feed" : "";
}

}  // namespace

std::string ParseRecordArguments(std::vector<std::string> args, std::string_view help,
                                 RecordArguments* parsed) {
  if (std::string wrong = TakeLogRange(&args, &parsed->range); !wrong.empty()) return wrong;
  if (const auto list = TakeValue(&args, "--topics")) {
    if (std::string wrong = ParseTopics(*list, &parsed->topics); !wrong.empty()) return wrong;
  }
  if (const auto text = TakeValue(&args, "--sample");
      text && !(config::ParseShare(*text, &parsed->sample) && parsed->sample > 0)) {
    return fmt::format("--sample {}: expected a share such as 5%", *text);
  }
  if (const auto out = TakeValue(&args, "--out")) parsed->recording = *out;
  if (const auto text = TakeValue(&args, "--every");
      text && !(config::ParseDuration(*text, &parsed->every) && parsed->every > Duration::zero())) {
    return fmt::format("--every {}: expected a time such as 30s or 10m", *text);
  }
  parsed->follow = TakeSwitch(&args, "--follow");
  parsed->skip_damaged = TakeSwitch(&args, "--skip-damaged");
  parsed->json = TakeSwitch(&args, "--json");
  if (const auto unknown = UnknownOption(args)) return WrongOption(help, *unknown);
  if (!args.empty()) {
    constexpr std::string_view kVerbs[] = {"check", "stats", "import"};
    parsed->verb = args[0];
    if (std::ranges::find(kVerbs, parsed->verb) == std::end(kVerbs) || args.size() != 2) {
      return "expected --out DIR, check DIR, stats DIR or import DIR";
    }
    parsed->recording = args[1];
  }
  if (parsed->recording.empty()) return "--out DIR is missing: the folder to record to";
  if (parsed->follow && parsed->folder.has_value()) {
    return "--follow needs a cluster: a crawl on this machine deletes what it has read. Give its "
           "`orbweaver crawl` --record DIR";
  }
  return {};
}

}  // namespace orbweaver
