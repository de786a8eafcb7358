// Links that nobody would write by hand, glued together from the pieces that parsers stumble over.
#pragma once

#include <string>
#include <string_view>

#include "common/base/random.h"

namespace orbweaver {

inline std::string RandomLink(Random& random) {
  static constexpr std::string_view kStarts[] = {
      "http://",   "https://", "HTTP://", "https:/",   "http:",     "//",         "/",
      "",          "?",        "#",       "http:\\\\", " https://", "ftp://",     "javascript:",
      "ht\ntp://", "../",      "./",      "a",         "A:b",       "https://\t/"};
  static constexpr std::string_view kHosts[] = {"example.com",
                                                "EXAMPLE.com",
                                                "www.example.co.uk",
                                                "b\xC3\xBC"
                                                "cher.de",
                                                "xn--bcher-kva.de",
                                                "user:pw@host.org",
                                                "@h.org",
                                                "127.0.0.1",
                                                "0x7f.1",
                                                "1.2.3",
                                                "[::1]",
                                                "[2001:DB8::0:1]",
                                                "localhost",
                                                "host.org.",
                                                "a..b",
                                                "a_b.c-d.com",
                                                "ex%41mple.com",
                                                "host.org:80",
                                                "host.org:443",
                                                "host.org:8080",
                                                "host.org:",
                                                "host.org:99999",
                                                "..",
                                                "xn--",
                                                "a.1",
                                                "a.b1",
                                                "\xE3\x80\x82",
                                                "\xEF\xBD\x81.jp",
                                                "a\xC2\xAD"
                                                "b.de",
                                                "faSS.de",
                                                "fa\xC3\x9F.de",
                                                "xn-a.b",
                                                "-a-.com",
                                                "1.com",
                                                "a%2eb.com",
                                                "a%252e.com",
                                                "x.0XF",
                                                "\xFF.com",
                                                ""};
  static constexpr std::string_view kPieces[] = {"/",
                                                 "/",
                                                 "/",
                                                 "//",
                                                 "a",
                                                 "b",
                                                 "c",
                                                 "index.html",
                                                 ".",
                                                 "..",
                                                 "/..",
                                                 "/./",
                                                 "/../",
                                                 "%2e",
                                                 "%2E%2e",
                                                 ".%2e",
                                                 "%2f",
                                                 "%41",
                                                 "%7e",
                                                 "%7E",
                                                 "%c3%bc",
                                                 "%",
                                                 "%%",
                                                 "%4",
                                                 "%%34%31",
                                                 "%25",
                                                 "%2541",
                                                 "%4%31",
                                                 "%%341",
                                                 "\\",
                                                 "\t",
                                                 "\n",
                                                 "\r",
                                                 " ",
                                                 "\"",
                                                 "<",
                                                 ">",
                                                 "`",
                                                 "{",
                                                 "}",
                                                 "^",
                                                 "|",
                                                 "[",
                                                 "]",
                                                 "'",
                                                 "\xC3\xBC",
                                                 "\xFF",
                                                 "\x7F",
                                                 std::string_view("\0", 1),
                                                 "?",
                                                 "?",
                                                 "#",
                                                 "#",
                                                 "&",
                                                 "&",
                                                 "=",
                                                 "=1",
                                                 "utm_source=x",
                                                 "&utm_medium=y",
                                                 "gclid=1",
                                                 "sid=2",
                                                 "&SID=3",
                                                 ";jsessionid=4",
                                                 ";JSESSIONID=5;x=6",
                                                 "..;jsessionid=7",
                                                 "%2e;sid=8",
                                                 ";",
                                                 ":",
                                                 "@",
                                                 "+",
                                                 "~",
                                                 "!",
                                                 "a/b/",
                                                 "a/b/a/b/",
                                                 "x=2&x=1",
                                                 "&&",
                                                 "&a&a=",
                                                 "%26",
                                                 "%3d",
                                                 "jsess%69onid=1"};
  const auto pick = [&random](const auto& pieces) {
    return pieces[random.Below(std::size(pieces))];
  };
  // Every other link is of the kind that real pages are full of.
  if (random.Chance(0.5)) {
    static constexpr std::string_view kPlainStarts[] = {
        "http://example.com", "https://www.example.co.uk/", "https://foo.org", "/", "/a", "page"};
    static constexpr std::string_view kPlainPieces[] = {"/",  "/",    "a",    "b.html", "?",
                                                        "=1", "&x=2", "#top", "%20",    "%c3%bc",
                                                        ".",  "-",    "_",    "'",      "%2e"};
    std::string plain(pick(kPlainStarts));
    for (uint64_t n = random.Below(8); n > 0; --n) plain += pick(kPlainPieces);
    return plain;
  }
  std::string link(pick(kStarts));
  if (random.Chance(0.8)) link += pick(kHosts);
  for (uint64_t n = random.Below(12); n > 0; --n) link += pick(kPieces);
  return link;
}

}  // namespace orbweaver
