// Every decoder of common/model on the same bytes. A message that one accepts must be encoded, and
// decoded again, to the same bytes; one that it refuses must be poison.
#include <string>

#include "common/base/check.h"
#include "common/base/status.h"
#include "common/base/utf8.h"
#include "common/model/schema.h"
#include "common/model/scoring_log.h"
#include "common/model/spider_feed.h"
#include "common/model/spider_log.h"
#include "common/model/stats.h"
#include "tests/fuzz/time_bound.h"

namespace orbweaver {
namespace {

// The most memory that a decoder may hold: lists are bounded, so it does not grow with the input
// alone.
constexpr size_t kMaxArenaBytes = size_t{4} << 20;

template <typename Entry>
void Fuzz(std::string_view bytes) {
  Arena arena;
  EncodeBuffer buffer;
  Entry entry;
  const absl::Status status = Decode(bytes, &arena, &entry);
  CHECK(arena.HeldBytes() < kMaxArenaBytes + 4 * bytes.size());
  if (!status.ok()) {
    CHECK(IsPoison(status));
    return;
  }
  const auto encoded = Encode(entry, &buffer);
  CHECK(encoded.ok());
  const std::string once(*encoded);
  Entry again;
  CHECK(Decode(once, &arena, &again).ok());
  const auto twice = Encode(again, &buffer);
  CHECK(twice.ok());
  CHECK(*twice == once);
}

}  // namespace
}  // namespace orbweaver

static void RunOne(const uint8_t* data, size_t size) {
  using namespace orbweaver;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  Fuzz<SpiderLogEntry>(bytes);
  Fuzz<ScoringLogEntry>(bytes);
  Fuzz<SpiderFeedEntry>(bytes);
  Fuzz<WorkerStats>(bytes);
  const absl::Status schema = CheckSchema(bytes);
  CHECK(schema.ok() || IsPoison(schema));
  const std::string_view clamped = ClampUtf8(bytes, size / 2);
  CHECK(!IsValidUtf8(bytes) || IsValidUtf8(clamped));
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return orbweaver::RunWithinTime(data, size, RunOne);
}
