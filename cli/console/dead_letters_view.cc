#include "cli/console/dead_letters_view.h"

#include "common/base/json.h"
#include "common/base/unix_ms.h"

namespace orbweaver {

std::string LetterPageJson(const LetterPage& page) {
  std::string text;
  JsonWriter json(&text);
  json.BeginObject().Key("letters").BeginArray();
  for (const ListedLetter& letter : page.letters) {
    json.BeginObject().Key("partition").Value(letter.partition.value());
    json.Key("offset").Value(letter.offset.value()).Key("time_ms").Value(UnixMs(letter.time));
    json.Key("topic").Value(letter.topic).Key("cause").Value(letter.cause);
    json.Key("key").Value(letter.key).Key("says").Value(letter.says).EndObject();
  }
  json.EndArray().Key("next");
  if (page.next.has_value()) {
    json.Value(std::to_string(page.next->value()));
  } else {
    json.Null();
  }
  json.EndObject();
  return text;
}

}  // namespace orbweaver
