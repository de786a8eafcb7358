#include "cli/replay/event_texts.h"

#include "cli/frontier/message_view.h"
#include "fmt/format.h"

#include "common/base/status.h"
#include "common/bus/topics.h"
#include "common/model/arena.h"

namespace orbweaver {

absl::StatusOr<std::map<uint32_t, std::string>> EventTexts(const lab::Recording& recording,
                                                           const lab::EventIndex& events,
                                                           const std::set<uint32_t>& numbers) {
  std::map<PartitionId, std::map<Offset, uint32_t>> wanted;
  for (const uint32_t number : numbers) {
    const lab::EventIndex::Event& event = events.at(number);
    wanted[event.partition].emplace(event.offset, number);
  }
  std::map<uint32_t, std::string> texts;
  for (const auto& [partition, offsets] : wanted) {
    const auto reader = recording.Read(kSpiderLogTopic, partition);
    Message message;
    for (auto next = offsets.begin(); next != offsets.end();) {
      ASSIGN_OR_RETURN(const bool is_there, reader->Next(&message));
      if (!is_there) break;
      if (message.offset != next->first) continue;
      Arena arena;
      const MessageView view = ViewMessage(kSpiderLogTopic, message, &arena);
      const std::string_view about = view.urls.empty() ? message.key : view.urls.front();
      texts.emplace(next->second, fmt::format("{} {} ({}/{}@{})", view.type, about, kSpiderLogTopic,
                                              partition, message.offset));
      ++next;
    }
  }
  return texts;
}

}  // namespace orbweaver
