#include "cli/frontier/url_facts.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "common/store/memory/memory_store.h"
#include "common/url/fingerprint.h"
#include "common/url/partition.h"
#include "db_worker/queue/chunk.h"
#include "db_worker/queue/columns.h"
#include "db_worker/queue/head.h"
#include "tests/support/expect_ok.h"

namespace orbweaver {
namespace {

constexpr Duration kLong = std::chrono::minutes(1);

TEST(UrlFactsTest, ARequestThatWasTakenOutIsNotQueued) {
  const ResolvedUrl url{.url = "http://one.test/a",
                        .domain = "one.test",
                        .fingerprint = FingerprintOf("http://one.test/a")};
  std::string encoded;
  EncodeRequest({.url = url.url, .fingerprint = url.fingerprint}, &encoded);
  ChunkWriter writer;
  writer.Add(encoded);
  const Watermark by{.topic_epoch = 1, .offset = Offset(7)};
  const Chunk chunk = writer.Finish().WithTakenOut({{.place = 0, .by = by}});
  Head head;
  head.applied = by;
  head.bands[2].Append(1, 1);
  MemoryTables tables;
  MemoryStore store{&tables, {}};
  const auto put = [&](uint64_t version) {
    std::string packed;
    EncodeHead(head, &packed);
    const std::string row = DomainRow(url.domain);
    const std::string column = BandColumn(head, 2, 0);
    const std::vector<CellPut> cells{{kHeadColumn, packed}, {column, chunk.bytes()}};
    const RowPut one{row, Version(version), cells};
    std::vector<uint32_t> remaining;
    ASSERT_OK(store.Write(Table::kQueue, {&one, 1}, kLong, &remaining));
  };
  put(1);
  EXPECT_FALSE(ReadUrlFacts(store, url, 1, {})->queued.has_value());
  // Of a head that does not have the message yet it still waits.
  head.applied = {.topic_epoch = 1, .offset = Offset(6)};
  put(2);
  EXPECT_EQ(ReadUrlFacts(store, url, 1, {})->queued->band, 2);
}

}  // namespace
}  // namespace orbweaver
