// The names of a queue row's columns.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "db_worker/queue/head.h"

namespace orbweaver {

// Sorts before the others, so that a scan for heads reads nothing else.
inline constexpr std::string_view kHeadColumn = "h";

// `q`, band, number, writer: of a chunk that `head` has.
std::string BandColumn(const Head& head, int band, uint64_t chunk);
// `t`, start and level of the due time, the bucket's id and writer, number.
std::string DelayedColumn(const DelayedBucket& bucket, uint32_t chunk);

}  // namespace orbweaver
