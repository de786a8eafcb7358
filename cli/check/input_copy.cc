#include "cli/check/input_copy.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <poll.h>
#include <string>
#include <unistd.h>
#include <vector>

#include "common/base/status.h"

namespace orbweaver {
namespace {

absl::Status Failed(std::string_view what) {
  return FatalError("{}: {}", what, std::strerror(errno));
}

absl::Status Copy(int from, int to, const StopRequest& stop) {
  std::vector<char> buffer(size_t{1} << 20);
  for (;;) {
    pollfd fds[] = {{.fd = from, .events = POLLIN, .revents = 0},
                    {.fd = stop.fd(), .events = POLLIN, .revents = 0}};
    if (poll(fds, 2, -1) < 0 && errno != EINTR) return Failed("read standard input");
    if (stop.requested()) return FatalError("it was stopped while it read standard input");
    if (fds[0].revents == 0) continue;
    const ssize_t count = read(from, buffer.data(), buffer.size());
    if (count < 0 && errno != EINTR) return Failed("read standard input");
    if (count == 0) return absl::OkStatus();
    for (ssize_t done = 0; done < count;) {
      const ssize_t written = write(to, buffer.data() + done, static_cast<size_t>(count - done));
      if (written < 0 && errno != EINTR) return Failed("keep standard input in a file");
      if (written > 0) done += written;
    }
  }
}

}  // namespace

absl::StatusOr<int> CopyToFile(int fd, const StopRequest& stop) {
  std::error_code ignored;
  std::string name = std::filesystem::temp_directory_path(ignored) / "orbweaver-check-XXXXXX";
  const int copy = mkostemp(name.data(), O_CLOEXEC);
  if (copy < 0) return Failed("make " + name);
  unlink(name.c_str());
  absl::Status copied = Copy(fd, copy, stop);
  if (copied.ok()) return copy;
  close(copy);
  return copied;
}

}  // namespace orbweaver
