// A message of any of the product's topics, decoded for people.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/bus/message.h"
#include "common/model/arena.h"

namespace orbweaver {

// Views point into the message and the arena.
struct MessageView {
  // page_fetched, links_found, fetch_failed, deferred, seeds, host_facts; schedule, request,
  // marker; worker_stats; dead_letter, put_back; unreadable.
  std::string_view type;
  std::vector<std::string_view> urls;  // all that it is about
  std::string detail;                  // a JSON object: what it says
};

// Any bytes: what is no message of `topic` is `unreadable`, and its detail says why.
MessageView ViewMessage(std::string_view topic, const Message& message, Arena* arena);

// One line: where it stands, when it was written, its key, its type and what it says.
std::string MessageLine(std::string_view topic, const Message& message, const MessageView& view);

// The same as a JSON object.
std::string MessageJson(std::string_view topic, const Message& message, const MessageView& view);

// A JSON object that holds all of it unchanged: key, value and headers in base64. See
// docs/operations.md.
std::string MessageRecord(std::string_view topic, const Message& message);

// "2026-01-31T12:00:00.123Z".
std::string TimeText(WallTime time);

}  // namespace orbweaver
