#include "lab/report/html_report.h"

#include <chrono>
#include <functional>
#include <iterator>
#include <string_view>
#include <vector>

#include "fmt/format.h"

#include "common/base/json.h"
#include "lab/report/figures.h"
#include "lab/report/html_tables.h"
#include "lab/report/html_text.h"
#include "lab/report/page_parts.h"

namespace orbweaver::lab {
namespace {

bool IsShare(Metric metric) {
  return metric == Metric::kPageRank || metric == Metric::kInLinks || metric == Metric::kFresh;
}

// Six digits are more than a plot shows.
void Number(JsonWriter& json, double number) { json.Raw(fmt::format("{:.6g}", number)); }

void CurveJson(JsonWriter& json, const std::vector<CurvePoint>& curve,
               const std::vector<Metric>& metrics, double (*x)(const CurvePoint&)) {
  json.BeginObject().Key("x").BeginArray();
  for (const CurvePoint& point : curve) Number(json, x(point));
  json.EndArray().Key("support").BeginArray();
  for (const CurvePoint& point : curve) {
    Number(json, point.fetches == 0
                     ? 1
                     : static_cast<double>(point.known) / static_cast<double>(point.fetches));
  }
  json.EndArray();
  for (const Metric metric : metrics) {
    json.Key(MetricName(metric)).BeginArray();
    for (const auto bound : {&Bounded::low, &Bounded::estimate, &Bounded::high}) {
      json.BeginArray();
      for (const CurvePoint& point : curve) {
        Number(json, point.measured[static_cast<size_t>(metric)].*bound);
      }
      json.EndArray();
    }
    json.EndArray();
  }
  json.EndObject();
}

// Of the script. Nothing in it can end the element that it stands in.
std::string DataJson(const Report& report) {
  std::string text;
  JsonWriter json(&text);
  json.BeginObject().Key("compared").Value(report.compared_fetches).Key("metrics").BeginArray();
  for (const Metric metric : report.metrics) {
    json.BeginObject().Key("name").Value(MetricName(metric)).Key("title");
    json.Value(MetricTitle(metric)).Key("meaning").Value(MetricMeaning(metric));
    json.Key("share").Value(IsShare(metric)).EndObject();
  }
  json.EndArray().Key("strategies").BeginArray();
  for (const StrategyReport& strategy : report.strategies) {
    json.BeginObject().Key("name").Value(strategy.name).Key("by_fetches");
    CurveJson(json, strategy.by_fetches, report.metrics,
              [](const CurvePoint& point) { return static_cast<double>(point.fetches); });
    json.Key("by_time");
    CurveJson(json, strategy.by_time, report.metrics, [](const CurvePoint& point) {
      return std::chrono::duration<double>(point.at).count();
    });
    json.EndObject();
  }
  json.EndArray().EndObject();
  std::string safe;
  for (const char c : text) {
    if (c == '<') {
      safe += "\\u003c";
    } else {
      safe += c;
    }
  }
  return safe;
}

std::string Header(const Report& report) {
  const RecordingFacts& recording = report.recording;
  std::string text =
      fmt::format("<header>\n<h1>Strategies on the recording {}</h1>\n", Html(recording.name));
  text +=
      "<p class=\"dim\">Counterfactual crawls: each strategy crawled the recorded pages, on a "
      "virtual clock. Nothing was fetched.</p>\n<ul class=\"facts\">\n";
  const auto fact = [&](std::string_view what, const std::string& value) {
    fmt::format_to(std::back_inserter(text), "<li>{} <b>{}</b></li>\n", what, Html(value));
  };
  const auto number = [](uint64_t value) { return ShowNumber(static_cast<double>(value)); };
  fact("Recorded with", recording.strategy);
  fact("URLs", number(recording.urls));
  fact("Fetches", number(recording.visits));
  fact("Links", number(recording.links));
  fact("Domains", number(recording.domains));
  fact("Pages worth something", number(recording.valued));
  fact("Over", ShowTime(recording.span));
  fact("Explored", recording.explored == 0 ? "nothing" : number(recording.explored) + " URLs");
  fact("Value of a page", report.value.empty() ? "1, where its content is new" : report.value);
  return text + "</ul>\n</header>\n";
}

std::string Verdicts(const Report& report) {
  std::string text =
      "<section aria-labelledby=\"verdict\">\n<h2 id=\"verdict\">Verdict</h2>\n"
      "<ul class=\"verdicts\">\n";
  if (report.differences.empty()) {
    text +=
        "<li class=\"none\">One strategy alone: give a second --strategy to compare it "
        "with.</li>\n";
  }
  const auto add = [&](const CrawlDifference& difference, bool is_first) {
    fmt::format_to(std::back_inserter(text), "<li class=\"{}{}\">{}.</li>\n",
                   difference.has_verdict ? "" : "none ", is_first ? "first" : "",
                   Html(difference.verdict));
  };
  // Those with the first strategy are at hand.
  size_t others = 0;
  for (const CrawlDifference& difference : report.differences) {
    if (difference.base == 0) {
      add(difference, &difference == &report.differences.front());
    } else {
      ++others;
    }
  }
  if (others > 0) {
    text += "</ul>\n<details>\n<summary>All other pairs</summary>\n<ul class=\"verdicts\">\n";
    for (const CrawlDifference& difference : report.differences) {
      if (difference.base != 0) add(difference, false);
    }
  }
  text += others > 0 ? "</ul>\n</details>\n" : "</ul>\n";
  if (report.resampled_domains == 0) {
    text +=
        "<p class=\"dim\">Without intervals: the crawls fetched from fewer than ten registered "
        "domains. Only the bounds count.</p>\n";
  }
  return text + "</section>\n";
}

std::string Explorer(const Report& report) {
  std::string text =
      "<section aria-labelledby=\"curves\">\n<h2 id=\"curves\">Curves</h2>\n"
      "<noscript><p>The plot needs scripts; all else on this page does not.</p></noscript>\n"
      "<form id=\"explorer\" autocomplete=\"off\">\n<div class=\"controls\">\n"
      "<label for=\"metric\">Show<select id=\"metric\">\n";
  for (const Metric metric : report.metrics) {
    fmt::format_to(std::back_inserter(text), "<option>{}</option>\n", MetricTitle(metric));
  }
  text +=
      "</select></label>\n<fieldset><legend>Over</legend><div class=\"choice\">"
      "<label><input type=\"radio\" name=\"x\" value=\"fetches\" checked> Fetches</label>"
      "<label><input type=\"radio\" name=\"x\" value=\"time\"> Time</label></div></fieldset>\n"
      "</div>\n<p id=\"meaning\" class=\"dim\"></p>\n"
      "<svg id=\"plot\" role=\"img\" aria-label=\"Curves of all strategies\" viewBox=\"0 0 800 "
      "400\">"
      "</svg>\n<div class=\"at\"><label for=\"at\">Look at</label>"
      "<input type=\"range\" id=\"at\" min=\"0\" max=\"200\" value=\"200\">"
      "<output id=\"where\" for=\"at\"></output></div>\n"
      "<table>\n<caption>At that point. A solid line is exact; a dashed one is an estimate, and "
      "its "
      "band reaches from the worst to the best case.</caption>\n"
      "<thead><tr><th scope=\"col\">Strategy</th><th scope=\"col\">Estimate</th>"
      "<th scope=\"col\">Bounds</th><th scope=\"col\">Support</th></tr></thead>\n<tbody>\n";
  for (size_t i = 0; i < report.strategies.size(); ++i) {
    fmt::format_to(
        std::back_inserter(text),
        "<tr><td><label class=\"name\"><input type=\"checkbox\" id=\"show{0}\" checked>"
        "<svg class=\"key\" viewBox=\"-13 -6 26 12\" aria-hidden=\"true\"><line x1=\"-13\" "
        "x2=\"13\" "
        "stroke=\"var(--s{1})\" stroke-width=\"2.25\"/><path fill=\"var(--s{1})\"/></svg>"
        "{2}</label></td><td data-of=\"Estimate\"><span id=\"estimate{0}\"></span></td>"
        "<td data-of=\"Bounds\"><span id=\"bounds{0}\"></span></td>"
        "<td data-of=\"Support\"><span id=\"support{0}\"></span></td></tr>\n",
        i, i % 8, Html(report.strategies[i].name));
  }
  return text + "</tbody>\n</table>\n</form>\n</section>\n";
}

std::string Reading(const Report& report) {
  return fmt::format(
      "<section aria-labelledby=\"reading\">\n<h2 id=\"reading\">How to read this</h2>\n<dl>\n"
      "<dt>Support</dt><dd>The share of a crawl's fetches whose outcome was recorded. All others "
      "are unknown. Below {} there is no verdict.</dd>\n"
      "<dt>Bounds</dt><dd>The figure if every unknown page is the worst that it can be, and the "
      "best. Nobody knows the links of an unknown page either, so a strategy crawls several times, "
      "each time with others: a further such crawl lies within the bounds with 95 % "
      "probability.</dd>\n"
      "<dt>Estimate (≈)</dt><dd>The figure if unknown pages are as the recorded ones of the same "
      "registered domain and depth. {}</dd>\n"
      "<dt>95 %</dt><dd>{}</dd>\n"
      "<dt>Inversions</dt><dd>Fetches of a page while another one of the same domain, of greater "
      "value and linked to by a page fetched before, still waited.</dd>\n"
      "<dt>Idle</dt><dd>Time in which spiders had room and requests, and all of them waited for "
      "their domains' delays.</dd>\n</dl>\n</section>\n",
      ShowPercent(report.needed_support),
      report.recording.explored == 0
          ? "The recorded crawl explored nothing, so they are its strategy's choice, and what it "
            "left out may be worse."
          : "Pages that the recorded crawl explored weigh as many as they stand for.",
      report.resampled_domains == 0
          ? "No interval: there are fewer than ten domains to resample."
          : fmt::format("The interval of 1,000 resamples of the {}: how far the figure would vary "
                        "with other domains of this kind.",
                        ShowCount(report.resampled_domains, "registered domain")));
}

}  // namespace

std::string HtmlReport(const Report& report) {
  std::string page = fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
      "'unsafe-inline'; script-src 'unsafe-inline'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>Strategies on the recording {}</title>\n<style>\n",
      Html(report.recording.name));
  page.append(kReportStyle).append("</style>\n</head>\n<body>\n");
  page += Header(report) + "<main>\n" + Verdicts(report);
  if (!report.strategies.empty()) {
    page += Explorer(report) + FiguresSection(report) + DifferencesSection(report) +
            CrawlsSection(report) + DomainsSection(report) + Reading(report);
  }
  page += fmt::format(
      "</main>\n<footer><p>Made by orbweaver replay --crawl from a recording by {}. "
      "The same figures stand in curves.csv and figures.csv beside this "
      "page.</p></footer>\n",
      Html(report.recording.software.empty() ? "orbweaver" : report.recording.software));
  if (!report.strategies.empty()) {
    page += "<script type=\"application/json\" id=\"data\">" + DataJson(report) + "</script>\n";
    page.append("<script>\n").append(kReportScript).append("</script>\n");
  }
  return page + "</body>\n</html>\n";
}

}  // namespace orbweaver::lab
