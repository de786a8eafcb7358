// The links of a page that has one, to give to a strategy.
#pragma once

#include "absl/status/status.h"

#include "strategy_worker/host/strategy.h"
#include "strategy_worker/sdk/strategy_abi.h"

namespace orbweaver {

struct OneLink {
  orbweaver_domain domain{};
  orbweaver_source source{};
  orbweaver_event event{};
  orbweaver_link link{};
  orbweaver_state state{};
  orbweaver_decision decision{};
  orbweaver_output output{};
  uint8_t keep = 1;

  OneLink() {
    domain.name_view = {"example.com", 11};
    source.url_view = {"https://example.org/page", 24};
    link.url_view = {"https://example.com/a", 21};
    event.struct_size = sizeof(event);
    event.kind = ORBWEAVER_LINKS;
    event.domain_view = &domain;
    event.source_view = &source;
    output.struct_size = sizeof(output);
  }
  absl::Status GiveTo(Strategy& strategy) {
    return strategy.OnEvent(event, {&link, 1}, {&state, 1}, {&decision, 1}, &output);
  }
};

}  // namespace orbweaver
