// How much a text is about given words.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

// Immutable after the terms are added. Words are runs of ASCII letters and digits, compared without
// case, and of all bytes beyond ASCII, compared as they are.
class Relevance {
 public:
  // A word, or several that must follow each other. False when `term` has no word.
  bool AddTerm(std::string_view term, double weight);
  bool empty() const { return terms_.empty(); }

  // From 0 to below 1: one half for a hit of weight 1, three quarters for two of them, and so on;
  // per hundred words where there are more. Hits of negative weight take away.
  double OfText(std::string_view text) const;

  // The title counts as a text of its own beside the body. `html`: only the visible text of the
  // body.
  double OfPage(std::string_view title, std::string_view body, bool html) const;

 private:
  struct Term {
    std::string rest;  // the words after the first, each with a space before it
    double weight;
  };

  // The sum of weights of hits, per hundred words in a longer text.
  double Hits(std::string_view text) const;

  std::map<std::string, std::vector<Term>, std::less<>> terms_;  // by their first words
};
