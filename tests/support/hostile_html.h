// HTML that costs the square of its size wherever a parser was careless; for the tests that bound
// the work done on it, and the benchmark that times it.
#pragma once

#include <string>
#include <vector>

namespace orbweaver {

inline std::string Repeated(int times, const std::string& before, const std::string& behind = "") {
  std::string text;
  for (int i = 0; i < times; ++i)
    text += before + (behind.empty() ? "" : std::to_string(i) + behind);
  return text;
}

// 200 KB of formatting elements that are never closed: each paragraph reopens all of them.
inline std::string UnclosedFormatting() {
  std::string html;
  for (int i = 0; html.size() < 200'000; ++i) html += "<b id=" + std::to_string(i) + "><p>";
  return html;
}
inline std::string NestedDivs() { return Repeated(100'000, "<div>"); }
inline std::string ManyAttributes() {
  return "<a href=x " + Repeated(10'000, "name", "=\"value\" ") + ">text</a>";
}

inline std::vector<std::string> HostileDocuments() {
  return {UnclosedFormatting(),
          NestedDivs(),
          ManyAttributes(),
          Repeated(20'000, "<a href=x><div>"),
          Repeated(20'000, "<table><a href=x>"),
          Repeated(20'000, "<svg><title>"),
          Repeated(30'000, "<tag", ">"),
          Repeated(50'000, "</p>"),
          Repeated(50'000, "&"),
          Repeated(50'000, "<!"),
          Repeated(20'000, "<a href='"),
          "<" + std::string(200'000, 'x'),
          "<!--" + std::string(200'000, '-'),
          "<script>" + Repeated(20'000, "<script><!--"),
          "<script>" + Repeated(50'000, "</x "),
          "<p" + Repeated(50'000, " x='>"),
          std::string(200'000, '<')};
}

}  // namespace orbweaver
