// `orbweaver init`: makes what the workers expect to find.
#include <chrono>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/help_text.h"
#include "cli/message.h"
#include "cli/product_options.h"
#include "fmt/format.h"

#include "common/base/status.h"
#include "common/bus/kafka/kafka_bus.h"
#include "common/bus/topics.h"
#include "common/config/schema.h"
#include "common/protocol/log_witness.h"
#include "common/protocol/new_topics.h"
#include "common/protocol/topic_record.h"
#include "common/store/hbase/hbase_store.h"
#include "common/store/hbase/hbase_tables.h"

namespace orbweaver {
namespace {

constexpr char kHelp[] =
    R"(usage: orbweaver init [OPTIONS]

Makes the topics in Kafka and the tables in HBase that are missing, and checks those that exist.
Safe to run again.

options:
  --check                make nothing; also what is missing is then a failure
  --accept-new-topics    after Kafka was restored or topics were made anew, with all workers
                         stopped: go on with the logs as they are
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
2 wrong options, or a store that another version wrote and this one does not read.
)";

// Options of this command that are short for a --set.
constexpr std::pair<std::string_view, std::string_view> kShortForms[] = {
    {"--brokers", "kafka.brokers"},           {"--partitions", "topics.partitions"},
    {"--replication", "topics.replication"},  {"--thrift", "hbase.hosts"},
    {"--regions", "hbase.regions"},           {"--compression", "hbase.compression"},
    {"--table-prefix", "hbase.table_prefix"},
};

// Makes or checks one topic and says so. False when it is not as it should be.
absl::StatusOr<bool> InitTopic(Bus& bus, const TopicSpec& topic, bool only_check,
                               Duration timeout) {
  ASSIGN_OR_RETURN(const int partitions, bus.PartitionCount(topic.name, timeout));
  if (partitions == 0 && only_check) {
    Print("topic {}: missing. Run `orbweaver init`.\n", topic.name);
    return false;
  }
  ASSIGN_OR_RETURN(const auto differences, bus.EnsureTopics({&topic, 1}, timeout));
  for (const std::string& difference : differences) {
    Print("{}. Alter it with kafka-topics.sh or kafka-configs.sh, or change the option.\n",
          difference);
  }
  if (differences.empty()) {
    Print("topic {}: {}\n", topic.name, partitions == 0 ? "made" : "exists");
  }
  return differences.empty();
}

struct Mode {
  bool only_check = false;
  bool accept_new_topics = false;
};

// Compares the logs with what the store knows of them, and goes on with them as they are where that
// is wanted. False when workers would refuse them.
absl::StatusOr<bool> InitLogs(Store& store, Bus& bus, const TopicRecord& record, const Mode& mode,
                              Duration timeout) {
  ASSIGN_OR_RETURN(const auto foreign, FindAllForeignLogs(store, bus, record, timeout));
  for (const ForeignLog& log : foreign) {
    Print("topic {} partition {}: {}\n", log.topic, log.partition, log.found);
  }
  if (!mode.accept_new_topics) {
    Print("record of the topics: topic epoch {}, {} partitions\n", record.topic_epoch,
          record.partitions);
    if (foreign.empty()) return true;
    Print(
        "These logs are not those that the store knows: a topic was made anew, restored or cut "
        "back. Workers refuse them. With all workers stopped `orbweaver init --accept-new-topics` "
        "goes on with them: they are read from their starts, and what stood in the logs before and "
        "was not applied yet is lost.\n");
    return false;
  }
  ASSIGN_OR_RETURN(const TopicRecord next, AcceptTopics(store, bus, record, foreign, timeout));
  Print(
      "record of the topics: accepted as they are, topic epoch {}. {} logs are read from their "
      "starts. Entries that stood in them before and were not applied yet are lost; URLs that were "
      "on their way there stay `queued` in the states.\n",
      next.topic_epoch, foreign.size());
  return true;
}

// Writes down for the workers which topics they will find, or checks that. To be called before
// missing topics are made. False when it is not as it should be.
absl::StatusOr<bool> InitTopicRecord(Store& store, Bus& bus, int partitions, const Mode& mode,
                                     Duration timeout) {
  ASSIGN_OR_RETURN(const auto before, LoadTopicRecord(store, timeout));
  ASSIGN_OR_RETURN(const TopicRecord record, NextTopicRecord(store, bus, partitions, timeout));
  const bool only_check = mode.only_check;
  if (before == record) return InitLogs(store, bus, record, mode, timeout);
  if (only_check) {
    Print("record of the topics: {}. Stop the workers and run `orbweaver init`.\n",
          before.has_value() ? "is of other topics" : "missing");
    return false;
  }
  RETURN_IF_ERROR(SaveTopicRecord(store, record, timeout));
  Print("record of the topics: {}, topic epoch {}, {} partitions\n",
        before.has_value() ? "the topics changed" : "made", record.topic_epoch, record.partitions);
  return true;
}

absl::StatusOr<bool> InitTopics(Bus& bus, std::span<const TopicSpec> topics, bool only_check,
                                Duration timeout) {
  bool good = true;
  for (const TopicSpec& topic : topics) {
    ASSIGN_OR_RETURN(const bool as_it_should_be, InitTopic(bus, topic, only_check, timeout));
    good &= as_it_should_be;
  }
  return good;
}

// Makes or checks one table and says so. False when it is not as it should be; an error when that
// could not be found out.
absl::StatusOr<bool> InitTable(HBaseTables& tables, Table table, bool only_check,
                               Duration timeout) {
  const std::string name = tables.FullName(table);
  ASSIGN_OR_RETURN(const bool exists, tables.Exists(table, timeout));
  if (!exists && only_check) {
    Print("table {}: missing. Run `orbweaver init`.\n", name);
    return false;
  }
  if (!exists) {
    RETURN_IF_ERROR(tables.Make(table, timeout));
    Print("table {}: made\n", name);
    return true;
  }
  ASSIGN_OR_RETURN(const auto differences, tables.Differences(table, timeout));
  if (differences.empty()) {
    Print("table {}: exists\n", name);
    return true;
  }
  for (const std::string& difference : differences) {
    Print("table {}: {}. Alter it in `hbase shell`, or change the option.\n", name, difference);
  }
  return false;
}

absl::StatusOr<bool> InitTables(HBaseTables& tables, bool only_check, Duration timeout) {
  bool good = true;
  for (const Table table : kTables) {
    ASSIGN_OR_RETURN(const bool as_it_should_be, InitTable(tables, table, only_check, timeout));
    good &= as_it_should_be;
  }
  return good;
}

// Goes on after what is wrong, so that one run says all of it; but makes no topics without writing
// them down first.
int Init(const ProductOptions& options, const Mode& mode, Duration timeout) {
  const bool only_check = mode.only_check;
  const auto topics = ProductTopics(options.topics);
  const auto bus = NewKafkaBus(options.kafka);
  const auto tables = HBaseTables::Create(options.hbase);
  const auto store = HBaseStore::Create(options.hbase);
  for (const absl::Status& status :
       {topics.status(), bus.status(), tables.status(), store.status()}) {
    if (status.ok()) continue;
    PrintError("orbweaver init: {}.\n", MessageOf(status));
    return kExitUsage;
  }
  bool good = true;
  const auto step = [&good](const absl::StatusOr<bool>& result, std::string_view server) {
    good &= result.ok() && *result;
    if (result.ok()) return true;
    PrintError("orbweaver init: {}.", MessageOf(result.status()));
    if (IsRetry(result.status())) {
      PrintError(" Is {} up? `./run services up` starts one on this machine.", server);
    }
    PrintError("\n");
    return false;
  };
  bool recorded = false;
  bool answered = true;  // and what could not be asked once is not asked again
  if (step(InitTables(**tables, only_check, timeout), "HBase")) {
    const auto record = InitTopicRecord(**store, **bus, options.topics.partitions, mode, timeout);
    answered = record.ok();
    recorded = step(record, "Kafka");
    // No other try mends a store of another format, as the Helm chart's Job wants to know.
    if (!answered && IsFatal(LoadTopicRecord(**store, timeout).status())) return kExitUsage;
  }
  if (answered && (recorded || only_check)) {
    step(InitTopics(**bus, *topics, only_check, timeout), "Kafka");
  }
  return good ? kExitOk : kExitFailed;
}

int Run(std::span<const std::string> all_args) {
  std::vector<std::string> args(all_args.begin(), all_args.end());
  const Mode mode{.only_check = TakeSwitch(&args, "--check"),
                  .accept_new_topics = TakeSwitch(&args, "--accept-new-topics")};
  if (mode.only_check && mode.accept_new_topics) {
    PrintError("orbweaver init: --check changes nothing: give one of the two.\n");
    return kExitUsage;
  }
  const std::string timeout_text = TakeValue(&args, "--timeout").value_or("60");
  for (const auto& [short_form, name] : kShortForms) {
    if (const auto value = TakeValue(&args, short_form))
      args.push_back(fmt::format("--set={}={}", name, *value));
  }
  config::Schema schema;
  ProductOptions options;
  if (const absl::Status loaded = LoadProductOptions(&args, schema, &options); !loaded.ok()) {
    PrintError("orbweaver init: {}\n", MessageOf(loaded));
    return kExitUsage;
  }
  if (!args.empty()) {
    PrintError("orbweaver init: {}. `orbweaver init --help` lists the options.\n",
               WrongOption(kHelp, args[0]));
    return kExitUsage;
  }
  char* end = nullptr;
  const double timeout_s = std::strtod(timeout_text.c_str(), &end);
  if (*end != '\0' || !(timeout_s > 0 && timeout_s <= 86400)) {
    PrintError("orbweaver init: --timeout '{}': not a number of seconds up to a day.\n",
               timeout_text);
    return kExitUsage;
  }
  const auto timeout =
      std::chrono::duration_cast<Duration>(std::chrono::duration<double>(timeout_s));
  return Init(options, mode, timeout);
}

}  // namespace

Command InitCommand() {
  return {.name = "init",
          .summary = "Make the topics and tables of a cluster, or check them",
          .help = kHelp,
          .run = Run};
}

}  // namespace orbweaver
