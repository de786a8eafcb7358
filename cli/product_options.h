// Every option of the product, in one place: one file configures all its processes, so each of them
// knows the options of the others and can tell a misspelled name.
//
// A new group of options: declare it beside the code that reads it, add its struct here and its
// declaration to the .cc (common/config/README.md).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "cli/console_options.h"
#include "cli/scaling_options.h"

#include "common/base/log.h"
#include "common/bus/kafka/kafka_options.h"
#include "common/bus/topics.h"
#include "common/runtime/process.h"
#include "common/store/hbase/hbase_options.h"
#include "common/url/domain.h"
#include "common/worker/worker_options.h"
#include "db_worker/options.h"
#include "db_worker/pages/pages_options.h"
#include "lab/recording/record_options.h"
#include "spider/crawl/spider_options.h"
#include "strategy_worker/core/options.h"
#include "strategy_worker/host/strategy_options.h"
#include "strategy_worker/states/state_options.h"

namespace orbweaver {

namespace config {
class Schema;
}

struct ProductOptions {
  ConsoleOptions console;
  DbWorkerOptions db_worker;
  HBaseOptions hbase;
  KafkaOptions kafka;
  LogOptions log;
  PagesOptions pages;
  ProcessOptions process;
  RecordOptions record;
  ScalingRule scaling;
  SpiderOptions spider;  // also politeness.*, scope.* and url.*, which other workers read too
  StateOptions states;
  StrategyOptions strategy;
  StrategyWorkerOptions strategy_worker;
  TopicOptions topics;
  WorkerOptions worker;
  PublicSuffixOptions public_suffixes;
};

// `options` must outlive the schema.
void DeclareProductOptions(config::Schema& schema, ProductOptions* options);

// How a command begins: takes --config and --set out of `args`, loads, and configures the log.
// `kept` is a file of options that all of those win over; empty: none. `flags` name those of the
// --set that stand for options of the command's own (both: config::Inputs). On an error
// nothing is configured; the command prints it and ends with kExitUsage.
absl::Status LoadProductOptions(std::vector<std::string>* args, config::Schema& schema,
                                ProductOptions* options, const std::string& kept = "",
                                const std::map<std::string, std::string>& flags = {});

}  // namespace orbweaver
