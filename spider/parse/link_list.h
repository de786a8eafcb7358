// Documents that are lists of links: sitemaps (https://www.sitemaps.org/protocol.html) and feeds.
#pragma once

#include <string_view>

#include "spider/parse/link_collector.h"
#include "spider/parse/page.h"
#include "spider/parse/text_buffer.h"

namespace orbweaver {

// The kind of list that `text`, UTF-8, is by its root element or by its first line; kOther when it
// is none of these lists.
DocumentKind KindOfList(std::string_view text);

// Adds the links of a list of this kind to `links`, and a feed's title to `title`.
void ReadLinkList(std::string_view text, DocumentKind kind, LinkCollector* links,
                  TextBuffer* title);

}  // namespace orbweaver
