#include "relevance.h"

#include <algorithm>
#include <cmath>

namespace {

bool IsWordByte(unsigned char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c >= 0x80;
}

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// The words of `text` in lower case, a space after each.
std::string Words(std::string_view text) {
  std::string words;
  words.reserve(text.size() + 1);
  for (const char c : text) {
    if (IsWordByte(static_cast<unsigned char>(c))) {
      words.push_back(Lower(c));
    } else if (!words.empty() && words.back() != ' ') {
      words.push_back(' ');
    }
  }
  if (!words.empty() && words.back() != ' ') words.push_back(' ');
  return words;
}

// Whether `text` has `name` at `at`, without case.
bool HasAt(std::string_view text, size_t at, std::string_view name) {
  return text.size() - at >= name.size() &&
         std::equal(name.begin(), name.end(), text.begin() + static_cast<std::ptrdiff_t>(at),
                    [](char a, char b) { return a == Lower(b); });
}

// A rough view of what a reader sees: tags become spaces, scripts, styles and comments nothing.
std::string VisibleText(std::string_view html) {
  std::string text;
  text.reserve(html.size());
  for (size_t i = 0; i < html.size();) {
    if (html[i] != '<') {
      text.push_back(html[i++]);
      continue;
    }
    std::string_view end = ">";
    if (HasAt(html, i, "<!--")) end = "-->";
    if (HasAt(html, i, "<script")) end = "</script";
    if (HasAt(html, i, "<style")) end = "</style";
    size_t after = i + 1;
    while (after < html.size() && !HasAt(html, after, end)) ++after;
    i = std::min(after + end.size(), html.size());
    text.push_back(' ');
  }
  return text;
}

double Squash(double hits) { return 1 - std::exp2(-std::max(hits, 0.0)); }

}  // namespace

bool Relevance::AddTerm(std::string_view term, double weight) {
  const std::string words = Words(term);
  if (words.empty()) return false;
  const size_t first = words.find(' ');
  terms_[words.substr(0, first)].push_back({words.substr(first, words.size() - first - 1), weight});
  return true;
}

double Relevance::Hits(std::string_view text) const {
  const std::string words = Words(text);
  double hits = 0;
  size_t count = 0;
  for (size_t at = 0; at < words.size(); ++count) {
    const size_t end = words.find(' ', at);
    const auto found = terms_.find(std::string_view(words).substr(at, end - at));
    if (found != terms_.end()) {
      for (const Term& term : found->second) {
        const bool follows = words.compare(end, term.rest.size(), term.rest) == 0 &&
                             words[end + term.rest.size()] == ' ';
        if (follows) hits += term.weight;
      }
    }
    at = end + 1;
  }
  constexpr double kLong = 100;
  return hits * kLong / std::max(static_cast<double>(count), kLong);
}

double Relevance::OfText(std::string_view text) const { return Squash(Hits(text)); }

double Relevance::OfPage(std::string_view title, std::string_view body, bool html) const {
  return Squash(Hits(title) + Hits(html ? VisibleText(body) : std::string(body)));
}
