// Sites behind the spiders' simulated fetchers.
#pragma once

#include <string_view>

#include "common/base/ids.h"
#include "tests/support/simulated_fetcher.h"

namespace orbweaver::sim {

class SimWeb {
 public:
  virtual ~SimWeb() = default;

  // `client` begins a request now.
  virtual SimulatedAnswer Begin(int client, FetchId id, std::string_view url) = 0;
  // Its answer was taken.
  virtual void End(FetchId) {}
  // The client's connections are gone.
  virtual void Disconnect(int client) = 0;
};

}  // namespace orbweaver::sim
