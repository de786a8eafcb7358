#include "common/bus/kafka/kafka_batch.h"

#include <span>
#include <string_view>
#include <utility>

namespace orbweaver::kafka {

void KafkaBatch::Add(RawMessage message) {
  rd_kafka_headers_t* headers = nullptr;
  if (rd_kafka_message_detach_headers(message.get(), &headers) == RD_KAFKA_RESP_ERR_NO_ERROR) {
    const char* name;
    const void* value;
    size_t size;
    for (size_t i = 0;
         rd_kafka_header_get_all(headers, i, &name, &value, &size) == RD_KAFKA_RESP_ERR_NO_ERROR;
         ++i) {
      HeaderPlace& place = header_places_.emplace_back();
      place.begin = header_bytes_.size();
      header_bytes_.append(name);
      place.value_begin = header_bytes_.size();
      if (size > 0) header_bytes_.append(static_cast<const char*>(value), size);
      place.end = header_bytes_.size();
    }
    rd_kafka_headers_destroy(headers);
  }
  header_ends_.push_back(header_places_.size());
  messages_.push_back(std::move(message));
}

void KafkaBatch::Finish(std::unique_ptr<KafkaBatch> memory, MessageBatch* batch) {
  const std::string_view bytes = memory->header_bytes_;
  memory->headers_.reserve(memory->header_places_.size());
  for (const HeaderPlace& place : memory->header_places_) {
    memory->headers_.push_back({bytes.substr(place.begin, place.value_begin - place.begin),
                                bytes.substr(place.value_begin, place.end - place.value_begin)});
  }
  std::vector<Message> messages = batch->TakeMessages();
  messages.reserve(memory->size());
  size_t header = 0;
  for (size_t i = 0; i < memory->size(); ++i) {
    const rd_kafka_message_t& raw = *memory->messages_[i];
    const int64_t time_ms = rd_kafka_message_timestamp(&raw, nullptr);
    const size_t header_end = memory->header_ends_[i];
    messages.push_back({
        .partition = PartitionId(raw.partition),
        .offset = Offset(raw.offset),
        .time = WallTime(std::chrono::milliseconds(time_ms)),
        .key = {static_cast<const char*>(raw.key), raw.key_len},
        .value = {static_cast<const char*>(raw.payload), raw.len},
        .headers = std::span(memory->headers_).subspan(header, header_end - header),
    });
    header = header_end;
  }
  batch->Set(std::move(messages), std::move(memory));
}

}  // namespace orbweaver::kafka
