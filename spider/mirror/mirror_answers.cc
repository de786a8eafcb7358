#include "spider/mirror/mirror_answers.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include "common/base/status.h"
#include "spider/publish/mirror_folder.h"
#include "spider/publish/mirror_path.h"
#include "spider/publish/mirror_writer.h"

namespace orbweaver {
namespace {

bool TakeField(std::string_view* line, std::string_view* field) {
  if (line->data() == nullptr) return false;
  const size_t tab = line->find('\t');
  *field = line->substr(0, tab);
  *line = tab == std::string_view::npos ? std::string_view() : line->substr(tab + 1);
  return true;
}

template <typename Number>
bool ParseField(std::string_view field, Number* number) {
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), *number);
  return error == std::errc() && end == field.data() + field.size();
}

}  // namespace

absl::Status MirrorAnswers::Read(const std::string& folder) {
  std::vector<std::string> files;
  const std::filesystem::path own = std::filesystem::path(folder) / kMirrorOwn;
  std::error_code error;
  std::filesystem::directory_iterator entry(own, error);
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    const bool is_answers = name.starts_with(kMirrorAnswers) &&
                            name.find(kMirrorAnswersSuffix) != std::string::npos &&
                            entry->is_regular_file();
    if (is_answers) files.push_back(entry->path().string());
  }
  if (error) return FatalError("read {}: {}", own.string(), error.message());
  std::ranges::sort(files);
  for (const std::string& file : files) RETURN_IF_ERROR(ReadFile(file));
  return absl::OkStatus();
}

absl::Status MirrorAnswers::ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  // One that was being written is finished by now, and has another name.
  if (!file.is_open() && path.ends_with(".open")) {
    file.open(path.substr(0, path.size() - std::string_view(".open").size()), std::ios::binary);
  }
  if (!file.is_open()) return FatalError("read {}: it cannot be opened", path);
  std::string line;
  // A line without its end is being written, or was when a process died.
  while (std::getline(file, line) && !file.eof()) Take(line);
  return file.bad() ? FatalError("read {}: the disk failed", path) : absl::OkStatus();
}

void MirrorAnswers::Take(std::string_view line) {
  std::string_view kind;
  std::string_view at;
  std::string_view url;
  std::string_view bytes;
  std::string_view text;
  MirrorAnswer answer;
  const bool is_whole = TakeField(&line, &kind) && TakeField(&line, &at) &&
                        TakeField(&line, &url) && TakeField(&line, &bytes) &&
                        TakeField(&line, &text) && ParseField(at, &answer.at_us) &&
                        ParseField(bytes, &answer.bytes) && url.find("://") != url.npos;
  if (!is_whole) return;
  answer.is_redirect = kind == "redirect";
  answer.is_cut = kind == "cut";
  (answer.is_redirect ? answer.location : answer.content_type) = text;
  const auto [known, is_new] = newest_.try_emplace(std::string(url), answer);
  if (is_new) return;
  MirrorAnswer& newest = known->second;
  const bool replaces =
      answer.is_cut ? newest.is_cut : newest.is_cut || answer.at_us >= newest.at_us;
  if (!replaces) return;
  const MirrorAnswer older = std::exchange(newest, std::move(answer));
  if (older.is_redirect || older.is_cut) return;
  const bool has_moved = newest.is_redirect || (newest.content_type != older.content_type &&
                                                MirrorPathOf(url, newest.content_type).path !=
                                                    MirrorPathOf(url, older.content_type).path);
  if (has_moved) former_.push_back({std::string(url), older.content_type});
}

}  // namespace orbweaver
