#include "cli/crawl/output_arguments.h"

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "cli/arguments.h"
#include "cli/crawl/output_folder.h"

#include "common/base/status.h"

namespace orbweaver {
namespace {

constexpr std::string_view kFolder = "spider.archive.folder";
constexpr std::string_view kOperator = "spider.archive.operator";
constexpr std::string_view kLineFormat = "spider.archive.line_format";
constexpr std::string_view kWarc = "spider.archive.warc";
constexpr std::string_view kRecord = "record.folder";
constexpr std::string_view kHeaders = "spider.archive.headers";

// Switched on by --out.
constexpr std::string_view kByOut[] = {"spider.archive.failures", "spider.archive.jsonl",
                                       "spider.archive.links", "strategy_worker.keep_referrers"};

constexpr std::pair<std::string_view, std::string_view> kSwitches[] = {
    {"--archive-errors", "spider.archive.errors"},
    {"--convert-links", "spider.archive.convert_links"},
    {"--mirror", "spider.archive.mirror"},
    {"--text", "spider.archive.text"},
    {"--markdown", "spider.archive.markdown"},
};

}  // namespace

void TakeOutputArguments(std::vector<std::string>* args, OptionTexts* options, std::string* out) {
  if (const auto folder = TakeValue(args, "--out")) {
    *out = *folder;
    // The crawl may go on from another working directory.
    options->emplace_back(kFolder, std::filesystem::absolute(*folder).string());
    for (const std::string_view option : kByOut) options->emplace_back(option, "true");
  }
  // The same pages twice is what nobody expects of a mirror; --set spider.archive.warc=true does
  // it.
  if (std::ranges::find(*args, "--mirror") != args->end()) options->emplace_back(kWarc, "false");
  for (const auto& [flag, option] : kSwitches) {
    if (TakeSwitch(args, flag)) options->emplace_back(option, "true");
  }
  if (const auto format = TakeValue(args, "--out-format")) {
    options->emplace_back(kLineFormat, *format);
  }
  if (const auto folder = TakeValue(args, "--record")) {
    options->emplace_back(kRecord, std::filesystem::absolute(*folder).string());
  }
  if (const auto who = TakeValue(args, "--operator")) options->emplace_back(kOperator, *who);
  if (const auto names = TakeValues(args, "--keep-header"); !names.empty()) {
    std::string all;
    for (const std::string& name : ArchiveOptions().headers) all += name + ",";
    for (const std::string& name : names) all += name + ",";
    all.pop_back();
    options->emplace_back(kHeaders, all);
  }
}

std::string_view OutputFlagOf(std::string_view option) {
  if (option == kFolder) return "--out";
  if (option == kOperator) return "--operator";
  if (option == kLineFormat) return "--out-format";
  if (option == kHeaders) return "--keep-header";
  if (option == kRecord) return "--record";
  for (const auto& [flag, name] : kSwitches) {
    if (name == option) return flag;
  }
  return {};
}

absl::Status CheckOutputs(const ArchiveOptions& options) {
  if (options.convert_links && !options.mirror) {
    return FatalError("--convert-links needs --mirror: the files whose links are converted");
  }
  if (!options.folder.empty()) return CheckOutputFolder(options.folder);
  const ArchiveOptions defaults;
  const std::pair<bool, std::string_view> asked[] = {
      {options.errors, "--archive-errors"},
      {options.headers != defaults.headers, "--keep-header"},
      {options.markdown, "--markdown"},
      {options.mirror, "--mirror"},
      {!options.operator_name.empty(), "--operator"},
      {options.line_format != defaults.line_format, "--out-format"},
      {options.text, "--text"}};
  for (const auto& [is_asked, flag] : asked) {
    if (is_asked) return FatalError("{} needs --out DIR: the folder to write to", flag);
  }
  return absl::OkStatus();
}

bool IsSetByOut(std::string_view option) {
  return std::ranges::find(kByOut, option) != std::end(kByOut);
}

}  // namespace orbweaver
