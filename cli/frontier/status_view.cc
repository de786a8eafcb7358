#include "cli/frontier/status_view.h"

#include <iterator>
#include <map>

#include "fmt/format.h"

#include "common/base/json.h"

namespace orbweaver {
namespace {

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

void WritePartition(const ReadPartition& partition, const PartitionLoad& load, JsonWriter& json) {
  json.BeginObject().Key("end").Value(partition.end);
  json.Key("committed").Value(partition.committed).Key("lag").Value(partition.lag());
  json.Key("owner").Value(partition.owner).Key("read_per_s").Value(load.read_per_second);
  json.Key("share");
  if (load.share.has_value()) {
    json.Value(*load.share);
  } else {
    json.Null();
  }
  json.Key("is_hot").Value(load.is_hot).EndObject();
}

void WriteQueue(const PartitionReport& report, JsonWriter& json) {
  json.BeginObject().Key("waiting").Value(WaitingIn(report)).Key("waiting_by_band").BeginArray();
  for (const uint64_t waiting : report.waiting) json.Value(waiting);
  json.EndArray().Key("delayed").Value(report.delayed).Key("domains").Value(report.domains);
  json.Key("ready").Value(report.ready).Key("paced").Value(report.paced);
  json.Key("blocked").Value(report.blocked).EndObject();
}

}  // namespace

std::string StatusText(const FrontierStatus& before, const FrontierStatus& now,
                       const PartitionLoads& loads) {
  std::string text = fmt::format("{:<18}{:<13}{:>12}{:>12}{:>12}{:>9}\n", "group", "topic", "lag",
                                 "written/s", "read/s", "members");
  const auto out = std::back_inserter(text);
  for (const ReadTopic& read : now.reads) {
    const MessageRates rates = RatesOf(before, now, read);
    fmt::format_to(out, "{:<18}{:<13}{:>12}{:>12.1f}{:>12.1f}{:>9}\n", read.group, read.topic,
                   read.lag(), rates.in, rates.out, read.members);
  }
  const PartitionReport sum = SumOf(now.queue);
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
  for (const std::string& says : loads.says) fmt::format_to(out, "hot: {}\n", says);
  AppendOwners(now, &text);
  return text;
}

std::string StatusJson(const FrontierStatus& before, const FrontierStatus& now,
                       const PartitionLoads& loads) {
  std::string text;
  JsonWriter json(&text);
  json.BeginObject().Key("time_ms").Value(now.time.time_since_epoch().count());
  json.Key("groups").BeginArray();
  for (size_t group = 0; group < now.reads.size(); ++group) {
    const ReadTopic& read = now.reads[group];
    const MessageRates rates = RatesOf(before, now, read);
    json.BeginObject().Key("group").Value(read.group).Key("topic").Value(read.topic);
    json.Key("lag").Value(read.lag()).Key("members").Value(read.members);
    json.Key("written_per_s").Value(rates.in).Key("read_per_s").Value(rates.out);
    json.Key("partitions").BeginArray();
    for (size_t i = 0; i < read.partitions.size(); ++i) {
      WritePartition(read.partitions[i], loads.groups[group].partitions[i], json);
    }
    json.EndArray().EndObject();
  }
  json.EndArray().Key("hot_partitions").BeginArray();
  for (const std::string& says : loads.says) json.Value(says);
  json.EndArray().Key("queue").BeginObject().Key("exact").Value(now.queue.exact());
  json.Key("domains_read").Value(now.queue.domains_read).Key("total");
  const PartitionReport sum = SumOf(now.queue);
  WriteQueue(sum, json);
  json.Key("oldest_seconds").Value(SecondsSince(sum.oldest, now.time));
  json.Key("partitions").BeginArray();
  for (const PartitionReport& report : now.queue.partitions) WriteQueue(report, json);
  json.EndArray().EndObject().Key("dead_letters").Value(now.dead_letters);
  json.Key("suffix_list_date").Value(now.suffix_list_date).EndObject();
  return text;
}

}  // namespace orbweaver
