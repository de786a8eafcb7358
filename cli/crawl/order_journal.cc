#include "cli/crawl/order_journal.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <unistd.h>

#include "cli/frontier/message_view.h"

#include "common/base/json.h"
#include "common/base/status.h"

namespace orbweaver {
namespace {

constexpr char kFile[] = "orders.jsonl";
// Thousands of seeds may be given at once; they are kept elsewhere.
constexpr size_t kMostBytes = 500;

}  // namespace

absl::Status Journal(const std::filesystem::path& folder, const JournaledOrder& order) {
  std::string line;
  JsonWriter json(&line);
  json.BeginObject().Key("time").Value(TimeText(order.time)).Key("action").Value(order.action);
  json.Key("parameters").Value(order.parameters.substr(0, kMostBytes));
  json.Key("done").Value(order.is_done);
  json.Key("answer").Value(order.answer.substr(0, kMostBytes)).EndObject();
  line += '\n';
  const std::filesystem::path file = folder / kFile;
  const int fd = open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  // One write, so that lines of two processes do not mix.
  const bool is_written =
      fd >= 0 && write(fd, line.data(), line.size()) == static_cast<ssize_t>(line.size());
  const int error = errno;
  if (fd >= 0) close(fd);
  return is_written ? absl::OkStatus()
                    : FatalError("write {}: {}", file.string(), std::strerror(error));
}

}  // namespace orbweaver
