// `orbweaver init`: makes what the workers expect to find.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/command.h"
#include "cli/product_options.h"
#include "fmt/format.h"

#include "common/base/status.h"
#include "common/bus/kafka/kafka_bus.h"
#include "common/bus/topics.h"
#include "common/config/schema.h"
#include "common/store/hbase/hbase_tables.h"

namespace orbweaver {
namespace {

constexpr std::string_view kHelp =
    R"(usage: orbweaver init [OPTIONS]

Makes the topics in Kafka and the tables in HBase that are missing, and checks those that exist.
Safe to run again.

options:
  --check                make nothing; also what is missing is then a failure
  --brokers HOST:PORT,…  brokers of Kafka                 (kafka.brokers)
  --partitions N         of each topic, a power of two    (topics.partitions)
  --replication N        of each new topic                (topics.replication)
  --thrift HOST:PORT,…   Thrift2 servers of HBase         (hbase.hosts)
  --regions N            regions of each new table        (hbase.regions)
  --compression NAME     of new tables: NONE, GZ, …       (hbase.compression)
  --table-prefix PREFIX  before each table's name         (hbase.table_prefix)
  --timeout SECONDS      for each topic and table; 60
  --config FILE          read the options from a file
  --set NAME=VALUE       set an option; `orbweaver config reference` lists them
  --help                 this text

Exit code: 0 all is there and as it should be; 1 not so, or Kafka or HBase could not be reached;
2 wrong options.
)";

// Options of this command that are short for a --set.
constexpr std::pair<std::string_view, std::string_view> kShortForms[] = {
    {"--brokers", "kafka.brokers"},           {"--partitions", "topics.partitions"},
    {"--replication", "topics.replication"},  {"--thrift", "hbase.hosts"},
    {"--regions", "hbase.regions"},           {"--compression", "hbase.compression"},
    {"--table-prefix", "hbase.table_prefix"},
};

// Takes `name VALUE` or `name=VALUE` out of `args`; nothing when it is not there. The last one
// counts. An option without its value stays, and is refused as unknown.
std::optional<std::string> Take(std::vector<std::string>* args, std::string_view name) {
  std::optional<std::string> value;
  for (size_t i = 0; i < args->size();) {
    const std::string_view arg = (*args)[i];
    const bool joined = arg.starts_with(name) && arg.substr(name.size()).starts_with('=');
    if (!joined && (arg != name || i + 1 == args->size())) {
      ++i;
      continue;
    }
    value = joined ? std::string(arg.substr(name.size() + 1)) : (*args)[i + 1];
    const auto begin = args->begin() + static_cast<ptrdiff_t>(i);
    args->erase(begin, begin + (joined ? 1 : 2));
  }
  return value;
}

// Makes or checks one topic and says so. False when it is not as it should be.
absl::StatusOr<bool> InitTopic(Bus& bus, const TopicSpec& topic, bool only_check,
                               Duration timeout) {
  ASSIGN_OR_RETURN(const int partitions, bus.PartitionCount(topic.name, timeout));
  if (partitions == 0 && only_check) {
    fmt::print("topic {}: missing. Run `orbweaver init`.\n", topic.name);
    return false;
  }
  ASSIGN_OR_RETURN(const auto differences, bus.EnsureTopics({&topic, 1}, timeout));
  for (const std::string& difference : differences) {
    fmt::print("{}. Alter it with kafka-topics.sh or kafka-configs.sh, or change the option.\n",
               difference);
  }
  if (differences.empty()) {
    fmt::print("topic {}: {}\n", topic.name, partitions == 0 ? "made" : "exists");
  }
  return differences.empty();
}

int InitTopics(const KafkaOptions& kafka, const TopicOptions& options, bool only_check,
               Duration timeout) {
  const auto topics = ProductTopics(options);
  const auto bus = NewKafkaBus(kafka);
  for (const absl::Status& status : {topics.status(), bus.status()}) {
    if (status.ok()) continue;
    fmt::print(stderr, "orbweaver init: {}.\n", MessageOf(status));
    return kExitUsage;
  }
  bool good = true;
  for (const TopicSpec& topic : *topics) {
    const auto result = InitTopic(**bus, topic, only_check, timeout);
    if (!result.ok()) {
      fmt::print(stderr, "orbweaver init: {}.{}\n", MessageOf(result.status()),
                 IsRetry(result.status())
                     ? " Is Kafka up? `./run services up` starts one on this machine."
                     : "");
      return kExitFailed;
    }
    good &= *result;
  }
  return good ? kExitOk : kExitFailed;
}

// Makes or checks one table and says so. False when it is not as it should be; an error when that
// could not be found out.
absl::StatusOr<bool> InitTable(HBaseTables& tables, Table table, bool only_check,
                               Duration timeout) {
  const std::string name = tables.FullName(table);
  ASSIGN_OR_RETURN(const bool exists, tables.Exists(table, timeout));
  if (!exists && only_check) {
    fmt::print("table {}: missing. Run `orbweaver init`.\n", name);
    return false;
  }
  if (!exists) {
    RETURN_IF_ERROR(tables.Make(table, timeout));
    fmt::print("table {}: made\n", name);
    return true;
  }
  ASSIGN_OR_RETURN(const auto differences, tables.Differences(table, timeout));
  if (differences.empty()) {
    fmt::print("table {}: exists\n", name);
    return true;
  }
  for (const std::string& difference : differences) {
    fmt::print("table {}: {}. Alter it in `hbase shell`, or change the option.\n", name,
               difference);
  }
  return false;
}

int InitTables(const HBaseOptions& options, bool only_check, Duration timeout) {
  auto tables = HBaseTables::Create(options);
  if (!tables.ok()) {
    fmt::print(stderr, "orbweaver init: {}.\n", MessageOf(tables.status()));
    return kExitUsage;
  }
  bool good = true;
  for (const Table table : kTables) {
    const auto result = InitTable(**tables, table, only_check, timeout);
    if (!result.ok()) {
      fmt::print(stderr, "orbweaver init: {}.{}\n", MessageOf(result.status()),
                 IsRetry(result.status())
                     ? " Is HBase up? `./run services up` starts one on this machine."
                     : "");
      return kExitFailed;
    }
    good &= *result;
  }
  return good ? kExitOk : kExitFailed;
}

}  // namespace

int RunInit(std::span<const std::string> all_args) {
  std::vector<std::string> args(all_args.begin(), all_args.end());
  if (std::find(args.begin(), args.end(), "--help") != args.end()) {
    fmt::print("{}", kHelp);
    return kExitOk;
  }
  const bool only_check = std::erase(args, "--check") > 0;
  const std::string timeout_text = Take(&args, "--timeout").value_or("60");
  for (const auto& [short_form, name] : kShortForms) {
    if (const auto value = Take(&args, short_form))
      args.push_back(fmt::format("--set={}={}", name, *value));
  }
  config::Schema schema;
  ProductOptions options;
  if (const absl::Status loaded = LoadProductOptions(&args, schema, &options); !loaded.ok()) {
    fmt::print(stderr, "orbweaver init: {}\n", MessageOf(loaded));
    return kExitUsage;
  }
  if (!args.empty()) {
    fmt::print(stderr,
               "orbweaver init: option '{}' is unknown or lacks its value. `orbweaver init --help` "
               "lists the options.\n",
               args[0]);
    return kExitUsage;
  }
  char* end = nullptr;
  const double timeout_s = std::strtod(timeout_text.c_str(), &end);
  if (*end != '\0' || !(timeout_s > 0 && timeout_s <= 86400)) {
    fmt::print(stderr, "orbweaver init: --timeout '{}': not a number of seconds up to a day.\n",
               timeout_text);
    return kExitUsage;
  }
  const auto timeout =
      std::chrono::duration_cast<Duration>(std::chrono::duration<double>(timeout_s));
  const int topics = InitTopics(options.kafka, options.topics, only_check, timeout);
  if (topics == kExitUsage) return topics;
  // Also when a topic differs: one run says all that is wrong.
  return std::max(topics, InitTables(options.hbase, only_check, timeout));
}

}  // namespace orbweaver
