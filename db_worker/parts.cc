#include "db_worker/parts.h"

#include "absl/strings/escaping.h"

#include "common/base/log.h"
#include "common/base/status.h"
#include "common/base/text.h"
#include "common/protocol/log_witness.h"

namespace orbweaver {

absl::Status CheckOwnerOf(const WorkerParts& parts, const Partition& partition) {
  return parts.feed.CheckStillOwner({&partition.id, 1}, parts.timeout());
}

absl::Status CheckHeadVersion(const WorkerParts& parts, const Partition& partition,
                              std::string_view domain, Version version) {
  const Version highest = partition.versions.Highest();
  if (version <= highest) return absl::OkStatus();
  RETURN_IF_ERROR(CheckOwnerOf(parts, partition));
  return FatalError(
      "read the queue of {}: its head has version {}, this worker's are at most {}, and nobody "
      "came later. {}",
      domain, version, highest, kForeignLogHint);
}

void ReportDamage(const WorkerParts& parts, const Partition& partition, DomainId domain,
                  std::string_view column, std::string_view bytes, const absl::Status& cause) {
  const std::string_view name = partition.index.DomainOf(domain);
  const std::string column_hex = absl::BytesToHexString(ToAbsl(column));
  Log(LogLevel::kError, "queue",
      "read the queue of {}: column {}: {}. Its requests are lost unless the store can be restored",
      name, column_hex, MessageOf(cause));
  parts.metrics.damaged_chunks.Increment();
  if (bytes.empty()) return;
  const Message message{.partition = partition.id,
                        .offset = Offset(0),
                        .time = parts.time.Now(),
                        .key = name,
                        .value = bytes,
                        .headers = {}};
  const absl::Status buried = parts.scoring_log.dead_letters().Bury(
      "queue:" + column_hex, message, MessageOf(cause), parts.timeout());
  if (!buried.ok()) Log(LogLevel::kError, "queue", "keep it: {}", MessageOf(buried));
}

}  // namespace orbweaver
