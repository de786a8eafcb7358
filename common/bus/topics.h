// The names of the topics between the workers.
#pragma once

#include <string_view>

namespace orbweaver {

// P partitions each, keyed by registered domain.
inline constexpr std::string_view kSpiderLogTopic = "spider-log";
inline constexpr std::string_view kScoringLogTopic = "scoring-log";
inline constexpr std::string_view kSpiderFeedTopic = "spider-feed";
// Messages that could not be decoded, with topic, partition, offset and cause in headers; one
// partition.
inline constexpr std::string_view kDeadLetterTopic = "dead-letter";
// Workers' counters for the console; one partition.
inline constexpr std::string_view kStatsTopic = "stats";

}  // namespace orbweaver
