// The queue's cells in the store, decoded from any bytes: accepted ones must come back the same,
// refused ones must be poison.
#include <algorithm>
#include <string>

#include "common/base/check.h"
#include "common/base/status.h"
#include "db_worker/queue/chunk.h"
#include "db_worker/queue/head.h"
#include "tests/fuzz/time_bound.h"

namespace orbweaver {
namespace {

void FuzzHead(std::string_view bytes) {
  Head head;
  const absl::Status decoded = DecodeHead(bytes, &head);
  if (!decoded.ok()) {
    CHECK(IsPoison(decoded));
    return;
  }
  std::string encoded;
  EncodeHead(head, &encoded);
  Head again;
  CHECK_OK(DecodeHead(encoded, &again));
  CHECK(again == head);
  // These calls must not break on any head.
  head.garbage_chunks();
  head.Purge();
  CHECK(head.empty());
}

void FuzzRequest(std::string_view bytes) {
  Arena arena;
  ScheduledRequest request;
  const absl::Status decoded = DecodeRequest(bytes, &arena, &request);
  if (!decoded.ok()) {
    CHECK(IsPoison(decoded));
    return;
  }
  std::string encoded;
  EncodeRequest(request, &encoded);
  ScheduledRequest again;
  CHECK_OK(DecodeRequest(encoded, &arena, &again));
  CHECK(again.url == request.url && again.meta.size() == request.meta.size());
}

void FuzzChunk(std::string_view bytes) {
  const auto chunk = Chunk::Parse(std::string(bytes));
  if (!chunk.ok()) {
    CHECK(IsPoison(chunk.status()));
    return;
  }
  ChunkWriter writer;
  for (uint32_t i = 0; i < chunk->size(); ++i) {
    FuzzRequest((*chunk)[i]);
    CHECK(writer.Fits((*chunk)[i].size()));
    writer.Add((*chunk)[i]);
  }
  const auto taken_out = chunk->taken_out();
  const Chunk again = writer.Finish().WithTakenOut({taken_out.begin(), taken_out.end()});
  // Numbers of what was taken out may be written longer than they need to be.
  CHECK(taken_out.empty() ? again.bytes() == bytes : again.bytes().size() <= bytes.size());
  const auto read = Chunk::Parse(again.bytes());
  CHECK_OK(read.status());
  const auto same = [](const Chunk::TakenOut& a, const Chunk::TakenOut& b) {
    return a.place == b.place && a.by == b.by;
  };
  CHECK(std::ranges::equal(read->taken_out(), taken_out, same));
}

}  // namespace
}  // namespace orbweaver

static void RunOne(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  orbweaver::FuzzHead(bytes);
  orbweaver::FuzzChunk(bytes);
  orbweaver::FuzzRequest(bytes);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return orbweaver::RunWithinTime(data, size, RunOne);
}
