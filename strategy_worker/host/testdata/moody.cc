// A strategy that crawls all that it sees, and does on a page what the page's URL says: throw,
// crash, loop.
#include <stdexcept>
#include <string_view>

#include "orbweaver/strategy.h"

namespace {

using orbweaver::sdk::Link;
using orbweaver::sdk::Links;
using orbweaver::sdk::Page;

class Moody : public orbweaver::sdk::Strategy {
 public:
  void OnLinks(Links& links) override {
    for (Link link : links) {
      if (link.IsNew()) link.Schedule(1);
    }
  }

  void OnPage(Page& page) override {
    const std::string_view url = page.link().url();
    const auto says = [url](std::string_view word) { return url.find(word) != url.npos; };
    if (says("throw") && !calm) throw std::runtime_error("out of \x1b[31mcheese");
    if (says("crash")) *static_cast<volatile int*>(nullptr) = 1;
    while (says("loop")) looks_ = looks_ + 1;
  }

  orbweaver::sdk::Flag calm{this, "calm", false, "Throw nothing"};

 private:
  volatile int looks_ = 0;
};

}  // namespace

ORBWEAVER_STRATEGY(Moody, "moody", 1, "Does what a page's URL says");
