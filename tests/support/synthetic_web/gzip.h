// Content-Encoding: gzip, good and bad.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace orbweaver::synthetic {

// Replaces `out`.
void Gzip(std::string_view content, std::string* out);

// Breaks a gzip file so that no decoder gets a byte out of it: the first block is of a type that
// does not exist.
void BreakGzip(std::string* gzipped);

// Zeros, `unpacked_bytes` of them rounded up to a megabyte, in about a thousandth of that.
std::string GzipBomb(uint64_t unpacked_bytes);

}  // namespace orbweaver::synthetic
