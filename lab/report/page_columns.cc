#include "lab/report/page_columns.h"

#include <algorithm>
#include <iterator>

#include "lab/recording/request_columns.h"

namespace orbweaver::lab {
namespace {

std::string_view UpTo(std::string_view text, std::string_view ends) {
  return text.substr(0, text.find_first_of(ends));
}

constexpr PageColumn Number(std::string_view name, double (*number)(const RecordedPage& page)) {
  return {.name = name, .number = number};
}
constexpr PageColumn Text(std::string_view name, std::string_view (*text)(const RecordedPage&)) {
  return {.name = name, .text = text};
}

template <auto kMember>
double NumberOf(const RecordedPage& page) {
  return static_cast<double>(page.page.*kMember);
}
template <auto kMember>
double MillisecondsOf(const RecordedPage& page) {
  return static_cast<double>((page.page.*kMember).count());
}
template <auto kMember>
std::string_view TextOf(const RecordedPage& page) {
  return page.page.*kMember;
}
template <auto kMember>
double RequestNumberOf(const RecordedPage& page) {
  return static_cast<double>(page.page.request.*kMember);
}
template <auto kMember>
std::string_view RequestTextOf(const RecordedPage& page) {
  return page.page.request.*kMember;
}
std::string_view HostOf(const RecordedPage& page) { return HostOfUrl(page.page.request.url); }
std::string_view DomainOf(const RecordedPage& page) { return page.domain; }

constexpr PageColumn kColumns[] = {
    Text("url", RequestTextOf<&Request::url>),
    Text("url_host_name", HostOf),
    Text("url_host_registered_domain", DomainOf),
    Number("depth", RequestNumberOf<&Request::depth>),
    Number("score", RequestNumberOf<&Request::score>),
    Number("attempt", RequestNumberOf<&Request::attempt>),
    Number("band", RequestNumberOf<&Request::band>),
    Text("referrer", RequestTextOf<&Request::referrer>),
    Number("fetch_status", NumberOf<&PageFetched::status>),
    Text("fetch_redirect", TextOf<&PageFetched::final_url>),
    Text("content_mime_type", TextOf<&PageFetched::content_type>),
    Text("content_charset", TextOf<&PageFetched::charset>),
    Text("content_languages", TextOf<&PageFetched::language>),
    Number("content_truncated", NumberOf<&PageFetched::body_truncated>),
    Text("title", TextOf<&PageFetched::title>),
    Text("canonical_url", TextOf<&PageFetched::canonical_url>),
    Text("robots_directives", TextOf<&PageFetched::robots_directives>),
    Number("not_modified", NumberOf<&PageFetched::not_modified>),
    Number("first_byte_ms", MillisecondsOf<&PageFetched::first_byte>),
    Number("total_ms", MillisecondsOf<&PageFetched::total>),
    Number("received_bytes", NumberOf<&PageFetched::received_bytes>),
    Number("body_bytes", NumberOf<&PageFetched::body_bytes>),
    Number("text_bytes", NumberOf<&PageFetched::text_bytes>),
    Number("links_inside", NumberOf<&PageFetched::links_inside>),
    Number("links_outside", NumberOf<&PageFetched::links_outside>),
    Number("links_truncated", NumberOf<&PageFetched::links_truncated>),
    Text("remote_address", TextOf<&PageFetched::remote_address>),
    Number("status", NumberOf<&PageFetched::status>),
    Text("host", HostOf),
    Text("domain", DomainOf),
    // "de" of "de-AT, en".
    Text("language", [](const RecordedPage& page) { return UpTo(page.page.language, "-_,; "); }),
    // "text/html" of "text/html; charset=utf-8".
    Text("mime", [](const RecordedPage& page) { return UpTo(page.page.content_type, "; "); }),
};

}  // namespace

std::span<const PageColumn> PageColumns() { return kColumns; }

const PageColumn* FindPageColumn(std::string_view name) {
  const auto* const found = std::ranges::find(kColumns, name, &PageColumn::name);
  return found == std::end(kColumns) ? nullptr : found;
}

}  // namespace orbweaver::lab
