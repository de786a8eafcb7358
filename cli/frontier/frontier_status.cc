#include "cli/frontier/frontier_status.h"

#include <algorithm>
#include <numeric>

#include "common/base/status.h"
#include "common/bus/topics.h"

namespace orbweaver {
namespace {

struct Reader {
  std::string_view group;
  std::string_view topic;
};
constexpr Reader kReaders[] = {{kStrategyWorkerGroup, kSpiderLogTopic},
                               {kDbWorkerGroup, kScoringLogTopic},
                               {kSpiderGroup, kSpiderFeedTopic},
                               {kPagesGroup, kSpiderLogTopic}};

absl::StatusOr<std::optional<ReadTopic>> LookAtReader(const Frontier& frontier,
                                                      OffsetReader& offsets, const Reader& reader,
                                                      std::span<const PartitionId> partitions) {
  // The group's offset first: read the other way round, a lag could be below nothing.
  ASSIGN_OR_RETURN(const auto committed,
                   offsets.Committed(reader.group, reader.topic, partitions, kLookTimeout));
  ASSIGN_OR_RETURN(const auto bounds, offsets.Bounds(reader.topic, partitions, kLookTimeout));
  ASSIGN_OR_RETURN(const auto members, frontier.Members(reader.group, reader.topic));
  ReadTopic read{.group = reader.group, .topic = reader.topic, .members = members.size()};
  bool is_used = !members.empty();
  for (size_t i = 0; i < partitions.size(); ++i) {
    ReadPartition& partition = read.partitions.emplace_back();
    partition.end = bounds[i].end.value();
    partition.committed = bounds[i].start.value();
    if (committed[i].has_value()) {
      is_used = true;
      partition.committed = std::min(committed[i]->offset.value(), partition.end);
    }
  }
  for (const GroupMember& member : members) {
    for (const PartitionId partition : member.partitions) {
      const auto index = static_cast<size_t>(partition.value());
      if (index < read.partitions.size()) read.partitions[index].owner = member.name;
    }
  }
  // A crawl without the role `pages`, for example.
  if (!is_used && reader.group == kPagesGroup) return std::nullopt;
  return read;
}

}  // namespace

int64_t ReadTopic::lag() const {
  int64_t lag = 0;
  for (const ReadPartition& partition : partitions) lag += partition.lag();
  return lag;
}

MessageRates RatesOf(const FrontierStatus& before, const FrontierStatus& now,
                     const ReadTopic& read) {
  const double seconds = std::chrono::duration<double>(now.at - before.at).count();
  const auto earlier =
      std::find_if(before.reads.begin(), before.reads.end(),
                   [&read](const ReadTopic& other) { return other.group == read.group; });
  if (seconds <= 0 || earlier == before.reads.end()) return {};
  int64_t in = 0, out = 0;
  const size_t count = std::min(read.partitions.size(), earlier->partitions.size());
  for (size_t i = 0; i < count; ++i) {
    in += read.partitions[i].end - earlier->partitions[i].end;
    out += read.partitions[i].committed - earlier->partitions[i].committed;
  }
  return {.in = static_cast<double>(in) / seconds, .out = static_cast<double>(out) / seconds};
}

PartitionReport SumOf(const QueueSample& queue) {
  PartitionReport sum;
  for (const PartitionReport& report : queue.partitions) {
    for (int band = 0; band < kBands; ++band) sum.waiting[band] += report.waiting[band];
    sum.delayed += report.delayed;
    sum.domains += report.domains;
    sum.ready += report.ready;
    sum.paced += report.paced;
    sum.blocked += report.blocked;
    const bool is_older =
        report.oldest != WallTime() && (sum.oldest == WallTime() || report.oldest < sum.oldest);
    if (is_older) sum.oldest = report.oldest;
  }
  return sum;
}

uint64_t WaitingIn(const PartitionReport& report) {
  return std::accumulate(report.waiting.begin(), report.waiting.end(), uint64_t{0});
}

absl::StatusOr<FrontierStatus> LookAtLogs(const Frontier& frontier) {
  FrontierStatus status{.at = SystemClock().Now(), .time = SystemClock().Wall()};
  status.knows_members = frontier.KnowsMembers();
  ASSIGN_OR_RETURN(const int count, frontier.Partitions());
  std::vector<PartitionId> partitions;
  for (int i = 0; i < count; ++i) partitions.emplace_back(i);
  ASSIGN_OR_RETURN(const auto offsets, frontier.bus().NewOffsetReader());
  for (const Reader& reader : kReaders) {
    ASSIGN_OR_RETURN(auto read, LookAtReader(frontier, *offsets, reader, partitions));
    if (read.has_value()) status.reads.push_back(*std::move(read));
  }
  const PartitionId first(0);
  ASSIGN_OR_RETURN(const auto dead, offsets->Bounds(kDeadLetterTopic, {&first, 1}, kLookTimeout));
  status.dead_letters = dead[0].end - dead[0].start;
  return status;
}

absl::StatusOr<FrontierStatus> LookAt(const Frontier& frontier, uint64_t max_domains) {
  ASSIGN_OR_RETURN(FrontierStatus status, LookAtLogs(frontier));
  ASSIGN_OR_RETURN(const int partitions, frontier.Partitions());
  ASSIGN_OR_RETURN(status.queue, SampleQueue(frontier.store(), partitions, max_domains, status.time,
                                             kLookTimeout));
  return status;
}

}  // namespace orbweaver
