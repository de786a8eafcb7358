#include "common/bus/limits.h"

#include <algorithm>
#include <string_view>

#include "common/base/status.h"

namespace orbweaver {
namespace {

bool Printable(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

}  // namespace

absl::Status CheckRecord(const Record& record) {
  size_t bytes = record.key.size() + record.value.size();
  for (const Header& header : record.headers) {
    if (header.name.empty() || !Printable(header.name)) {
      return FatalError("send to {} partition {}: a header's name is empty or not printable",
                        record.topic, record.partition);
    }
    bytes += header.name.size() + header.value.size();
  }
  if (bytes > kMaxRecordBytes) {
    return FatalError("send to {} partition {}: {} bytes, at most {} are allowed", record.topic,
                      record.partition, bytes, kMaxRecordBytes);
  }
  return absl::OkStatus();
}

absl::Status CheckCommit(const OffsetCommit& commit) {
  if (commit.metadata.size() <= kMaxCommitMetadataBytes && Printable(commit.metadata)) {
    return absl::OkStatus();
  }
  return FatalError("commit partition {}: metadata must be printable ASCII of at most {} bytes",
                    commit.partition, kMaxCommitMetadataBytes);
}

}  // namespace orbweaver
