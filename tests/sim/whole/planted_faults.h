// Which of the faults that stand in the workers on purpose is on: only in programs that have those
// sources compiled with ORBWEAVER_PLANTED_FAULTS (CMakeLists.txt).
#pragma once

#include <optional>
#include <string_view>

#include "common/base/planted_fault.h"

namespace orbweaver::sim {

// From now on; kNone: none.
void Plant(PlantedFault fault);

std::string_view NameOf(PlantedFault fault);
// Nothing for an unknown name.
std::optional<PlantedFault> PlantedFaultOf(std::string_view name);

}  // namespace orbweaver::sim
