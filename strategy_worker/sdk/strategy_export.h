// The boundary between a strategy class and strategy_abi.h: the second half of strategy.h, which
// includes it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <exception>
#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "orbweaver/strategy.h"

namespace orbweaver::sdk::internal {

inline void PutMessage(std::string_view message, orbweaver_error* error) noexcept {
  error->size = std::min(message.size(), error->capacity);
  std::memcpy(error->message, message.data(), error->size);
}

// No exception may cross a C interface: runs `function`, and makes a message of what it throws.
template <typename Function>
int Guarded(orbweaver_error* error, Function function) noexcept {
  try {
    function();
    return 0;
  } catch (const std::exception& exception) {
    PutMessage(exception.what(), error);
  } catch (...) {
    PutMessage("an exception that is not a std::exception", error);
  }
  return 1;
}

// The version of the ABI that this is compiled against, and the size of every struct of it.
inline void SetSizes(orbweaver_strategy* raw) {
  raw->abi = ORBWEAVER_STRATEGY_ABI;
  raw->struct_size = sizeof(orbweaver_strategy);
  raw->event_size = sizeof(orbweaver_event);
  raw->domain_size = sizeof(orbweaver_domain);
  raw->page_size = sizeof(orbweaver_page);
  raw->source_size = sizeof(orbweaver_source);
  raw->failure_size = sizeof(orbweaver_failure);
  raw->host_size = sizeof(orbweaver_host);
  raw->link_size = sizeof(orbweaver_link);
  raw->state_size = sizeof(orbweaver_state);
  raw->decision_size = sizeof(orbweaver_decision);
  raw->request_size = sizeof(orbweaver_request);
  raw->output_size = sizeof(orbweaver_output);
  raw->parameter_size = sizeof(orbweaver_parameter);
  raw->setting_size = sizeof(orbweaver_setting);
}

// Whether S has the constant that once declared a need, and that nothing reads any more.
template <typename S, typename = void>
struct HasOldNeed : std::false_type {};
template <typename S>
struct HasOldNeed<S, std::void_t<decltype(S::kNeedsBody)>> : std::true_type {};

// The C functions of strategy class S.
template <typename S>
class Exported {
  static_assert(!HasOldNeed<S>::value,
                "kNeedsBody says nothing any more: declare a member, NeedsBody body_{this};");

 public:
  static const orbweaver_strategy* Describe(const char* name, uint32_t version, const char* doc) {
    static const Description description(name, version, doc);
    return &description.raw;
  }

 private:
  struct Instance {
    S own;
    Kept kept;
    std::string adopted;

    // S may keep its handlers private.
    Strategy& strategy() { return own; }
  };

  struct Description {
    // Its declarations point into it, so it stays.
    const std::unique_ptr<S> prototype = std::make_unique<S>();
    std::vector<orbweaver_parameter> parameters;
    orbweaver_strategy raw{};

    Description(const char* name, uint32_t version, const char* doc) {
      for (const Parameter* parameter : prototype->parameters()) {
        parameters.push_back(parameter->declaration());
      }
      SetSizes(&raw);
      raw.version = version;
      raw.name = name;
      raw.doc = doc;
      raw.parameters = parameters.data();
      raw.parameter_count = parameters.size();
      raw.needs = prototype->needs();
      // For hosts of 1.0.
      raw.needs_body = (raw.needs & ORBWEAVER_NEEDS_BODY) != 0 ? 1 : 0;
      raw.create = Create;
      raw.destroy = Destroy;
      raw.filter = Filter;
      raw.on_event = OnEvent;
      raw.adopt = Adopt;
      raw.finished = Finished;
    }
  };

  static int Create(const orbweaver_setting* settings, size_t count, uint64_t seed, void** self,
                    orbweaver_error* error) {
    return Guarded(error, [&] {
      auto instance = std::make_unique<Instance>();
      const std::vector<Parameter*>& parameters = instance->own.parameters();
      if (count != parameters.size())
        throw std::invalid_argument("not every parameter has a value");
      for (size_t i = 0; i < count; ++i) {
        try {
          parameters[i]->Parse(View(settings[i].value_view));
        } catch (const std::exception& exception) {
          throw std::invalid_argument("parameter '" + std::string(parameters[i]->name()) +
                                      "': " + exception.what());
        }
      }
      instance->strategy().Start(seed);
      *self = instance.release();
    });
  }

  static void Destroy(void* self) { delete static_cast<Instance*>(self); }

  static int Filter(void* self, const orbweaver_event* event, const orbweaver_link* links,
                    size_t count, uint8_t* keep, orbweaver_error* error) {
    return Guarded(error, [&] {
      LinkFilter filter(event, links, count, keep);
      static_cast<Instance*>(self)->strategy().Filter(filter);
    });
  }

  static int OnEvent(void* self, const orbweaver_event* event, const orbweaver_link* links,
                     const orbweaver_state* states, size_t count, orbweaver_decision* decisions,
                     orbweaver_output* output, orbweaver_error* error) {
    return Guarded(error, [&] {
      auto& instance = *static_cast<Instance*>(self);
      Strategy& strategy = instance.strategy();
      Kept* const kept = &instance.kept;
      kept->Clear();
      switch (event->kind) {
        case ORBWEAVER_SEEDS: {
          Seeds seeds(event, links, states, count, decisions, output, kept);
          return strategy.OnSeeds(seeds);
        }
        case ORBWEAVER_PAGE: {
          Page page(event, links, states, count, decisions, output, kept);
          return strategy.OnPage(page);
        }
        case ORBWEAVER_LINKS: {
          Links found(event, links, states, count, decisions, output, kept);
          return strategy.OnLinks(found);
        }
        case ORBWEAVER_FAILURE: {
          Failure failure(event, links, states, count, decisions, output, kept);
          return strategy.OnFailure(failure);
        }
        case ORBWEAVER_HOST: {
          Host host(event, output, kept);
          return strategy.OnHost(host);
        }
        default:
          throw std::invalid_argument("event of an unknown kind");
      }
    });
  }

  static int Adopt(void* self, orbweaver_text from_name, uint32_t from_version, orbweaver_text data,
                   orbweaver_text* kept, orbweaver_error* error) {
    return Guarded(error, [&] {
      auto& instance = *static_cast<Instance*>(self);
      instance.adopted = instance.strategy().Adopt(View(from_name), from_version, View(data));
      *kept = Text(instance.adopted);
    });
  }

  static int Finished(void* self, uint8_t* finished, orbweaver_error* error) {
    return Guarded(
        error, [&] { *finished = static_cast<Instance*>(self)->strategy().Finished() ? 1 : 0; });
  }
};

// A library's strategies, each described as the one of its index.
class Library {
 public:
  using Choose = const orbweaver_strategy*(const orbweaver_choice* choice, orbweaver_error* error);

  Library(std::initializer_list<const orbweaver_strategy*> strategies, Choose* choose) {
    for (const orbweaver_strategy* strategy : strategies) {
      strategies_.push_back(*strategy);
      strategies_.back().describe = choose;
    }
  }
  const orbweaver_strategy* At(size_t index) const {
    return index < strategies_.size() ? &strategies_[index] : nullptr;
  }

 private:
  std::vector<orbweaver_strategy> strategies_;
};

}  // namespace orbweaver::sdk::internal

// Makes `class_name` the strategy of this library. `name`: lower-case words joined by underscores;
// `version`: raise it when the meaning of domain bytes changes; `doc`: one line.
#define ORBWEAVER_STRATEGY(class_name, name, version, doc)                                 \
  extern "C" __attribute__((visibility("default"))) const orbweaver_strategy*              \
  orbweaver_strategy_v1(void) {                                                            \
    return ::orbweaver::sdk::internal::Exported<class_name>::Describe(name, version, doc); \
  }                                                                                        \
  static_assert(true, "takes the semicolon")

// Makes several classes the strategies of this library, in place of ORBWEAVER_STRATEGY:
//
//   ORBWEAVER_STRATEGIES(ORBWEAVER_ENTRY(Wide, "wide", 1, "Many domains, few pages of each"),
//                        ORBWEAVER_ENTRY(Deep, "deep", 1, "Few domains, all of each"));
//
// `mine.so#deep` then names one of them.
#define ORBWEAVER_ENTRY(class_name, name, version, doc) \
  ::orbweaver::sdk::internal::Exported<class_name>::Describe(name, version, doc)
#define ORBWEAVER_STRATEGIES(...)                                                              \
  static const orbweaver_strategy* orbweaver_choose(const orbweaver_choice* choice,            \
                                                    orbweaver_error*) {                        \
    static const ::orbweaver::sdk::internal::Library library({__VA_ARGS__}, orbweaver_choose); \
    return library.At(choice->index);                                                          \
  }                                                                                            \
  extern "C" __attribute__((visibility("default"))) const orbweaver_strategy*                  \
  orbweaver_strategy_v1(void) {                                                                \
    const orbweaver_choice first{};                                                            \
    return orbweaver_choose(&first, nullptr);                                                  \
  }                                                                                            \
  static_assert(true, "takes the semicolon")
