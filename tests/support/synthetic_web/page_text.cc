#include "tests/support/synthetic_web/page_text.h"

#include <algorithm>

#include "common/base/random.h"

namespace orbweaver::synthetic {
namespace {

constexpr size_t kCellBytes = 64;
constexpr size_t kCells = 4096;
// What a link and its mark-up take on average.
constexpr size_t kLinkBytes = 80;

constexpr std::string_view kWords[] = {"the",
                                       "of",
                                       "and",
                                       "in",
                                       "river",
                                       "which",
                                       "light",
                                       "caf\xC3\xA9",
                                       "house",
                                       "with",
                                       "morning",
                                       "green",
                                       "under",
                                       "mountain",
                                       "old",
                                       "na\xC3\xAFve",
                                       "letter",
                                       "stone",
                                       "window",
                                       "after",
                                       "garden",
                                       "bridge",
                                       "paper",
                                       "\xC3\xBC"
                                       "ber",
                                       "winter",
                                       "small",
                                       "voice",
                                       "small",
                                       "city",
                                       "water",
                                       "long",
                                       "summer"};

// Cells of equal size that end between two words, so that any cell can follow any other.
std::string MakeCells(uint64_t seed) {
  Random random(seed);
  std::string cells;
  cells.reserve(kCells * kCellBytes);
  for (size_t cell = 1; cell <= kCells; ++cell) {
    const size_t end = cell * kCellBytes;
    for (;;) {
      const std::string_view word = kWords[random.Below(std::size(kWords))];
      if (cells.size() + word.size() + 1 > end) break;
      cells.append(word).push_back(' ');
    }
    cells.resize(end, '.');
  }
  return cells;
}

}  // namespace

PageText::PageText(const WebOptions& options, const Hosts& hosts, const Paths& paths,
                   const LinkGraph& graph)
    : options_(options),
      hosts_(hosts),
      paths_(paths),
      graph_(graph),
      cells_(MakeCells(options.seed)),
      cells_per_link_(
          (std::max<size_t>(options.page_bytes / options.links_per_page, kLinkBytes) - kLinkBytes) /
          kCellBytes) {}

void PageText::AppendCells(uint64_t at, size_t count, std::string* out) const {
  while (count > 0) {
    const size_t first = at % kCells;
    const size_t some = std::min(count, kCells - first);
    out->append(cells_, first * kCellBytes, some * kCellBytes);
    at += some;
    count -= some;
  }
}

// In the ways that links are written in real pages.
void PageText::AppendLink(uint32_t from, const LinkGraph::Link& link, std::string* out) const {
  constexpr uint64_t kAbsolute = 0, kNetworkPath = 1, kFragment = 2;
  const uint64_t form = link.bits & 15;
  out->append("<p><a href=\"");
  if (link.to.host != from && form == kNetworkPath) {
    // A link in the letters of its language; the scheme is named, since it may be another one here.
    out->append(hosts_.TraitsOf(link.to.host).https ? "https://" : "http://");
    hosts_.AppendWrittenName(link.to.host, out);
    const uint16_t port =
        hosts_.TraitsOf(link.to.host).https ? options_.https_port : options_.http_port;
    if (port != 0) out->append(":").append(std::to_string(port));
  } else if (link.to.host != from || form == kAbsolute) {
    paths_.AppendOrigin(link.to.host, out);
  } else if (form == kNetworkPath) {
    const size_t start = out->size();
    paths_.AppendOrigin(link.to.host, out);
    out->erase(start, out->find("//", start) - start);
  }
  paths_.AppendTarget(link.to, out, "&amp;");
  out->append(form == kFragment ? "#more\">" : "\">");
  // A link's text is a part of a cell.
  const size_t at = (link.bits >> 8) % kCells * kCellBytes;
  const size_t end = cells_.find(' ', at + 8);
  out->append(cells_, at, end - at).append("</a> ");
}

void PageText::AppendPage(const Page& page, std::string* out) const {
  const size_t start = out->size();
  uint64_t bits = Mix(paths_.BitsOf(page.host, page.number), page.revision + 99);
  out->append("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"").append(page.charset);
  out->append("\"><title>Page ").append(std::to_string(page.number)).append(" of ");
  hosts_.AppendName(page.host, out);
  out->append("</title></head>\n<body>\n");
  if (page.latin1)
    out->append(
        "<p>Stra\xDF"
        "e, caf\xE9, \xFC"
        "ber</p>\n");
  if (page.links_calendar) out->append("<p><a href=\"/calendar?day=0\">calendar</a></p>\n");
  for (uint32_t i = 0; i < options_.links_per_page; ++i) {
    AppendLink(page.host, graph_.LinkOf(page.host, page.number, i), out);
    bits = bits * 0x9e3779b97f4a7c15u + i;
    AppendCells(bits >> 32, cells_per_link_, out);
    out->append("</p>\n");
  }
  const size_t size = out->size() - start;
  if (size < options_.page_bytes) {
    out->append("<p>");
    AppendCells(bits >> 20, (options_.page_bytes - size) / kCellBytes, out);
    out->append("</p>\n");
  }
  out->append("</body></html>\n");
}

void PageText::AppendDay(uint32_t host, uint32_t day, std::string* out) const {
  out->append("<!doctype html>\n<title>Day ").append(std::to_string(day)).append("</title>\n");
  for (const uint64_t other : {uint64_t{day} + 1, uint64_t{day} + 7}) {
    if (options_.calendar_days != 0 && other >= options_.calendar_days) continue;
    out->append("<a href=\"/calendar?day=").append(std::to_string(other)).append("\">later</a>\n");
  }
  if (day > 0) {
    out->append("<a href=\"/calendar?day=")
        .append(std::to_string(day - 1))
        .append("\">earlier</a>\n");
  }
  out->append("<a href=\"/\">home</a>\n<p>");
  AppendCells(Mix(host, day), options_.page_bytes / kCellBytes / 8, out);
  out->append("</p>\n");
}

void PageText::AppendNothingHere(std::string* out) {
  out->append(
      "<!doctype html>\n<title>Not here</title>\n<p>Nothing is here. <a href=\"/\">Home</a></p>\n");
}

}  // namespace orbweaver::synthetic
