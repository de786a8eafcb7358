#include "tests/support/many_domains.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "fmt/format.h"

#include "common/base/random.h"
#include "common/base/status.h"
#include "common/url/partition.h"
#include "db_worker/queue/columns.h"
#include "strategy_worker/states/block.h"
#include "strategy_worker/states/domain_record.h"
#include "strategy_worker/states/link_set.h"
#include "strategy_worker/states/packed_link.h"
#include "strategy_worker/states/shard.h"

namespace orbweaver {
namespace {

constexpr uint64_t kBatch = 1000;
constexpr uint64_t kUrls = 20;
constexpr size_t kChunkBytes = 1000;
constexpr Duration kTimeout = std::chrono::minutes(1);

struct DomainBytes {
  std::string row, record_row, record, head, chunk_column, chunk;
};

// The states of its URLs, one of which was fetched.
std::string StatesOf(Random& random) {
  LinkSet links;
  for (uint64_t url = 0; url < kUrls; ++url) {
    LinkState state{.status = LinkStatus::kQueued, .depth = 1};
    if (url == 0) state = {.status = LinkStatus::kCrawled, .fetches = 1, .http_status = 200};
    links.Put(random(), LinkPacker().Pack(state));
  }
  std::string block;
  EncodeBase(links, /*purges=*/0, &block);
  return block;
}

// Like a chunk of requests: half of it does not compress.
std::string Noise(Random& random, size_t bytes) {
  std::string noise;
  while (noise.size() < bytes) noise += fmt::format("{:016x}-http://", random());
  noise.resize(bytes);
  return noise;
}

DomainBytes BytesOf(uint64_t i, Random& random) {
  DomainBytes bytes;
  bytes.row = DomainRow(ManyDomainsName(i));
  bytes.record_row = ShardRow(bytes.row, 0);
  const DomainRecord record{.fetched = random.Below(1000),
                            .scheduled = random.Below(2000),
                            .failed = random.Below(10),
                            .known_urls = kUrls,
                            .robots_status = 200,
                            .strategy_name = "breadth_first",
                            .strategy_data = std::string(16, 'x')};
  bytes.record = EncodeDomainRecord(record) + StatesOf(random);
  Head head;
  const auto band = static_cast<int>(random.Below(kBands));
  head.bands[static_cast<size_t>(band)].Append(10, 1);
  head.bands[static_cast<size_t>(band)].waiting = 1 + random.Below(10);
  EncodeHead(head, &bytes.head);
  bytes.chunk_column = BandColumn(head, band, 0);
  bytes.chunk = Noise(random, kChunkBytes);
  return bytes;
}

}  // namespace

std::string ManyDomainsName(uint64_t i) { return fmt::format("site-{}.example", i * 7919); }

absl::Status PutManyDomains(Store& store, uint64_t count) {
  Random random(1);
  std::vector<DomainBytes> bytes(kBatch);
  std::vector<std::array<CellPut, 3>> cells(kBatch);
  std::vector<RowPut> records, queues;
  std::vector<uint32_t> remaining;
  for (uint64_t first = 0; first < count; first += kBatch) {
    records.clear();
    queues.clear();
    for (size_t i = 0; i < std::min(kBatch, count - first); ++i) {
      bytes[i] = BytesOf(first + i, random);
      cells[i] = {CellPut{kRecordColumn, bytes[i].record}, CellPut{kHeadColumn, bytes[i].head},
                  CellPut{bytes[i].chunk_column, bytes[i].chunk}};
      records.push_back({bytes[i].record_row, Version(1), {&cells[i][0], 1}});
      queues.push_back({bytes[i].row, Version(1), {&cells[i][1], 2}});
    }
    RETURN_IF_ERROR(store.Write(Table::kDomains, records, kTimeout, &remaining));
    RETURN_IF_ERROR(store.Write(Table::kQueue, queues, kTimeout, &remaining));
  }
  return absl::OkStatus();
}

}  // namespace orbweaver
