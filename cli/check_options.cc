#include "cli/check_options.h"

#include <algorithm>
#include <span>
#include <string>
#include <string_view>

#include "common/base/status.h"
#include "common/bus/kafka/kafka_bus.h"
#include "common/bus/topics.h"
#include "common/config/excerpt.h"
#include "common/config/load.h"
#include "common/store/hbase/hbase_store.h"
#include "common/url/domain.h"
#include "db_worker/roles.h"
#include "spider/fetch/http_fetcher.h"
#include "strategy_worker/host/loader.h"
#include "strategy_worker/host/parameters.h"

namespace orbweaver {
namespace {

constexpr std::string_view kParams = "strategy.params";

// Where a parameter was given: "orbweaver.yaml:12", "--depth"; empty for a default.
std::string SourceOfParameter(const config::Schema& schema, const std::string& name) {
  const auto option = std::ranges::find(schema.options(), kParams, &config::Option::name);
  const auto source = option == schema.options().end() ? "" : option->SourceOf(name);
  return source == "default" ? "" : source;
}

// How a message about it begins.
std::string Subject(const std::string& source, const std::string& name) {
  if (config::IsFlag(source)) return source.substr(0, source.find('='));
  return fmt::format("{}{}{}.{}", source, source.empty() ? "" : ": ", kParams,
                     config::Excerpt(name));
}

// Each by itself, so that the message names where it was given.
absl::Status CheckParameters(const ProductOptions& options, const config::Schema& schema) {
  ASSIGN_OR_RETURN(const StrategyLibrary library, OpenStrategy(options.strategy));
  const orbweaver_strategy& strategy = library.strategy();
  const std::span parameters(strategy.parameters, strategy.parameter_count);
  for (const auto& [name, value] : options.strategy.params) {
    const auto values = ParameterValues(parameters, {{name, value}});
    if (values.ok()) continue;
    const std::string source = SourceOfParameter(schema, name);
    const std::string subject = Subject(source, name);
    const auto found = std::ranges::find_if(
        parameters, [&](const orbweaver_parameter& parameter) { return parameter.name == name; });
    if (found == parameters.end()) {
      return FatalError("{}: strategy '{}': {}", subject, strategy.name,
                        MessageOf(values.status()));
    }
    const std::string got = config::Excerpt(value);
    const std::string expected = ExpectedValue(*found);
    if (config::IsFlag(source)) {
      return FatalError("{}: expected {}", config::FlagWithValue(source, got), expected);
    }
    return FatalError("{}: expected {}, got '{}'", subject, expected, got);
  }
  return LoadStrategy(options.strategy, /*seed=*/0).status();
}

}  // namespace

absl::Status CheckCrawlOptions(const ProductOptions& options, const config::Schema& schema) {
  RETURN_IF_ERROR(CheckParameters(options, schema));
  RETURN_IF_ERROR(PublicSuffixes::Load(options.public_suffixes).status());
  RETURN_IF_ERROR(HttpFetcher::Create(options.spider.network, options.spider.fetch).status());
  RETURN_IF_ERROR(ParseRoles(options.db_worker.roles).status());
  if (options.db_worker.feed.low_lag > options.db_worker.feed.target_lag) {
    return FatalError("feed.low_lag {}: above feed.target_lag {}", options.db_worker.feed.low_lag,
                      options.db_worker.feed.target_lag);
  }
  return ProductTopics(options.topics).status();
}

absl::Status CheckClusterOptions(const ProductOptions& options, const config::Schema& schema) {
  RETURN_IF_ERROR(CheckCrawlOptions(options, schema));
  RETURN_IF_ERROR(CheckKafkaOptions(options.kafka));
  return HBaseStore::Create(options.hbase).status();
}

}  // namespace orbweaver
