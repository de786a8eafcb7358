// A library whose entry point throws.
#include <stdexcept>

#include "strategy_worker/sdk/strategy_abi.h"

extern "C" __attribute__((visibility("default"))) const orbweaver_strategy*
orbweaver_strategy_v1() {
  throw std::runtime_error("not today");
}
