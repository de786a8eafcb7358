// The HTML of the synthetic web's pages.
#pragma once

#include <cstdint>
#include <string>

#include "tests/support/synthetic_web/hosts.h"
#include "tests/support/synthetic_web/link_graph.h"
#include "tests/support/synthetic_web/paths.h"
#include "tests/support/synthetic_web/web_options.h"

namespace orbweaver::synthetic {

// Immutable, so thread-safe. The arguments must outlive this.
//
// A page is made a few thousand times a second and core for each kilohertz of the server's rate, so
// its text is copied from one made-up text, in cells that may follow each other in any order.
class PageText {
 public:
  PageText(const WebOptions& options, const Hosts& hosts, const Paths& paths,
           const LinkGraph& graph);

  struct Page {
    uint32_t host = 0;
    uint32_t number = 0;
    uint64_t revision = 0;               // another one, another text with the same links
    bool latin1 = false;                 // holds bytes that are not UTF-8
    std::string_view charset = "utf-8";  // as the page itself says
    bool links_calendar = false;
  };
  void AppendPage(const Page& page, std::string* out) const;

  // A day of the calendar.
  void AppendDay(uint32_t host, uint32_t day, std::string* out) const;
  // The body of a page that does not exist; links to the home page.
  static void AppendNothingHere(std::string* out);

 private:
  void AppendCells(uint64_t at, size_t count, std::string* out) const;
  // The text behind a link.
  void AppendText(uint64_t at, std::string* out) const;
  void AppendLink(uint32_t from, const LinkGraph::Link& link, std::string* out) const;
  void AppendLinkOrigin(uint32_t from, uint32_t to, bool oddly, std::string* out) const;

  const WebOptions options_;
  const Hosts& hosts_;
  const Paths& paths_;
  const LinkGraph& graph_;
  const std::string cells_;
  const std::string anchors_;  // texts of links, each in a slot of the same size
  const size_t cells_per_link_;
};

}  // namespace orbweaver::synthetic
