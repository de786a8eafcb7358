#include "lab/recording/recording_stats.h"

#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "absl/functional/function_ref.h"

#include "common/base/status.h"
#include "common/url/fingerprint.h"
#include "lab/recording/recorded_file_reader.h"
#include "lab/recording/topic_columns.h"

namespace orbweaver::lab {
namespace {

using parquet::Cell;
using parquet::Node;

// The cells of a column that are there; none for a column that the topic has not.
absl::Status ForEach(parquet::ParquetReader& parquet, const Node* leaf,
                     absl::FunctionRef<void(const Cell&)> visit) {
  if (leaf == nullptr) return absl::OkStatus();
  for (size_t group = 0; group < parquet.meta().groups.size(); ++group) {
    const auto column = parquet.Column(group, *leaf);
    while (true) {
      ASSIGN_OR_RETURN(const Cell* const cell, column->Peek());
      if (cell == nullptr) break;
      if (cell->definition == leaf->definition) visit(*cell);
      column->Pop();
    }
  }
  return absl::OkStatus();
}

// The leaf at `path`, a column and perhaps a field of its elements.
const Node* Leaf(const parquet::Schema& schema, std::string_view column, std::string_view field) {
  size_t next = 0;
  int index = schema.Child(schema.root(), column, &next);
  if (index < 0) return nullptr;
  if (!field.empty()) {
    if (schema.node(index).type != parquet::Type::kList) return nullptr;
    next = 0;
    index = schema.Child(schema.node(schema.node(index).children[0]), field, &next);
  }
  return index < 0 || schema.node(index).leaf < 0 ? nullptr : &schema.node(index);
}

bool IsOfRecord(const std::string& column) {
  const std::string_view kColumns[] = {kPartitionColumn, kOffsetColumn, kTimestampColumn,
                                       kKeyColumn,       kValueColumn,  kHeadersColumn};
  return std::ranges::find(kColumns, column) != std::end(kColumns);
}

using Domains = absl::flat_hash_set<uint64_t>;

absl::Status Add(const Recording& recording, const RecordedFile& file, TopicStats* stats,
                 Domains* domains) {
  ASSIGN_OR_RETURN(const auto reader,
                   RecordedFileReader::Open(recording.path(), recording.manifest().id, file));
  parquet::ParquetReader& parquet = reader->parquet();
  TopicStats of_file;
  Domains its_domains;
  RETURN_IF_ERROR(ForEach(parquet, Leaf(parquet.schema(), kEventColumn, ""),
                          [&](const Cell& cell) { ++of_file.events[std::string(cell.bytes)]; }));
  RETURN_IF_ERROR(
      ForEach(parquet, Leaf(parquet.schema(), kDomainColumn, ""),
              [&](const Cell& cell) { its_domains.insert(FingerprintOf(cell.bytes).low); }));
  RETURN_IF_ERROR(ForEach(parquet, Leaf(parquet.schema(), "links", "kind"),
                          [&](const Cell&) { ++of_file.links; }));
  for (const parquet::RowGroupMeta& group : parquet.meta().groups) {
    for (const parquet::ChunkMeta& chunk : group.chunks) {
      if (IsOfRecord(chunk.path[0])) {
        stats->record_bytes += static_cast<uint64_t>(chunk.compressed_bytes);
      }
    }
  }
  for (const auto& [event, count] : of_file.events) stats->events[event] += count;
  domains->insert(its_domains.begin(), its_domains.end());
  stats->links += of_file.links;
  if (stats->files++ == 0) {
    stats->first_time = file.first_time;
    stats->last_time = file.last_time;
  }
  stats->records += file.records;
  stats->raw_bytes += file.raw_bytes;
  stats->bytes += file.bytes;
  stats->first_time = std::min(stats->first_time, file.first_time);
  stats->last_time = std::max(stats->last_time, file.last_time);
  return absl::OkStatus();
}

}  // namespace

double TopicStats::LinksAPage() const {
  const auto pages = events.find("page_fetched");
  return pages == events.end() ? 0
                               : static_cast<double>(links) / static_cast<double>(pages->second);
}

absl::StatusOr<RecordingStats> StatsOf(const Recording& recording, bool skip_damaged) {
  RecordingStats stats;
  std::map<std::string, Domains> domains;
  for (const std::string& topic : recording.manifest().Topics()) stats.topics[topic];
  for (const RecordedFile& file : recording.manifest().files) {
    const std::string& topic = file.range.topic;
    absl::Status added = Add(recording, file, &stats.topics[topic], &domains[topic]);
    if (added.ok()) continue;
    if (!skip_damaged || !IsPoison(added)) return added;
    ++stats.left_out.files;
    stats.left_out.records += file.records;
    stats.left_out.why.emplace_back(MessageOf(added));
  }
  for (auto& [topic, of_topic] : stats.topics) of_topic.domains = domains[topic].size();
  return stats;
}

}  // namespace orbweaver::lab
