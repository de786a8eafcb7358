// The two decoders of the strategy worker's rows, by the first byte: 'b' a block of link states,
// 'r' a domain's record. A row that one accepts is written again to the same bytes; one that it
// refuses is poison.
#include <string>
#include <string_view>
#include <vector>

#include "common/base/check.h"
#include "common/base/status.h"
#include "strategy_worker/states/block.h"
#include "strategy_worker/states/domain_record.h"
#include "tests/fuzz/time_bound.h"

namespace orbweaver {
namespace {

// Of the memory that a block's entries take, beside a multiple of its bytes.
constexpr size_t kLeastBytes = 4096;

void FuzzBlock(std::string_view bytes) {
  LinkSet links;
  const auto head = DecodeHead(bytes);
  const uint64_t purges = head.ok() ? head->purges : 0;
  const absl::Status status = DecodeEntries(bytes, purges, &links);
  CHECK(links.HeapBytes() <= kLeastBytes + 8 * bytes.size());
  if (!status.ok()) {
    CHECK(IsPoison(status) && (head.ok() || IsPoison(head.status())));
    return;
  }
  CHECK_OK(head.status());
  std::vector<ChangedLink> changed;
  links.ForEach([&](uint64_t key, const PackedLink& packed) {
    LinkState state;
    Unpack(packed, &state);
    changed.push_back({key, packed.word});
  });
  std::string again;
  EncodeDelta(links, head->before.value_or(Version(0)), purges, changed, &again);
  CHECK(again == bytes);
}

void FuzzRecord(std::string_view bytes) {
  DomainRecord record;
  std::string_view states;
  const absl::Status status = DecodeRecordCell(bytes, &record, &states);
  if (!status.ok()) {
    CHECK(IsPoison(status));
    return;
  }
  CHECK(EncodeDomainRecord(record) + std::string(states) == bytes);
  FuzzBlock(states);
}

}  // namespace
}  // namespace orbweaver

static void RunOne(const uint8_t* data, size_t size) {
  if (size == 0) return;
  // A copy of its own, so that a read past the end is seen.
  const std::string bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] == 'b') orbweaver::FuzzBlock(bytes);
  if (data[0] == 'r') orbweaver::FuzzRecord(bytes);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return orbweaver::RunWithinTime(data, size, RunOne);
}
