#include "db_worker/queue/writer_runs.h"

#include <algorithm>

namespace orbweaver {
namespace {

bool BeginsAfter(uint64_t chunk, const WriterRuns::Run& run) { return chunk < run.begin; }

}  // namespace

void WriterRuns::Append(uint64_t chunk, uint64_t writer) {
  if (runs_.empty() || runs_.back().writer != writer) runs_.push_back({chunk, writer});
}

void WriterRuns::DropBelow(uint64_t chunk) {
  const auto after = std::upper_bound(runs_.begin(), runs_.end(), chunk, BeginsAfter);
  // The one before `after` has `chunk` itself.
  if (after - runs_.begin() > 1) runs_.erase(runs_.begin(), after - 1);
  if (!runs_.empty()) runs_.front().begin = std::max(runs_.front().begin, chunk);
}

uint64_t WriterRuns::WriterOf(uint64_t chunk) const {
  const auto after = std::upper_bound(runs_.begin(), runs_.end(), chunk, BeginsAfter);
  return after == runs_.begin() ? 0 : (after - 1)->writer;
}

}  // namespace orbweaver
