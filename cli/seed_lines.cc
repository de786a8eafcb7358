#include "cli/seed_lines.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <unistd.h>

#include "cli/line_reader.h"
#include "cli/message.h"
#include "fmt/format.h"

#include "common/base/clock.h"
#include "common/base/status.h"

namespace orbweaver {
namespace {

constexpr uint64_t kMostShown = 20;
constexpr size_t kShownBytes = 200;
constexpr Duration kProgressEvery = std::chrono::seconds(5);
constexpr uint64_t kLinesBetweenLooks = 10'000;

std::string_view Trim(std::string_view line) {
  constexpr std::string_view kSpace = " \t\r\n";
  const size_t begin = line.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return {};
  return line.substr(begin, line.find_last_not_of(kSpace) + 1 - begin);
}

class OpenFile {
 public:
  explicit OpenFile(const std::string& path)
      : fd_(path == "-" ? STDIN_FILENO : open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
  ~OpenFile() {
    if (fd_ > STDIN_FILENO) close(fd_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  int fd() const { return fd_; }

 private:
  const int fd_;
};

}  // namespace

absl::Status CheckSeedFile(const std::string& path) {
  if (path == "-") return absl::OkStatus();
  std::error_code unknown;
  const bool is_folder = std::filesystem::is_directory(path, unknown);
  if (!is_folder && access(path.c_str(), R_OK) == 0) return absl::OkStatus();
  return FatalError("read {}: {}", path, std::strerror(is_folder ? EISDIR : errno));
}

absl::Status ForEachSeedLine(const std::string& path,
                             const std::function<bool(uint64_t, std::string_view)>& visit) {
  const OpenFile file(path);
  if (file.fd() < 0) return FatalError("read {}: {}", path, std::strerror(errno));
  LineReader reader(file.fd());
  std::string_view line;
  for (uint64_t number = 1; reader.Next(&line); ++number) {
    const std::string_view url = Trim(line);
    if (url.empty() || url.starts_with('#')) continue;
    if (!visit(number, url)) return absl::OkStatus();
  }
  if (reader.error() != 0) return FatalError("read {}: {}", path, std::strerror(reader.error()));
  return absl::OkStatus();
}

absl::StatusOr<SeedLines> AddSeedLines(const std::string& path, SeedWriter& writer,
                                       const SeedScope* scope) {
  SeedLines lines;
  uint64_t named = 0;
  uint64_t next_look = kLinesBetweenLooks;
  SteadyTime next_progress = SystemClock().Now() + kProgressEvery;
  const auto name = [&](uint64_t number, std::string_view url, std::string_view why) {
    if (++named <= kMostShown) {
      PrintError("{}:{}: {}: {}\n", path == "-" ? "standard input" : path, number, why,
                 url.substr(0, kShownBytes));
    } else if (named == kMostShown + 1) {
      PrintError("{}: more lines that are refused are only counted\n", path);
    }
  };
  RETURN_IF_ERROR(ForEachSeedLine(path, [&](uint64_t number, std::string_view url) {
    if (number >= next_look) {
      next_look = number + kLinesBetweenLooks;
      if (SystemClock().Now() >= next_progress) {
        PrintError("{} seeds, {} refused\n", lines.seeds, lines.refused);
        next_progress = SystemClock().Now() + kProgressEvery;
      }
    }
    const std::string why = scope == nullptr ? "" : scope->WhyLeftOut(url);
    if (!why.empty()) {
      ++lines.out_of_scope;
      name(number, url, "left out, " + why);
      return true;
    }
    const UrlError error = writer.Add(url);
    if (!writer.status().ok()) return false;
    if (error == UrlError::kNone) {
      ++lines.seeds;
    } else {
      ++lines.refused;
      name(number, url, UrlErrorName(error));
    }
    return true;
  }));
  RETURN_IF_ERROR(writer.status());
  return lines;
}

}  // namespace orbweaver
