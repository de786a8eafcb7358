#include "common/url/partition.h"

#include <gtest/gtest.h>

namespace orbweaver {
namespace {

// The partition that a Kafka 3.9 broker got from `kcat -X partitioner=murmur2_random` for a topic
// of 64 partitions, and the hash that the Java client computes of the same key.
struct Golden {
  std::string_view domain;
  uint32_t murmur2;
  int partition_of_64;
};
constexpr Golden kGolden[] = {
    {"a", 2731586172u, 60},
    {"ab", 316155434u, 42},
    {"abc", 479470107u, 27},
    {"localhost", 2777430484u, 20},
    {"intranet", 1049082414u, 46},
    {"com", 1290554430u, 62},
    {"co.uk", 3659159365u, 5},
    {"example.com", 73178361u, 57},
    {"example.org", 3909460385u, 33},
    {"name.co.uk", 2686507122u, 50},
    {"wikipedia.org", 2566327664u, 48},
    {"bbc.co.uk", 402369120u, 32},
    {"foo.github.io", 2791501182u, 62},
    {"some-blog.blogspot.com", 4040073032u, 8},
    {"127.0.0.1", 1937383612u, 60},
    {"10.20.30.40", 1333667655u, 7},
    {"255.255.255.255", 2194457397u, 53},
    {"[::1]", 3929537067u, 43},
    {"[2001:db8::1]", 2050594433u, 1},
    {"[::ffff:102:304]", 544357312u, 0},
    {"xn--bcher-kva.example", 3488665161u, 9},
    {"xn--fiqs8s", 3662921100u, 12},
    {"xn--80ak6aa92e.com", 2756147188u, 52},
    {"b.xn--55qx5d.cn", 4251371972u, 4},
    {"xn--e1afmkfd.xn--p1ai", 813617770u, 42},
    {"x-y_z.net", 4265612724u, 52},
    {"123.com", 3907148216u, 56},
    {"a-label-of-sixty-three-bytes-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.com", 911079636u, 20},
};

TEST(PartitionTest, AKafkaClientPutsADomainOnTheSamePartition) {
  for (const Golden& golden : kGolden) {
    EXPECT_EQ(Murmur2(golden.domain), golden.murmur2) << golden.domain;
    EXPECT_EQ(PartitionOf(SlotOf(golden.domain), 64), PartitionId(golden.partition_of_64))
        << golden.domain;
  }
}

// The values that Kafka's own test of its hash names, as signed integers there.
TEST(PartitionTest, Murmur2IsKafkas) {
  const auto murmur2 = [](std::string_view key) { return static_cast<int32_t>(Murmur2(key)); };
  EXPECT_EQ(murmur2("21"), -973932308);
  EXPECT_EQ(murmur2("foobar"), -790332482);
  EXPECT_EQ(murmur2("a-little-bit-long-string"), -985981536);
  EXPECT_EQ(murmur2("a-little-bit-longer-string"), -1486304829);
  EXPECT_EQ(murmur2("lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8"), -58897971);
  EXPECT_EQ(murmur2("abc"), 479470107);
}

TEST(PartitionTest, MorePartitionsOnlySplitSlots) {
  for (const Golden& golden : kGolden) {
    const Slot slot = SlotOf(golden.domain);
    for (int partitions = 1; partitions < kSlots; partitions *= 2) {
      const int coarse = PartitionOf(slot, partitions).value();
      const int fine = PartitionOf(slot, partitions * 2).value();
      EXPECT_EQ(fine % partitions, coarse);
      // Kafka's own formula, without the slot between.
      EXPECT_EQ(coarse, static_cast<int>((golden.murmur2 & 0x7fffffffu) %
                                         static_cast<uint32_t>(partitions)));
    }
  }
}

TEST(PartitionTest, OnlyPowersOfTwoUpToTheSlotsArePartitionCounts) {
  for (const int64_t count : {1, 2, 64, 4096}) EXPECT_TRUE(IsPartitionCount(count)) << count;
  for (const int64_t count : {0, -1, -64, 3, 12, 4095, 8192}) {
    EXPECT_FALSE(IsPartitionCount(count)) << count;
  }
  EXPECT_FALSE(IsPartitionCount(int64_t{1} << 32));
}

TEST(PartitionTest, RowsOfADomainStartWithSlotAndReversedDomain) {
  // Slot 2162, as the Java client's hash has it.
  EXPECT_EQ(DomainRow("name.co.uk"), "\x08\x72uk.co.name");
  EXPECT_EQ(DomainRow("127.0.0.1"), std::string("\x00\xbc", 2) + "127.0.0.1");
}

}  // namespace
}  // namespace orbweaver
