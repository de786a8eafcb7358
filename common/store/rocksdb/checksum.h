// The checksum in RocksDB's log and files, by the processor's own instruction.
#pragma once

#include <cstddef>
#include <cstdint>

// RocksDB has it too, but Debian builds its library for processors that have no such instruction:
// with tables in memory it was a twentieth of a crawl. The library calls it as an exported
// function, so that a program's own definition takes its place, as with malloc.
namespace rocksdb::crc32c {

// CRC-32C of the bytes behind `crc` and then `data`. Thread-safe.
[[gnu::visibility("default")]] uint32_t Extend(uint32_t crc, const char* data, size_t size);

}  // namespace rocksdb::crc32c

namespace orbweaver {

// Whether Extend computes the standard's checksum. Code that opens a database asks first: nobody
// could read blocks with another checksum.
bool IsChecksumRight();

}  // namespace orbweaver
