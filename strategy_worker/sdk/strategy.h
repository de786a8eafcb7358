// Writing a crawl strategy in C++ (17 or later): one small class.
//
//   #include <orbweaver/strategy.h>
//
//   class Shallow final : public orbweaver::sdk::Strategy {
//     orbweaver::sdk::Integer max_depth_{this, "max_depth", 2, 0, 100, "Links followed from a
//     seed"};
//
//     void OnLinks(orbweaver::sdk::Links& links) override {
//       if (links.depth() >= max_depth_) return;
//       for (orbweaver::sdk::Link link : links) {
//         if (link.IsNew()) link.Schedule(0.5f);
//       }
//     }
//   };
//   ORBWEAVER_STRATEGY(Shallow, "shallow", 1, "Everything within a few links of the seeds")
//
// The macro stands once in a library, outside any namespace. crawl_rules.h has what most strategies
// want besides: allowed and denied URLs, limits, retries. docs/strategies.md is the guide.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "orbweaver/events.h"
#include "orbweaver/parameters.h"

namespace orbweaver::sdk {

// Lifecycle: made without arguments; parameters set; Start; events, one at a time on one thread;
// destroyed. One is also made to read the declarations of its parameters, and never started: keep
// constructors cheap.
//
// A handler that throws has decided nothing: the event goes to the dead-letter topic with the
// exception's text. A strategy keeps nothing of single URLs in its members: there may be billions;
// states (Link::SetData) and domain bytes (Event::KeepDomainData) survive restarts, members do not.
class Strategy : public ParameterOwner {
 public:
  virtual ~Strategy() = default;

  // The parameters are set. Throws when they do not fit together: the worker does not start then.
  // `seed` is for strategies that decide at random.
  virtual void Start(uint64_t seed) { static_cast<void>(seed); }

  // Links or seeds, before their states are loaded: drop what is not wanted whatever its state.
  virtual void Filter(LinkFilter& links) { static_cast<void>(links); }

  virtual void OnSeeds(Seeds& seeds) {
    for (Link seed : seeds) {
      if (seed.IsNew()) seed.Schedule(seed.seed_score().value_or(1.0f));
    }
  }
  virtual void OnPage(Page& page) { static_cast<void>(page); }
  virtual void OnLinks(Links& links) { static_cast<void>(links); }
  virtual void OnFailure(Failure& failure) { static_cast<void>(failure); }
  virtual void OnHost(Host& host) { static_cast<void>(host); }

  // Domain bytes of another strategy, or of another version of this one: returns what is to stand
  // in their place. Link states need no such step: all strategies share them, but for their 8
  // bytes.
  virtual std::string Adopt(std::string_view from_name, uint32_t from_version,
                            std::string_view data) {
    static_cast<void>(from_name);
    static_cast<void>(from_version);
    static_cast<void>(data);
    return {};
  }

  // Whether the crawl has reached its aim; else it ends when nothing is queued.
  virtual bool Finished() { return false; }
};

}  // namespace orbweaver::sdk

#include "orbweaver/strategy_export.h"
