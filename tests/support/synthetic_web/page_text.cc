#include "tests/support/synthetic_web/page_text.h"

#include <algorithm>
#include <cstring>

#include "common/base/random.h"

namespace orbweaver::synthetic {
namespace {

constexpr size_t kCellBytes = 64;
constexpr size_t kCells = 4096;
// The average bytes of a link and its mark-up.
constexpr size_t kLinkBytes = 80;
constexpr std::string_view kSpan = "<span class=\"text-";
constexpr std::string_view kSpanEnd = "</span>\n";
// With a class of two digits.
constexpr size_t kSpanBytes = kSpan.size() + 4 + kSpanEnd.size();

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

// Two or three words a slot, behind them zeros.
constexpr size_t kAnchorBytes = 32;
constexpr size_t kAnchors = 256;

std::string MakeAnchors(uint64_t seed) {
  Random random(seed);
  std::string anchors;
  for (size_t slot = 1; slot <= kAnchors; ++slot) {
    for (uint64_t words = 2 + random.Below(2); words > 0; --words) {
      anchors.append(kWords[random.Below(std::size(kWords))]).append(words > 1 ? " " : "");
    }
    anchors.resize(slot * kAnchorBytes);
  }
  return anchors;
}

size_t CellsPerLink(const WebOptions& options) {
  const size_t others = kLinkBytes + options.spans_per_link * kSpanBytes;
  const size_t bytes = options.page_bytes / options.links_per_page;
  return (std::max(bytes, others) - others) / kCellBytes;
}

char* Put(std::string_view text, char* at) {
  std::memcpy(at, text.data(), text.size());
  return at + text.size();
}

}  // namespace

PageText::PageText(const WebOptions& options, const Hosts& hosts, const Paths& paths,
                   const LinkGraph& graph)
    : options_(options),
      hosts_(hosts),
      paths_(paths),
      graph_(graph),
      cells_(MakeCells(options.seed)),
      anchors_(MakeAnchors(options.seed)),
      cells_per_link_(CellsPerLink(options)) {}

void PageText::AppendCells(uint64_t at, size_t count, std::string* out) const {
  while (count > 0) {
    const size_t first = at % kCells;
    const size_t some = std::min(count, kCells - first);
    out->append(cells_, first * kCellBytes, some * kCellBytes);
    at += some;
    count -= some;
  }
}

void PageText::AppendText(uint64_t at, std::string* out) const {
  const size_t spans = options_.spans_per_link;
  if (spans == 0) return AppendCells(at, cells_per_link_, out);
  for (size_t i = 0; i < spans; ++i) {
    const size_t cells = cells_per_link_ * (i + 1) / spans - cells_per_link_ * i / spans;
    out->append(kSpan).append(std::to_string(10 + (at + i) % 90)).append("\">");
    AppendCells(at, cells, out);
    out->append(kSpanEnd);
    at += cells;
  }
}

// In the ways that links are written in real pages.
void PageText::AppendLink(uint32_t from, const LinkGraph::Link& link, std::string* out) const {
  constexpr uint64_t kAbsolute = 0, kNetworkPath = 1, kFragment = 2;
  constexpr std::string_view kOpening = "<p><a href=\"";
  const uint64_t form = link.bits & 15;
  char text[kOpening.size() + Paths::kMaxPageTarget + kAnchorBytes + 32];
  char* at = text;
  if (link.to.host != from || form == kAbsolute || form == kNetworkPath) {
    out->append(kOpening);
    AppendLinkOrigin(from, link.to.host, form == kNetworkPath, out);
  } else {
    at = Put(kOpening, at);
  }
  at = Paths::WritePageTarget(link.to.number, link.page_bits, "&amp;", at);
  at = Put(form == kFragment ? "#more\">" : "\">", at);
  const char* const anchor = anchors_.data() + (link.bits >> 8) % kAnchors * kAnchorBytes;
  std::memcpy(at, anchor, kAnchorBytes);
  at += strnlen(anchor, kAnchorBytes);
  out->append(text, Put("</a> ", at));
}

// `oddly`: in the letters of its language, or without a scheme where it is the same.
void PageText::AppendLinkOrigin(uint32_t from, uint32_t to, bool oddly, std::string* out) const {
  if (!oddly) return paths_.AppendOrigin(to, out);
  if (to != from) {
    out->append(hosts_.TraitsOf(to).https ? "https:" : "http:");
  }
  out->append("//");
  hosts_.AppendWrittenName(to, out);
  const uint16_t port = hosts_.TraitsOf(to).https ? options_.https_port : options_.http_port;
  if (port != 0) out->append(":").append(std::to_string(port));
}

void PageText::AppendPage(const Page& page, std::string* out) const {
  const size_t start = out->size();
  const uint64_t page_bits = paths_.BitsOf(page.host, page.number);
  uint64_t bits = Mix(page_bits, page.revision + 99);
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
    AppendLink(page.host, graph_.LinkOf(page.host, page.number, page_bits, i), out);
    bits = bits * 0x9e3779b97f4a7c15u + i;
    AppendText(bits >> 32, out);
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
