#include "cli/frontier/frontier_status.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>

#include "fmt/format.h"

#include "common/base/json.h"
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

// Messages a second, over all partitions.
struct Rates {
  double in = 0;
  double out = 0;
};

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

Rates RatesOf(const FrontierStatus& before, const FrontierStatus& now, const ReadTopic& read) {
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

int64_t LagOf(const ReadTopic& read) {
  int64_t lag = 0;
  for (const ReadPartition& partition : read.partitions) lag += partition.lag();
  return lag;
}

PartitionReport Sum(const QueueSample& queue) {
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

// Each owner with its partitions, consecutive ones as 3-7.
void AppendOwners(const FrontierStatus& status, std::string* text) {
  for (const ReadTopic& read : status.reads) {
    std::map<std::string_view, std::string> ranges;
    for (size_t i = 0; i < read.partitions.size();) {
      const std::string_view owner = read.partitions[i].owner;
      const size_t first = i;
      while (i < read.partitions.size() && read.partitions[i].owner == owner) ++i;
      std::string& of = ranges[owner];
      of += fmt::format("{}{}", of.empty() ? "" : ",", first);
      if (i - first > 1) of += fmt::format("-{}", i - 1);
    }
    if (read.members == 0) continue;
    fmt::format_to(std::back_inserter(*text), "\n{}\n", read.group);
    for (const auto& [owner, partitions] : ranges) {
      fmt::format_to(std::back_inserter(*text), "  {:<30} {}\n", owner.empty() ? "nobody" : owner,
                     partitions);
    }
  }
}

void WriteQueue(const PartitionReport& report, JsonWriter& json) {
  json.BeginObject().Key("waiting").Value(WaitingIn(report)).Key("waiting_by_band").BeginArray();
  for (const uint64_t waiting : report.waiting) json.Value(waiting);
  json.EndArray().Key("delayed").Value(report.delayed).Key("domains").Value(report.domains);
  json.Key("ready").Value(report.ready).Key("paced").Value(report.paced);
  json.Key("blocked").Value(report.blocked).EndObject();
}

}  // namespace

absl::StatusOr<FrontierStatus> LookAt(const Frontier& frontier, uint64_t max_domains) {
  FrontierStatus status{.at = SystemClock().Now(), .time = SystemClock().Wall()};
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
  ASSIGN_OR_RETURN(status.queue,
                   SampleQueue(frontier.store(), count, max_domains, status.time, kLookTimeout));
  return status;
}

std::string StatusText(const FrontierStatus& before, const FrontierStatus& now) {
  std::string text = fmt::format("{:<18}{:<13}{:>12}{:>12}{:>12}{:>9}\n", "group", "topic", "lag",
                                 "written/s", "read/s", "members");
  const auto out = std::back_inserter(text);
  for (const ReadTopic& read : now.reads) {
    const Rates rates = RatesOf(before, now, read);
    fmt::format_to(out, "{:<18}{:<13}{:>12}{:>12.1f}{:>12.1f}{:>9}\n", read.group, read.topic,
                   LagOf(read), rates.in, rates.out, read.members);
  }
  const PartitionReport sum = Sum(now.queue);
  fmt::format_to(
      out, "\nqueue{}: {} waiting, {} delayed; domains: {} ready, {} paced, {} blocked\n",
      now.queue.exact() ? "" : fmt::format(" (estimated from {} domains)", now.queue.domains_read),
      WaitingIn(sum), sum.delayed, sum.ready, sum.paced, sum.blocked);
  fmt::format_to(out, "waiting by band, best first: {}\n", fmt::join(sum.waiting, " "));
  if (sum.oldest != WallTime()) {
    fmt::format_to(out, "waiting longest: {:.0f} s\n", SecondsSince(sum.oldest, now.time));
  }
  fmt::format_to(out, "dead letters: {}\n", now.dead_letters);
  fmt::format_to(out, "public suffix list: of {}\n\n{:<10}", now.suffix_list_date, "partition");
  for (const ReadTopic& read : now.reads) fmt::format_to(out, "{:>18}", read.group);
  fmt::format_to(out, "{:>12}{:>10}{:>8}{:>8}{:>8}\n", "waiting", "delayed", "ready", "paced",
                 "blocked");
  for (size_t i = 0; i < now.queue.partitions.size(); ++i) {
    fmt::format_to(out, "{:<10}", i);
    for (const ReadTopic& read : now.reads) fmt::format_to(out, "{:>18}", read.partitions[i].lag());
    const PartitionReport& queue = now.queue.partitions[i];
    fmt::format_to(out, "{:>12}{:>10}{:>8}{:>8}{:>8}\n", WaitingIn(queue), queue.delayed,
                   queue.ready, queue.paced, queue.blocked);
  }
  AppendOwners(now, &text);
  return text;
}

std::string StatusJson(const FrontierStatus& before, const FrontierStatus& now) {
  std::string text;
  JsonWriter json(&text);
  json.BeginObject().Key("time_ms").Value(now.time.time_since_epoch().count());
  json.Key("groups").BeginArray();
  for (const ReadTopic& read : now.reads) {
    const Rates rates = RatesOf(before, now, read);
    json.BeginObject().Key("group").Value(read.group).Key("topic").Value(read.topic);
    json.Key("lag").Value(LagOf(read)).Key("members").Value(read.members);
    json.Key("written_per_s").Value(rates.in).Key("read_per_s").Value(rates.out);
    json.Key("partitions").BeginArray();
    for (const ReadPartition& partition : read.partitions) {
      json.BeginObject().Key("end").Value(partition.end);
      json.Key("committed").Value(partition.committed).Key("lag").Value(partition.lag());
      json.Key("owner").Value(partition.owner).EndObject();
    }
    json.EndArray().EndObject();
  }
  json.EndArray().Key("queue").BeginObject().Key("exact").Value(now.queue.exact());
  json.Key("domains_read").Value(now.queue.domains_read).Key("total");
  const PartitionReport sum = Sum(now.queue);
  WriteQueue(sum, json);
  json.Key("oldest_seconds").Value(SecondsSince(sum.oldest, now.time));
  json.Key("partitions").BeginArray();
  for (const PartitionReport& report : now.queue.partitions) WriteQueue(report, json);
  json.EndArray().EndObject().Key("dead_letters").Value(now.dead_letters);
  json.Key("suffix_list_date").Value(now.suffix_list_date).EndObject();
  return text;
}

}  // namespace orbweaver
