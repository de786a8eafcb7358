#include "common/store/rocksdb/checksum.h"

#include <dlfcn.h>
#include <string>

#include <gtest/gtest.h>

namespace orbweaver {
namespace {

using rocksdb::crc32c::Extend;

// RFC 3720, appendix B.4.
TEST(ChecksumTest, IsThatOfTheStandard) {
  EXPECT_TRUE(IsChecksumRight());
  const std::string zeros(32, '\0'), ones(32, '\xff');
  EXPECT_EQ(Extend(0, zeros.data(), zeros.size()), 0x8a9136aau);
  EXPECT_EQ(Extend(0, ones.data(), ones.size()), 0x62a8ab43u);
}

TEST(ChecksumTest, GoesOnWhereItStopped) {
  std::string bytes;
  for (int i = 0; i < 5000; ++i) bytes.push_back(static_cast<char>(i * 7));
  const uint32_t whole = Extend(0, bytes.data(), bytes.size());
  for (const size_t cut : {size_t{0}, size_t{1}, size_t{8}, size_t{1023}, bytes.size()}) {
    const uint32_t first = Extend(0, bytes.data(), cut);
    EXPECT_EQ(Extend(first, bytes.data() + cut, bytes.size() - cut), whole) << cut;
  }
}

// Otherwise RocksDB goes on with its tables, and nobody notices but who pays for the processor.
TEST(ChecksumTest, IsWhatRocksdbCalls) {
  const void* const called = dlsym(RTLD_DEFAULT, "_ZN7rocksdb6crc32c6ExtendEjPKcm");
  EXPECT_EQ(called, reinterpret_cast<const void*>(&Extend));
}

}  // namespace
}  // namespace orbweaver
