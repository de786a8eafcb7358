#include "tests/sim/whole/planted_faults.h"

#include <array>

namespace orbweaver::sim {
namespace {

constexpr std::array<std::string_view, static_cast<size_t>(PlantedFault::kCount)> kNames = {
    "none",
    "no-outbox",
    "no-scoring-markers",
    "no-feed-markers",
    "no-owner-check",
    "no-versions",
    "no-manifest",
    "no-source-watermark",
    "no-read-back",
    "commit-first",
    "no-acks-awaited",
    "checkpoint-first",
    "watermark-off-by-one",
    "chunk-erased-early",
    "delay-forgotten",
    "deferred-dropped",
    "cap-off-by-one",
    "order-adds",
    "unfenced-commits"};

}  // namespace

std::string_view NameOf(PlantedFault fault) { return kNames[static_cast<size_t>(fault)]; }

std::optional<PlantedFault> PlantedFaultOf(std::string_view name) {
  for (size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == name) return static_cast<PlantedFault>(i);
  }
  return std::nullopt;
}

}  // namespace orbweaver::sim
