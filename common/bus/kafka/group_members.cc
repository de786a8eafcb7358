#include "common/bus/kafka/group_members.h"

#include <algorithm>
#include <utility>

#include "common/base/status.h"
#include "common/bus/kafka/client.h"

namespace orbweaver {
namespace {

using kafka::Milliseconds;
using kafka::ToStatus;

constexpr Duration kPatience = std::chrono::seconds(1);

std::string_view Text(const char* text) { return text == nullptr ? "" : text; }

GroupMember ToMember(const rd_kafka_MemberDescription_t* description, std::string_view topic) {
  const std::string_view name = Text(rd_kafka_MemberDescription_group_instance_id(description));
  GroupMember member;
  member.name = name.empty() ? Text(rd_kafka_MemberDescription_consumer_id(description)) : name;
  member.host = Text(rd_kafka_MemberDescription_host(description));
  if (member.host.starts_with('/')) member.host.erase(0, 1);  // as brokers write addresses
  const rd_kafka_topic_partition_list_t* const partitions =
      rd_kafka_MemberAssignment_partitions(rd_kafka_MemberDescription_assignment(description));
  for (int i = 0; partitions != nullptr && i < partitions->cnt; ++i) {
    if (topic != partitions->elems[i].topic) continue;
    member.partitions.emplace_back(partitions->elems[i].partition);
  }
  return member;
}

}  // namespace

absl::StatusOr<std::vector<GroupMember>> KafkaGroupMembers(const KafkaOptions& options,
                                                           std::string_view group,
                                                           std::string_view topic,
                                                           Duration timeout) {
  const std::string group_name = options.prefix + std::string(group);
  const std::string topic_name = options.prefix + std::string(topic);
  const std::string action = "describe group " + group_name;
  ASSIGN_OR_RETURN(kafka::Conf conf, kafka::NewConf(options, {}));
  ASSIGN_OR_RETURN(const kafka::Handle client,
                   kafka::NewHandle(RD_KAFKA_CONSUMER, std::move(conf)));
  const kafka::AdminOptions how(
      rd_kafka_AdminOptions_new(client.get(), RD_KAFKA_ADMIN_OP_DESCRIBECONSUMERGROUPS));
  rd_kafka_AdminOptions_set_request_timeout(how.get(), std::max(1, Milliseconds(timeout)), nullptr,
                                            0);
  const kafka::Queue answers(rd_kafka_queue_new(client.get()));
  const char* name = group_name.c_str();
  rd_kafka_DescribeConsumerGroups(client.get(), &name, 1, how.get(), answers.get());
  // The request has its own timeout, and then says so itself.
  const kafka::Event event(rd_kafka_queue_poll(answers.get(), Milliseconds(timeout + kPatience)));
  if (event == nullptr) return TimeoutError("{}: no answer from the brokers", action);
  RETURN_IF_ERROR(ToStatus(rd_kafka_event_error(event.get()), action));

  size_t count = 0;
  const rd_kafka_ConsumerGroupDescription_t** const groups =
      rd_kafka_DescribeConsumerGroups_result_groups(
          rd_kafka_event_DescribeConsumerGroups_result(event.get()), &count);
  std::vector<GroupMember> members;
  for (size_t i = 0; i < count; ++i) {
    const rd_kafka_error_t* const error = rd_kafka_ConsumerGroupDescription_error(groups[i]);
    if (error != nullptr) RETURN_IF_ERROR(ToStatus(rd_kafka_error_code(error), action));
    for (size_t m = 0; m < rd_kafka_ConsumerGroupDescription_member_count(groups[i]); ++m) {
      members.push_back(
          ToMember(rd_kafka_ConsumerGroupDescription_member(groups[i], m), topic_name));
    }
  }
  std::sort(members.begin(), members.end(),
            [](const GroupMember& a, const GroupMember& b) { return a.name < b.name; });
  return members;
}

}  // namespace orbweaver
