// Reads heads of domains that the index has forgotten.
#pragma once

#include <span>
#include <string>

#include "absl/status/status.h"

#include "db_worker/parts.h"

namespace orbweaver {

// Those of `domains` that have a row are in the index afterwards. Fatal when a head cannot be
// decoded: what its domain holds is then not known. As CheckHeadVersion when it is another's.
absl::Status LoadHeads(const WorkerParts& parts, Partition& partition,
                       std::span<const std::string> domains);

}  // namespace orbweaver
