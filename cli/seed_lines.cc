#include "cli/seed_lines.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <string_view>
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

absl::StatusOr<SeedLines> AddSeedLines(const std::string& path, SeedWriter& writer) {
  const OpenFile file(path);
  if (file.fd() < 0) return FatalError("read {}: {}", path, std::strerror(errno));
  LineReader reader(file.fd());
  SeedLines lines;
  SteadyTime next_progress = SystemClock().Now() + kProgressEvery;
  std::string_view line;
  for (uint64_t number = 1; reader.Next(&line); ++number) {
    if (number % kLinesBetweenLooks == 0 && SystemClock().Now() >= next_progress) {
      PrintError("{} seeds, {} refused\n", lines.seeds, lines.refused);
      next_progress = SystemClock().Now() + kProgressEvery;
    }
    const std::string_view url = Trim(line);
    if (url.empty() || url.starts_with('#')) continue;
    const UrlError error = writer.Add(url);
    RETURN_IF_ERROR(writer.status());
    if (error == UrlError::kNone) {
      ++lines.seeds;
      continue;
    }
    if (++lines.refused <= kMostShown) {
      PrintError("{}:{}: {}: {}\n", path == "-" ? "standard input" : path, number,
                 UrlErrorName(error), url.substr(0, kShownBytes));
    } else if (lines.refused == kMostShown + 1) {
      PrintError("{}: more lines that are refused are only counted\n", path);
    }
  }
  if (reader.error() != 0) return FatalError("read {}: {}", path, std::strerror(reader.error()));
  return lines;
}

}  // namespace orbweaver
