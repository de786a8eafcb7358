// The cases of test_driver_cases.txt, which the TestDriver of Python runs too.
#include <cstdio>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "orbweaver/strategy_export.h"
#include "orbweaver/test_driver.h"

namespace orbweaver::sdk {
namespace {

using Words = std::vector<std::string>;

Words Split(const std::string& text, char separator) {
  Words words;
  std::istringstream stream(text);
  for (std::string word; std::getline(stream, word, separator);) words.push_back(word);
  return words;
}

template <typename... Values>
std::string Join(const Values&... values) {
  std::ostringstream text;
  ((text << values << ' '), ...);
  std::string joined = text.str();
  joined.pop_back();
  return joined;
}

std::string Score(float score) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.4f", static_cast<double>(score));
  return text;
}

class Echo final : public Strategy {
  Integer limit_{this, "pages", 1, 1, 9, "Finished after so many"};
  int pages_ = 0;

  void Filter(LinkFilter& links) override {
    for (size_t i = 0; i < links.size(); ++i) {
      if (links[i].kind() == LinkKind::kEmbed) links.Drop(i);
    }
  }
  void OnSeeds(Seeds& seeds) override {
    for (Link link : seeds) {
      link.Schedule(link.seed_score().value_or(0.5f));
      link.SetData(uint64_t{link.anchor().size() + 16 * static_cast<uint64_t>(link.kind())});
    }
  }
  void OnPage(Page& page) override {
    ++pages_;
    page.KeepDomainData(Join("page", page.title(), page.body(), page.language(),
                             page.content_type(), page.content_hash(), page.http_status(),
                             page.not_modified(), page.changed(), page.body_bytes(),
                             Score(page.score())));
  }
  void OnLinks(Links& links) override {
    std::string text = Join("links", links.source_url(), Score(links.source_score()),
                            links.source_link_count(), links.same_domain(), "");
    for (Link link : links) {
      text +=
          std::string(link.anchor()) + "," + std::to_string(static_cast<int>(link.kind())) + ";";
      link.Schedule(0.25f, links.now_ms() + 1000);
      link.SetDue(5);
    }
    links.KeepDomainData(text);
  }
  void OnFailure(Failure& failure) override {
    const auto wait = failure.retry_after_ms();
    failure.KeepDomainData(Join("failure", static_cast<int>(failure.cause()), failure.transient(),
                                failure.http_status(), wait ? std::to_string(*wait) : "none",
                                failure.attempt()));
    if (wait) failure.BlockUntil(failure.now_ms() + *wait);
    if (failure.transient()) {
      failure.link().Schedule(0.125f, failure.now_ms() + wait.value_or(0));
    } else {
      failure.BackOff();
    }
    if (failure.cause() == Cause::kDns) failure.GiveUpDomain();
  }
  void OnHost(Host& host) override {
    std::string text = Join("host", host.name(), static_cast<int>(host.robots()),
                            static_cast<int>(host.dns()), "");
    for (size_t i = 0; i < host.sitemap_count(); ++i) {
      text += std::string(host.sitemap(i)) + ",";
      host.Request(host.sitemap(i), 0.75f, {.depth = 1});
    }
    host.KeepDomainData(text);
    host.Warn(Join("host", host.name()));
  }
  bool Finished() override { return pages_ >= limit_; }
};

// The words of an event that have a `=` in them, by their names; of one name there may be several.
using Fields = std::multimap<std::string, std::string>;

Fields FieldsOf(const Words& words, size_t first) {
  Fields fields;
  for (size_t i = first; i < words.size(); ++i) {
    const size_t equals = words[i].find('=');
    fields.emplace(words[i].substr(0, equals), words[i].substr(equals + 1));
  }
  return fields;
}

std::string Text(const Fields& fields, const std::string& name, const std::string& absent = "") {
  const auto found = fields.find(name);
  return found == fields.end() ? absent : found->second;
}
int Number(const Fields& fields, const std::string& name, int absent) {
  return std::stoi(Text(fields, name, std::to_string(absent)));
}

std::vector<TestLink> LinksOf(const Words& parts) {
  std::vector<TestLink> links;
  for (const std::string& part : parts) {
    const Words words = Split(part[0] == ' ' ? part.substr(1) : part, ' ');
    const Fields fields = FieldsOf(words, 1);
    TestLink& link = links.emplace_back(words[0], Text(fields, "anchor"));
    link.kind = static_cast<LinkKind>(Number(fields, "kind", 0));
    if (fields.count("score") != 0) link.score = std::stof(Text(fields, "score"));
  }
  return links;
}

class Case {
 public:
  explicit Case(const TestDriver::Params& params)
      : crawl_(internal::Exported<Echo>::Describe("echo", 1, "A test"), params),
        began_ms_(crawl_.now_ms()) {}

  void Happen(const std::string& line) {
    const Words words = Split(line, ' ');
    const std::string rest = line.substr(words[0].size() + 1);
    const Fields fields = FieldsOf(words, 2);
    if (words[0] == "seeds") return crawl_.Seeds(LinksOf(Split(rest, '|')));
    if (words[0] == "time") return crawl_.SetTime(began_ms_ + std::stoi(words[1]));
    if (words[0] == "links") {
      Words parts = Split(rest, '|');
      parts.erase(parts.begin());
      return crawl_.Links(words[1], LinksOf(parts));
    }
    if (words[0] == "page") {
      TestPage page;
      page.title = Text(fields, "title");
      page.body = Text(fields, "body");
      page.language = Text(fields, "language");
      page.content_type = Text(fields, "type", "text/html");
      page.content_hash = static_cast<uint64_t>(Number(fields, "hash", 1));
      page.not_modified = Number(fields, "not_modified", 0) != 0;
      return crawl_.Page(words[1], page);
    }
    if (words[0] == "fail") {
      return crawl_.Fail(
          words[1],
          {static_cast<Cause>(Number(fields, "cause", 9)), Number(fields, "transient", 1) != 0,
           static_cast<uint32_t>(Number(fields, "status", 0)), Number(fields, "retry_after", -1)});
    }
    ASSERT_EQ(words[0], "host");
    TestHost host{{},
                  static_cast<Robots>(Number(fields, "robots", 1)),
                  static_cast<Dns>(Number(fields, "dns", 1))};
    const auto [first, last] = fields.equal_range("sitemap");
    for (auto one = first; one != last; ++one) host.sitemaps.push_back(one->second);
    crawl_.Host(words[1], host);
  }

  // The same line, as it is in truth.
  std::string Look(const std::string& line) {
    const Words words = Split(line, ' ');
    const std::string& name = words.size() > 1 ? words[1] : line;
    if (words[0] == "queue") {
      std::string shown = "queue";
      for (const TestRequest& request : crawl_.queue()) {
        shown += (shown == "queue" ? " " : " | ") + Shown(request);
      }
      return shown;
    }
    if (words[0] == "next") {
      const auto request = crawl_.Next();
      return Join("next", request ? Shown(*request) : "nothing");
    }
    if (words[0] == "state") return Join("state", name, Shown(crawl_.State(name)));
    if (words[0] == "domain") {
      const TestDomain& domain = crawl_.Domain(name);
      return Join("domain", name, domain.fetched, domain.scheduled, domain.failed,
                  domain.known_urls, domain.given_up, domain.backed_off,
                  Time(domain.blocked_until_ms), "\"" + domain.data + "\"");
    }
    if (words[0] == "warning") return Join("warning", crawl_.warning());
    if (words[0] == "states_read") return Join("states_read", crawl_.states_read());
    return Join("finished", crawl_.Finished());
  }

 private:
  std::string Time(int64_t ms) const {
    return ms == 0 ? "none" : std::to_string(ms < began_ms_ ? ms : ms - began_ms_);
  }
  std::string Shown(const TestRequest& request) const {
    const int64_t wait = request.not_before_ms == 0 ? 0 : request.not_before_ms - began_ms_;
    return Join(request.url, Score(request.score), wait, request.depth, request.attempt);
  }
  std::string Shown(const orbweaver_state* state) const {
    if (state == nullptr) return "nothing";
    std::string data;
    for (const unsigned char byte : state->data) {
      char digits[3];
      std::snprintf(digits, sizeof(digits), "%02x", byte);
      data += digits;
    }
    return Join(unsigned{state->status}, state->depth, state->fetches, state->errors,
                state->http_status, data, Time(state->due_at_ms));
  }

  TestDriver crawl_;
  const int64_t began_ms_;
};

TEST(TestDriverCasesTest, EachShowsWhatItShowsInPython) {
  std::ifstream file(ORBWEAVER_TEST_DRIVER_CASES);
  std::string name;
  std::optional<Case> running;
  int looks = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    if (line.rfind("case ", 0) == 0) {
      name = line;
      running.emplace(TestDriver::Params{});
    } else if (line.rfind("params ", 0) == 0) {
      const Fields fields = FieldsOf(Split(line, ' '), 1);
      running.emplace(TestDriver::Params{fields.begin(), fields.end()});
    } else if (line.rfind("= ", 0) == 0) {
      ++looks;
      EXPECT_EQ(line.substr(2), running->Look(line.substr(2))) << name;
    } else {
      running->Happen(line);
    }
  }
  EXPECT_GT(looks, 30);
}

}  // namespace
}  // namespace orbweaver::sdk
