#include "common/bus/kafka/topics.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

#include "common/base/backoff.h"
#include "common/base/status.h"

namespace orbweaver::kafka {
namespace {

struct TopicState {
  int partitions = 0;  // 0: there is none
  int replication = 0;
  bool ready = false;  // every partition has a leader
};

using Metadata = std::unique_ptr<const rd_kafka_metadata_t, Free<rd_kafka_metadata_destroy>>;

absl::StatusOr<TopicState> Describe(rd_kafka_t* client, std::string_view name, Duration timeout) {
  const std::string copy(name);
  const TopicHandle topic(rd_kafka_topic_new(client, copy.c_str(), nullptr));
  if (topic == nullptr) return FatalError("describe topic {}: no name of a topic", name);
  const rd_kafka_metadata_t* raw = nullptr;
  const absl::Status asked =
      ToStatus(rd_kafka_metadata(client, 0, topic.get(), &raw, Milliseconds(timeout)),
               fmt::format("describe topic {}: no answer from the brokers", name));
  if (IsRetry(asked)) {
    RemindOfBrokers(client);
    const std::string why = std::string(MessageOf(asked)) + LastFailure(client);
    return absl::Status(asked.code(), absl::string_view(why));
  }
  RETURN_IF_ERROR(asked);
  const Metadata metadata(raw);
  TopicState state;
  for (int i = 0; i < metadata->topic_cnt; ++i) {
    const rd_kafka_metadata_topic_t& found = metadata->topics[i];
    if (name != found.topic) continue;
    if (found.err == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART) return state;
    if (found.err == RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE) {  // just created
      state.partitions = std::max(1, found.partition_cnt);
      return state;
    }
    RETURN_IF_ERROR(ToStatus(found.err, fmt::format("describe topic {}", name)));
    state.partitions = found.partition_cnt;
    state.ready = found.partition_cnt > 0;
    for (int p = 0; p < found.partition_cnt; ++p) {
      state.replication = found.partitions[p].replica_cnt;
      state.ready = state.ready && found.partitions[p].leader >= 0;
    }
  }
  return state;
}

using TopicConfig = std::map<std::string, std::string, std::less<>>;

TopicConfig WantedConfig(const TopicSpec& spec) {
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(spec.retention).count();
  // -1 is Kafka's word for "for ever".
  return {
      {"retention.ms", fmt::format("{}", ms == 0 ? -1 : ms)},
      {"retention.bytes", fmt::format("{}", spec.retention_bytes == 0 ? -1 : spec.retention_bytes)},
      {"max.message.bytes", fmt::format("{}", kMaxMessageBytes)},
  };
}

absl::Status Create(rd_kafka_t* client, const TopicSpec& spec, Duration timeout) {
  char why[512];
  rd_kafka_NewTopic_t* topic =
      rd_kafka_NewTopic_new(spec.name.c_str(), spec.partitions, spec.replication, why, sizeof why);
  if (topic == nullptr) return FatalError("create topic {}: {}", spec.name, why);
  const std::unique_ptr<rd_kafka_NewTopic_t, Free<rd_kafka_NewTopic_destroy>> owner(topic);
  for (const auto& [key, value] : WantedConfig(spec)) {
    rd_kafka_NewTopic_set_config(topic, key.c_str(), value.c_str());
  }
  const AdminOptions options(rd_kafka_AdminOptions_new(client, RD_KAFKA_ADMIN_OP_CREATETOPICS));
  rd_kafka_AdminOptions_set_request_timeout(options.get(), std::max(1, Milliseconds(timeout)),
                                            nullptr, 0);
  const Queue answers(rd_kafka_queue_new(client));
  rd_kafka_CreateTopics(client, &topic, 1, options.get(), answers.get());
  const Event event(rd_kafka_queue_poll(answers.get(), Milliseconds(timeout)));
  const std::string action = fmt::format("create topic {}", spec.name);
  if (event == nullptr) return TimeoutError("{}: no answer from the brokers", action);
  RETURN_IF_ERROR(ToStatus(rd_kafka_event_error(event.get()), action));
  size_t count = 0;
  const rd_kafka_topic_result_t** const results =
      rd_kafka_CreateTopics_result_topics(rd_kafka_event_CreateTopics_result(event.get()), &count);
  for (size_t i = 0; i < count; ++i) {
    const rd_kafka_resp_err_t error = rd_kafka_topic_result_error(results[i]);
    // Somebody else was quicker: what they made is compared by the caller.
    if (error == RD_KAFKA_RESP_ERR_NO_ERROR || error == RD_KAFKA_RESP_ERR_TOPIC_ALREADY_EXISTS) {
      continue;
    }
    const char* const words = rd_kafka_topic_result_error_string(results[i]);
    // A broker that has just started is fenced until the controller has heard of it.
    if (error == RD_KAFKA_RESP_ERR_INVALID_REPLICATION_FACTOR && words != nullptr &&
        std::strstr(words, "fenced") != nullptr) {
      return RetryError("{}: {}", action, words);
    }
    return ToStatus(error, words == nullptr ? action : fmt::format("{}: {}", action, words));
  }
  return absl::OkStatus();
}

// The topic's configuration as the brokers have it.
absl::StatusOr<TopicConfig> DescribeConfig(rd_kafka_t* client, const std::string& name,
                                           Duration timeout) {
  rd_kafka_ConfigResource_t* resource =
      rd_kafka_ConfigResource_new(RD_KAFKA_RESOURCE_TOPIC, name.c_str());
  const AdminOptions options(rd_kafka_AdminOptions_new(client, RD_KAFKA_ADMIN_OP_DESCRIBECONFIGS));
  rd_kafka_AdminOptions_set_request_timeout(options.get(), std::max(1, Milliseconds(timeout)),
                                            nullptr, 0);
  const Queue answers(rd_kafka_queue_new(client));
  rd_kafka_DescribeConfigs(client, &resource, 1, options.get(), answers.get());
  rd_kafka_ConfigResource_destroy(resource);
  const Event event(rd_kafka_queue_poll(answers.get(), Milliseconds(timeout)));
  const std::string action = fmt::format("describe the configuration of topic {}", name);
  if (event == nullptr) return TimeoutError("{}: no answer from the brokers", action);
  RETURN_IF_ERROR(ToStatus(rd_kafka_event_error(event.get()), action));
  size_t count = 0;
  const rd_kafka_ConfigResource_t** const results = rd_kafka_DescribeConfigs_result_resources(
      rd_kafka_event_DescribeConfigs_result(event.get()), &count);
  TopicConfig config;
  for (size_t i = 0; i < count; ++i) {
    RETURN_IF_ERROR(ToStatus(rd_kafka_ConfigResource_error(results[i]), action));
    size_t entries = 0;
    const rd_kafka_ConfigEntry_t** const entry =
        rd_kafka_ConfigResource_configs(results[i], &entries);
    for (size_t e = 0; e < entries; ++e) {
      const char* const value = rd_kafka_ConfigEntry_value(entry[e]);
      if (value != nullptr) config.emplace(rd_kafka_ConfigEntry_name(entry[e]), value);
    }
  }
  return config;
}

void Compare(const TopicSpec& spec, const TopicState& state, const TopicConfig& config,
             std::vector<std::string>* differences) {
  const auto differs = [&](std::string_view found, std::string_view wanted) {
    differences->push_back(fmt::format("topic {}: {}, expected {}", spec.name, found, wanted));
  };
  if (state.partitions != spec.partitions) {
    differs(fmt::format("{} partitions", state.partitions), fmt::format("{}", spec.partitions));
  }
  if (state.replication != spec.replication) {
    differs(fmt::format("replication {}", state.replication), fmt::format("{}", spec.replication));
  }
  for (const auto& [key, wanted] : WantedConfig(spec)) {
    const auto found = config.find(key);
    if (found != config.end() && found->second != wanted) {
      differs(fmt::format("{} {}", key, found->second), wanted);
    }
  }
}

}  // namespace

absl::StatusOr<std::vector<std::string>> EnsureTopics(rd_kafka_t* client,
                                                      std::span<const TopicSpec> topics,
                                                      Duration timeout) {
  const Deadline deadline(timeout);
  std::vector<std::string> differences;
  for (const TopicSpec& spec : topics) {
    ASSIGN_OR_RETURN(TopicState state, Describe(client, spec.name, deadline.Left()));
    bool missing = state.partitions == 0;
    Backoff backoff({.first = std::chrono::milliseconds(5), .most = std::chrono::milliseconds(500)},
                    /*seed=*/1);
    while (!state.ready) {
      if (missing) {
        absl::Status created = Create(client, spec, deadline.Left());
        if (!created.ok() && (!IsRetry(created) || deadline.Left() == Duration::zero())) {
          return created;
        }
        missing = !created.ok();
      }
      if (deadline.Left() == Duration::zero()) {
        return TimeoutError("create topic {}: not every partition has a leader yet", spec.name);
      }
      // Leaders are elected in the background and nothing tells when: look again soon.
      const Queue nothing(rd_kafka_queue_new(client));
      const Event none(rd_kafka_queue_poll(nothing.get(), Milliseconds(backoff.Next())));
      ASSIGN_OR_RETURN(state, Describe(client, spec.name, deadline.Left()));
    }
    ASSIGN_OR_RETURN(const TopicConfig config, DescribeConfig(client, spec.name, deadline.Left()));
    Compare(spec, state, config, &differences);
  }
  return differences;
}

absl::StatusOr<int> PartitionCount(rd_kafka_t* client, std::string_view topic, Duration timeout) {
  ASSIGN_OR_RETURN(const TopicState state, Describe(client, topic, timeout));
  return state.partitions;
}

}  // namespace orbweaver::kafka
