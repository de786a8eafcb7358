// A value expression of any bytes is made or refused with a place in it, and what was made gives
// each page a finite value of at least 0, the same one when its text is read again.
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

#include "common/base/check.h"
#include "common/base/status.h"
#include "lab/report/value_expression.h"
#include "tests/fuzz/time_bound.h"

namespace orbweaver::lab {
namespace {

// A page that has all that an expression asks for, and one that has nothing.
PageFetched FullPage() {
  PageFetched page;
  page.request = {.url = "https://de.example.org/wiki/aaaaaaaa?a=b",
                  .domain = "example.org",
                  .depth = 3,
                  .score = 0.5F};
  page.status = 200;
  page.language = "de-AT, en";
  page.content_type = "text/html; charset=utf-8";
  page.title = "A title with 'quotes' and 100 %";
  page.body_bytes = 20'000;
  page.text_bytes = 4000;
  page.links_inside = 7;
  return page;
}

void Run(std::string_view text) {
  const auto made = ValueExpression::Parse(text);
  if (!made.ok()) {
    CHECK(IsFatal(made.status()));
    CHECK(MessageOf(made.status()).size() < 1000);
    return;
  }
  CHECK(made->text() == text);
  const auto again = ValueExpression::Parse(made->text());
  CHECK_OK(again.status());
  const PageFetched pages[] = {FullPage(), PageFetched()};
  for (const PageFetched& page : pages) {
    const RecordedPage recorded{.page = page, .domain = page.request.domain};
    const double value = made->Evaluate(recorded);
    CHECK(std::isfinite(value) && value >= 0);
    CHECK(!made->is_condition() || value == 0 || value == 1);
    CHECK(again->Evaluate(recorded) == value);
  }
}

}  // namespace
}  // namespace orbweaver::lab

static void RunOne(const uint8_t* data, size_t size) {
  orbweaver::lab::Run({reinterpret_cast<const char*>(data), size});
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return orbweaver::RunWithinTime(data, size, RunOne);
}
