// A library that holds two strategies.
#include <orbweaver/strategy.h>

namespace {

class Wide final : public orbweaver::sdk::Strategy {
  orbweaver::sdk::Integer width_{this, "width", 2, 0, 100, "How wide"};
};

class Deep final : public orbweaver::sdk::Strategy {
  orbweaver::sdk::NeedsBody body_{this};
  orbweaver::sdk::Integer depth_{this, "depth", 2, 0, 100, "How deep"};
};

}  // namespace

ORBWEAVER_STRATEGIES(ORBWEAVER_ENTRY(Wide, "wide", 1, "Many domains"),
                     ORBWEAVER_ENTRY(Deep, "deep", 3, "Few domains"));
