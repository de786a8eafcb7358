#include "tests/support/synthetic_web/paths.h"

#include <charconv>
#include <cstring>
#include <iterator>

#include "common/base/check.h"

namespace orbweaver::synthetic {
namespace {

// Of a fixed size, so that copying one is an instruction.
struct Word {
  char text[15];
  uint8_t size;

  consteval Word(const char* word) : text{}, size(0) {  // NOLINT(google-explicit-constructor)
    while (word[size] != '\0') {
      text[size] = word[size];
      ++size;
    }
  }
};
static_assert(sizeof(Word) == 16);

// Without digits: the last run of digits in a path is the page's number.
constexpr Word kWords[] = {
    "news",    "product", "category", "article", "about",   "archive", "images",  "world",
    "science", "sport",   "health",   "travel",  "review",  "forum",   "thread",  "user",
    "market",  "garden",  "music",    "school",  "energy",  "history", "weather", "video",
    "recipes", "library", "research", "culture", "opinion", "events",  "photos",  "guides"};
static_assert(std::size(kWords) == 32);

// Writes behind `at`, which must have room.
class Writer {
 public:
  explicit Writer(char* at) : at_(at) {}
  Writer& Put(std::string_view text) {
    std::memcpy(at_, text.data(), text.size());
    at_ += text.size();
    return *this;
  }
  Writer& PutWord(uint64_t bits) {
    const Word& word = kWords[bits & 31];
    std::memcpy(at_, &word, sizeof word);
    at_ += word.size;
    return *this;
  }
  Writer& PutNumber(uint32_t number) {
    at_ = std::to_chars(at_, at_ + 10, number).ptr;
    return *this;
  }
  char* end() const { return at_; }

 private:
  char* at_;
};

void AppendNumber(uint32_t number, std::string* out) {
  char digits[10];
  const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  out->append(digits, end);
}

std::optional<uint32_t> LastNumber(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789";
  const size_t last = text.find_last_of(kDigits);
  if (last == std::string_view::npos) return std::nullopt;
  const size_t before = text.find_last_not_of(kDigits, last);
  const size_t first = before == std::string_view::npos ? 0 : before + 1;
  uint32_t number = 0;
  const auto error = std::from_chars(text.data() + first, text.data() + last + 1, number).ec;
  return error == std::errc() ? std::optional(number) : std::nullopt;
}

struct NumberedPath {
  Place::Kind kind;
  std::string_view before, after;
};
constexpr NumberedPath kNumbered[] = {
    {Place::Kind::kMoved, "/moved/", ".html"},
    {Place::Kind::kMoved, "/private/moved/", ".html"},
    {Place::Kind::kHop, "/hop/", ".html"},
    {Place::Kind::kDay, "/calendar?day=", ""},
    {Place::Kind::kRobotsHop, "/robots-hop-", ".txt"},
    {Place::Kind::kSitemap, "/sitemap-", ".xml"},
    {Place::Kind::kSitemap, "/sitemap-", ".xml.gz"},
};

}  // namespace

Paths::Section Paths::SectionOf(uint32_t number, uint64_t bits) {
  if (number == 0) return Section::kHome;
  switch (bits & 15) {
    case 0:
      return Section::kPrivate;
    case 1:
      return Section::kPrivateOpen;
    case 2:
      return Section::kPrint;
    case 3:
      return Section::kPrintCopy;
    case 4:
    case 5:
    case 6:
      return Section::kQuery;
    case 7:
    case 8:
      return Section::kFolder;
    default:
      return Section::kArticle;
  }
}

bool Paths::MovesToPrivate(const Place& place) const {
  return (BitsOf(place.host, place.number) >> 40 & 3) == 3;
}

char* Paths::WritePageTarget(uint32_t number, uint64_t bits, std::string_view ampersand, char* at) {
  const uint64_t a = bits >> 4, b = bits >> 9, c = bits >> 14;
  Writer to(at);
  switch (SectionOf(number, bits)) {
    case Section::kHome:
      to.Put("/");
      break;
    case Section::kPrivate:
      to.Put("/private/").PutWord(a).Put("-").PutNumber(number).Put(".html");
      break;
    case Section::kPrivateOpen:
      to.Put("/private/open/").PutWord(a).Put("-").PutNumber(number).Put(".html");
      break;
    case Section::kPrint:
      to.Put("/").PutWord(a).Put("/").PutWord(b).Put("-").PutNumber(number).Put(".print");
      break;
    case Section::kPrintCopy:
      to.Put("/").PutWord(a).Put("/").PutWord(b).Put("-").PutNumber(number);
      to.Put(".print?copy=yes");
      break;
    case Section::kQuery:
      to.Put("/").PutWord(a).Put("/view?id=").PutNumber(number).Put(ampersand);
      to.Put("topic=").PutWord(b);
      break;
    case Section::kFolder:
      to.Put("/").PutWord(a).Put("-").PutWord(b).Put("/").PutNumber(number).Put("/");
      break;
    case Section::kArticle:
      to.Put("/").PutWord(a).Put("/").PutWord(b).Put("-").PutWord(c).Put("-");
      to.PutNumber(number).Put(".html");
      break;
  }
  return to.end();
}

void Paths::AppendTarget(const Place& place, std::string* out, std::string_view ampersand) const {
  switch (place.kind) {
    case Place::Kind::kPage: {
      char text[kMaxPageTarget];
      const uint64_t bits = BitsOf(place.host, place.number);
      out->append(text, WritePageTarget(place.number, bits, ampersand, text));
      return;
    }
    case Place::Kind::kRobots:
      out->append("/robots.txt");
      return;
    case Place::Kind::kRobotsRules:
      out->append("/robots-rules.txt");
      return;
    case Place::Kind::kSitemap:
      if (place.number == 0) {
        out->append("/sitemap.xml");
        return;
      }
      break;
    case Place::Kind::kUnknown:
    case Place::Kind::kNoHost:
    case Place::Kind::kPrivateAddress:
      CHECK(false);
    default:
      break;
  }
  for (const NumberedPath& path : kNumbered) {
    if (path.kind != place.kind) continue;
    if (place.kind == Place::Kind::kMoved &&
        MovesToPrivate(place) != path.before.starts_with("/private/")) {
      continue;
    }
    if (place.kind == Place::Kind::kSitemap &&
        (hosts_.TraitsOf(place.host).sitemaps == SitemapKind::kGzipIndex) !=
            path.after.ends_with(".gz")) {
      continue;
    }
    out->append(path.before);
    AppendNumber(place.number, out);
    out->append(path.after);
    return;
  }
}

void Paths::AppendOrigin(uint32_t host, std::string* out) const {
  const bool https = hosts_.TraitsOf(host).https;
  out->append(https ? "https://" : "http://");
  hosts_.AppendName(host, out);
  const uint16_t port = https ? options_.https_port : options_.http_port;
  if (port != 0) {
    out->push_back(':');
    AppendNumber(port, out);
  }
}

void Paths::AppendUrl(const Place& place, std::string* out) const {
  if (place.kind == Place::Kind::kPrivateAddress) {
    out->append("http://169.254.169.254/latest/");
    AppendNumber(place.host, out);
    out->push_back('/');
    AppendNumber(place.number, out);
    return;
  }
  AppendOrigin(place.host, out);
  AppendTarget(place, out);
}

std::string Paths::UrlOf(const Place& place) const {
  std::string url;
  AppendUrl(place, &url);
  return url;
}

Place Paths::FindTarget(uint32_t host, std::string_view target) const {
  const Place unknown{.host = host, .number = 0, .kind = Place::Kind::kUnknown};
  Place place{.host = host, .number = 0, .kind = Place::Kind::kPage};
  if (target == "/") return place;
  if (target == "/robots.txt" || target == "/robots-rules.txt" || target == "/sitemap.xml") {
    place.kind = target == "/robots.txt"    ? Place::Kind::kRobots
                 : target == "/sitemap.xml" ? Place::Kind::kSitemap
                                            : Place::Kind::kRobotsRules;
    return place;
  }
  const std::optional<uint32_t> number = LastNumber(target);
  if (!number) return unknown;
  place.number = *number;
  for (const NumberedPath& path : kNumbered) {
    if (target.starts_with(path.before) && target.ends_with(path.after)) place.kind = path.kind;
  }
  if (place.number == 0 &&
      (place.kind == Place::Kind::kPage || place.kind == Place::Kind::kSitemap)) {
    return unknown;  // those have other names
  }
  // The text around the number counts: a place has one path.
  std::string exact;
  AppendTarget(place, &exact);
  return exact == target ? place : unknown;
}

std::optional<Place> Paths::FindUrl(std::string_view url) const {
  const size_t scheme_end = url.find("://");
  if (scheme_end == std::string_view::npos) return std::nullopt;
  const size_t host_start = scheme_end + 3;
  const size_t path_start = url.find('/', host_start);
  if (path_start == std::string_view::npos) return std::nullopt;
  std::string_view name = url.substr(host_start, path_start - host_start);
  name = name.substr(0, name.find(':'));
  const std::optional<uint32_t> host = hosts_.Find(name);
  if (!host) return std::nullopt;
  std::string origin;
  AppendOrigin(*host, &origin);
  if (url.substr(0, path_start) != origin) return std::nullopt;
  return FindTarget(*host, url.substr(path_start));
}

bool Paths::RulesForbid(const Place& place) const {
  if (place.kind == Place::Kind::kMoved) return MovesToPrivate(place);
  if (place.kind != Place::Kind::kPage) return false;
  const Section section = SectionOf(place.number, BitsOf(place.host, place.number));
  return section == Section::kPrivate || section == Section::kPrint;
}

}  // namespace orbweaver::synthetic
