// A configuration of any bytes is loaded or refused with one short line, and what was loaded is
// shown as a file that loads to the same.
#include <cstdint>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

#include "common/base/check.h"
#include "common/base/status.h"
#include "common/config/load.h"
#include "common/config/mask.h"
#include "common/config/render.h"
#include "tests/fuzz/time_bound.h"

namespace orbweaver::config {
namespace {

enum class Colour { kRed, kBlue };

struct Values {
  bool truth = false;
  int bounded = 5;
  double number = 0.5;
  std::chrono::milliseconds wait{10};
  uint64_t bytes = 4096;
  std::string text;
  Colour colour = Colour::kRed;
  std::vector<std::string> list;
  std::map<std::string, std::string> map;
};

void Declare(Schema& schema, Values* values) {
  schema.Add("a.truth", &values->truth, {.doc = "d"});
  schema.Add("a.bounded", &values->bounded, {.min = -9, .max = 9, .doc = "d"});
  schema.Add("a.number", &values->number, {.doc = "d"});
  schema.Add("a.b.wait", &values->wait, {.doc = "d"});
  schema.AddBytes("a.b.bytes", &values->bytes, {.doc = "d"});
  schema.Add("c.text", &values->text, {.doc = "d"});
  schema.AddChoice("c.colour", &values->colour, {{"red", Colour::kRed}, {"blue", Colour::kBlue}},
                   {.doc = "d"});
  schema.Add("c.list", &values->list, {.doc = "d"});
  schema.Add("c.map", &values->map, {.doc = "d"});
}

// A file in memory, under a path.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view text) : fd_(memfd_create("config", MFD_CLOEXEC)) {
    CHECK(fd_ >= 0);
    CHECK(write(fd_, text.data(), text.size()) == static_cast<ssize_t>(text.size()));
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile() { close(fd_); }

  std::string path() const { return "/proc/self/fd/" + std::to_string(fd_); }

 private:
  const int fd_;
};

// The effective values, the sources left out.
std::string Shown(const Schema& schema) {
  std::string out;
  for (const Option& option : schema.options()) {
    for (const Option::Entry& entry : option.get()) {
      out += option.name + '\0' + entry.key + '\0' + entry.text + '\0';
    }
  }
  return out;
}

// Nothing when it is refused.
std::optional<std::string> Reloaded(const std::string& yaml) {
  const MemoryFile file(yaml);
  Values values;
  Schema schema;
  Declare(schema, &values);
  if (!Load({.file = file.path()}, &schema).ok()) return std::nullopt;
  return Shown(schema);
}

void Run(std::string_view data) {
  if (data.empty()) return;
  const std::string text(data.substr(1));
  const MemoryFile file(data[0] == 'f' ? text : "");
  Inputs inputs;
  if (data[0] == 'f') inputs.file = file.path();
  if (data[0] == 'e') inputs.environment = {"ORBWEAVER_" + text};
  if (data[0] == 's') inputs.sets = {text};

  Values values;
  Schema schema;
  Declare(schema, &values);
  if (const absl::Status status = Load(inputs, &schema); !status.ok()) {
    CHECK(IsFatal(status));
    CHECK(MessageOf(status).size() < 1000);
    CHECK(MessageOf(status).find('\n') == std::string_view::npos);
    return;
  }
  // A variable or an argument may hold bytes that are not UTF-8, which YAML cannot show.
  if (data[0] != 'f') return;
  // A kept configuration loads as the same values; so does a shown one, but for masked values.
  const std::string kept = ConfiguredYaml(schema, [](std::string_view) { return true; });
  CHECK(Reloaded(kept) == Shown(schema));
  const std::string shown = EffectiveYaml(schema);
  const std::optional<std::string> seen = Reloaded(shown);
  CHECK(seen == Shown(schema) || (!seen.has_value() && shown.find(kMask) != std::string::npos));
}

}  // namespace
}  // namespace orbweaver::config

static void RunOne(const uint8_t* data, size_t size) {
  orbweaver::config::Run({reinterpret_cast<const char*>(data), size});
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return orbweaver::RunWithinTime(data, size, RunOne);
}
