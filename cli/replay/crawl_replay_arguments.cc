#include "cli/replay/crawl_replay_arguments.h"

#include <string_view>

#include "cli/arguments.h"
#include "fmt/format.h"

#include "common/base/ids.h"
#include "common/config/schema.h"
#include "lab/report/merged_draws.h"

namespace orbweaver {
namespace {

// "500/s", also "500"; "30/min", "1000/h".
bool ParseRate(std::string_view text, double* per_second) {
  double unit = 1;
  for (const auto& [suffix, seconds] : {std::pair("/s", 1.0), {"/min", 60.0}, {"/h", 3600.0}}) {
    if (!text.ends_with(suffix)) continue;
    text.remove_suffix(std::string_view(suffix).size());
    unit = seconds;
    break;
  }
  double number = 0;
  if (!config::ParseNumber(text, &number) || !(number > 0)) return false;
  *per_second = number / unit;
  return true;
}

}  // namespace

std::optional<std::string> TakeCrawlReplayArguments(std::vector<std::string>* args,
                                                    CrawlReplayArguments* into) {
  into->force = TakeSwitch(args, "--force");
  if (const auto text = TakeValue(args, "--budget");
      text && !(config::ParseNumber(*text, &into->budget) && into->budget > 0)) {
    return fmt::format("--budget {}: expected a number of fetches above 0", *text);
  }
  if (const auto text = TakeValue(args, "--for");
      text && !(config::ParseDuration(*text, &into->time) && into->time > Duration::zero())) {
    return fmt::format("--for {}: expected a time such as 30m or 24h", *text);
  }
  if (const auto text = TakeValue(args, "--speed"); text && !ParseRate(*text, &into->speed)) {
    return fmt::format("--speed {}: expected a rate such as 500/s or 30/min", *text);
  }
  if (const auto text = TakeValue(args, "--spiders");
      text && !(config::ParseNumber(*text, &into->spiders) && into->spiders > 0 &&
                into->spiders <= kSlots)) {
    return fmt::format("--spiders {}: expected a number from 1 to 4096", *text);
  }
  if (const auto text = TakeValue(args, "--delay")) {
    Duration delay{};
    if (!config::ParseDuration(*text, &delay)) {
      return fmt::format("--delay {}: expected a time such as 1s or 250ms", *text);
    }
    into->delay = delay;
  }
  if (const auto text = TakeValue(args, "--seed");
      text && !config::ParseNumber(*text, &into->seed)) {
    return fmt::format("--seed {}: expected a number", *text);
  }
  if (const auto text = TakeValue(args, "--work")) into->work = *text;
  into->value = TakeValue(args, "--value");
  if (const auto text = TakeValue(args, "--value-file")) into->value_file = *text;
  if (into->value.has_value() && !into->value_file.empty()) {
    return "--value and --value-file are two ways to say the same";
  }
  if (const auto text = TakeValue(args, "--draws");
      text && !(config::ParseNumber(*text, &into->draws) && into->draws > 0 &&
                into->draws <= lab::kMostDraws)) {
    return fmt::format("--draws {}: expected a number from 1 to {}", *text, lab::kMostDraws);
  }
  if (const auto text = TakeValue(args, "--out")) {
    if (text->empty()) return "--out: expected a folder";
    into->out = *text;
  }
  return std::nullopt;
}

}  // namespace orbweaver
