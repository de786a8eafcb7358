// A page parser with each engine, and the links that it finds.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "spider/parse/page_parser.h"

namespace orbweaver {

inline constexpr std::string_view kUrl = "http://www.example.com/dir/page.html";

// Every test on both engines: what a page means may not depend on who reads it.
class PageParserTest : public testing::TestWithParam<HtmlEngineKind> {
 protected:
  PageParserTest() { options_.engine = GetParam(); }

  const ParsedPage& Parse(std::string_view body, std::string_view type = "text/html") {
    body_ = body;
    parser_ = std::make_unique<PageParser>(options_, &resolver_);
    parser_->Parse({.url = kUrl,
                    .body = body_,
                    .content_type = type,
                    .content_language = content_language_,
                    .x_robots_tags = x_robots_tags_},
                   &page_);
    return page_;
  }
  std::vector<Link> Links() const {
    std::vector<Link> links;
    for (const DomainLinks& domain : page_.domains) {
      links.insert(links.end(), domain.links.begin(), domain.links.end());
    }
    return links;
  }
  std::vector<std::string_view> Urls() const {
    std::vector<std::string_view> urls;
    for (const Link& link : Links()) urls.push_back(link.url);
    return urls;
  }
  Link Only(std::string_view body) {
    Parse(body);
    EXPECT_EQ(1u, Links().size()) << body;
    return Links().empty() ? Link() : Links()[0];
  }

  ParseOptions options_;
  std::string_view content_language_;
  std::vector<std::string_view> x_robots_tags_;
  std::unique_ptr<const PublicSuffixes> suffixes_ = PublicSuffixes::Load({}).value();
  UrlResolver resolver_{UrlOptions(), *suffixes_};
  std::string body_;
  std::unique_ptr<PageParser> parser_;
  ParsedPage page_;
};
using UrlList = std::vector<std::string_view>;

}  // namespace orbweaver
