// A link as JSON: in links.jsonl and what `orbweaver parse` prints.
#pragma once

#include <string>
#include <string_view>

#include "common/base/json.h"
#include "common/model/spider_log.h"

namespace orbweaver {

// "anchor", "frame", …
std::string_view LinkKindName(LinkKind kind);

// The names of the kRel… bits, in a fixed order.
std::string RelNames(uint32_t rel, std::string_view separator);

// {"url":…,"anchor":…,"rel":"nofollow ugc","kind":"anchor"}
void WriteJson(const Link& link, JsonWriter* json);

}  // namespace orbweaver
