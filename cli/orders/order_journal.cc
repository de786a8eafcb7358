#include "cli/orders/order_journal.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <pwd.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include "absl/cleanup/cleanup.h"
#include "cli/frontier/message_view.h"
#include "cli/message.h"
#include "fmt/format.h"

#include "common/base/json.h"
#include "common/base/status.h"
#include "common/parquet/json_text.h"
#include "common/parquet/json_values.h"

namespace orbweaver {
namespace {

constexpr char kFile[] = "orders.jsonl";
// Thousands of seeds may be given at once; they are kept elsewhere.
constexpr size_t kMostBytes = 500;
constexpr off_t kMostRead = off_t{1} << 20;

// The beginning of a form; no escape is cut in two.
std::string_view Beginning(std::string_view form) {
  if (form.size() <= kMostBytes) return form;
  form = form.substr(0, kMostBytes);
  const size_t percent = form.rfind('%');
  if (percent != form.npos && percent + 3 > form.size()) form = form.substr(0, percent);
  return form;
}

// An object whose values are texts and truth values, as Journal writes it.
bool Parse(std::string_view line, KeptOrder* order) {
  parquet::JsonText json(line);
  bool is_good = json.Take('{');
  bool has_time = false;
  for (bool first = true; is_good && json.More('}', first, &is_good); first = false) {
    std::string name_room, value_room;
    std::string_view name, value;
    is_good = json.TakeString(&name_room, &name) && json.Take(':');
    if (!is_good) return false;
    if (name == "done") {
      order->is_done = json.TakeWord("true");
      if (!order->is_done && !json.TakeWord("false")) return false;
      continue;
    }
    if (!json.TakeString(&value_room, &value)) return false;
    if (name == "time") has_time = parquet::ParseTime(value, &order->time_ms);
    if (name == "action") order->action = value;
    if (name == "by") order->by = value;
    if (name == "from") order->from = value;
    if (name == "answer") order->answer = value;
    if (name == "parameters") {
      auto params = ParseForm(value);
      if (params.ok()) order->parameters = *std::move(params);
    }
  }
  return is_good && json.AtEnd() && has_time;
}

absl::Status Failed(std::string_view action, const std::filesystem::path& file) {
  return FatalError("{} {}: {}", action, file.string(), std::strerror(errno));
}

}  // namespace

std::filesystem::path JournalFile(const ConsoleOptions& options,
                                  const std::optional<std::filesystem::path>& folder) {
  if (folder.has_value()) return *folder / kFile;
  if (!options.journal.empty()) return options.journal;
  const char* const state = std::getenv("XDG_STATE_HOME");
  const char* const home = std::getenv("HOME");
  std::filesystem::path base = state != nullptr && *state == '/' ? state : "";
  if (base.empty()) base = std::filesystem::path(home == nullptr ? "/" : home) / ".local/state";
  return base / "orbweaver" / kFile;
}

absl::Status Journal(const std::filesystem::path& file, const JournaledOrder& order) {
  std::string line;
  JsonWriter json(&line);
  json.BeginObject().Key("time").Value(TimeText(order.time)).Key("action").Value(order.action);
  json.Key("parameters").Value(Beginning(order.parameters));
  json.Key("by").Value(order.by).Key("from").Value(order.from);
  json.Key("done").Value(order.is_done);
  json.Key("answer").Value(order.answer.substr(0, kMostBytes)).EndObject();
  line += '\n';
  std::error_code unmade;  // opening says it better
  std::filesystem::create_directories(file.parent_path(), unmade);
  const int fd = open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (fd < 0) return Failed("write", file);
  const absl::Cleanup closed = [fd] { close(fd); };
  // One write, so that lines of two processes do not mix.
  const bool is_written = write(fd, line.data(), line.size()) == static_cast<ssize_t>(line.size());
  return is_written ? absl::OkStatus() : Failed("write", file);
}

absl::StatusOr<std::vector<KeptOrder>> ReadJournal(const std::filesystem::path& file,
                                                   size_t limit) {
  std::vector<KeptOrder> orders;
  const int fd = open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0 && errno == ENOENT) return orders;
  if (fd < 0) return Failed("read", file);
  const absl::Cleanup closed = [fd] { close(fd); };
  const off_t end = lseek(fd, 0, SEEK_END);
  if (end < 0) return Failed("read", file);
  const off_t begin = std::max<off_t>(0, end - kMostRead);
  std::string text(static_cast<size_t>(end - begin), '\0');
  const ssize_t got = pread(fd, text.data(), text.size(), begin);
  if (got < 0) return Failed("read", file);
  text.resize(static_cast<size_t>(got));
  std::string_view rest = text;
  while (!rest.empty() && orders.size() < limit) {
    if (rest.ends_with('\n')) rest.remove_suffix(1);
    const size_t newline = rest.rfind('\n');
    // The first line may be the end of one only, which is none.
    const std::string_view line = rest.substr(newline == rest.npos ? 0 : newline + 1);
    rest = rest.substr(0, newline == rest.npos ? 0 : newline + 1);
    KeptOrder order;
    if (Parse(line, &order)) orders.push_back(std::move(order));
  }
  return orders;
}

void KeepOrderOfCommand(const ConsoleOptions& options,
                        const std::optional<std::filesystem::path>& folder, std::string_view action,
                        const FormParams& parameters, const absl::StatusOr<std::string>& answer) {
  const std::string form = EncodeForm(parameters);
  const std::string by = UserOfProcess();
  const absl::Status kept =
      Journal(JournalFile(options, folder),
              {.time = SystemClock().Wall(),
               .action = action,
               .parameters = form,
               .by = by,
               .is_done = answer.ok(),
               .answer = answer.ok() ? std::string_view(*answer) : MessageOf(answer.status())});
  if (!kept.ok()) {
    PrintError(
        "The journal of orders does not have this one: {}. console.journal names its file.\n",
        MessageOf(kept));
  }
}

std::string UserOfProcess() {
  passwd entry{};
  passwd* found = nullptr;
  std::string room(4096, '\0');
  const uid_t user = getuid();
  if (getpwuid_r(user, &entry, room.data(), room.size(), &found) == 0 && found != nullptr) {
    return fmt::format("user {}", entry.pw_name);
  }
  return fmt::format("user {}", user);
}

}  // namespace orbweaver
