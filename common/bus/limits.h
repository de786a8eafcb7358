// The limits that every implementation of the bus enforces.
#pragma once

#include "absl/status/status.h"

#include "common/bus/consumer.h"
#include "common/bus/message.h"

namespace orbweaver {

// Fatal when the record is larger than kMaxRecordBytes, or a header has no printable name.
absl::Status CheckRecord(const Record& record);

// Fatal when the metadata is too long or not printable ASCII.
absl::Status CheckCommit(const OffsetCommit& commit);

}  // namespace orbweaver
