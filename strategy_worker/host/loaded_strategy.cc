#include "strategy_worker/host/loaded_strategy.h"

#include <exception>
#include <utility>
#include <vector>

#include "common/base/log.h"
#include "common/base/status.h"
#include "strategy_worker/host/output_check.h"
#include "strategy_worker/host/plugin_message.h"
#include "strategy_worker/states/domain_record.h"

namespace orbweaver {
namespace {

std::string_view View(orbweaver_text text) { return {text.data, text.size}; }
orbweaver_text Text(std::string_view text) { return {text.data(), text.size()}; }

CallArguments Arguments(const char* function, const orbweaver_event& event,
                        std::span<const orbweaver_link> links) {
  return {.function = function, .event = &event, .links = links.data(), .link_count = links.size()};
}

absl::Status Failed(std::string_view strategy, const CallArguments& call,
                    std::string_view failure) {
  FixedText text;
  Describe(call, &text);
  return PoisonError("strategy '{}' failed in {}: {}", strategy, text.view(), failure);
}

}  // namespace

template <typename Function>
std::string LoadedStrategy::Call(const CallArguments& arguments, Function function) {
  const CallScope scope(call_, arguments);
  PluginMessage message;
  try {
    if (function(message.error()) == 0) return {};
  } catch (const std::exception& exception) {
    return fmt::format("it throws: {}", exception.what());
  } catch (...) {
    return "it throws what is not a std::exception";
  }
  std::string text = message.text();
  return text.empty() ? "it fails without a message" : text;
}

LoadedStrategy::LoadedStrategy(StrategyLibrary library)
    : library_(std::move(library)),
      abi_(library_.strategy()),
      call_(abi_.name),
      links_(abi_.link_size),
      states_(abi_.state_size),
      decisions_(abi_.decision_size) {}

absl::StatusOr<std::unique_ptr<LoadedStrategy>> LoadedStrategy::Make(
    const StrategyLibrary& library, std::span<const std::string> values, uint64_t seed) {
  const orbweaver_strategy& abi = library.strategy();
  std::vector<orbweaver_setting> settings;
  for (size_t i = 0; i < values.size(); ++i) {
    settings.push_back({.name_view = Text(abi.parameters[i].name), .value_view = Text(values[i])});
  }
  ArrayOf<orbweaver_setting> theirs(abi.setting_size);
  const orbweaver_setting* const as_theirs =
      theirs.Theirs(std::span<const orbweaver_setting>(settings));
  std::unique_ptr<LoadedStrategy> strategy(new LoadedStrategy(library));
  const std::string failure = strategy->Call({.function = "Start"}, [&](orbweaver_error* error) {
    return abi.create(as_theirs, settings.size(), seed, &strategy->self_, error);
  });
  if (!failure.empty()) return FatalError("it refuses to start: {}", failure);
  strategy->made_ = true;
  return strategy;
}

LoadedStrategy::~LoadedStrategy() {
  if (!made_) return;
  const CallScope scope(call_, {.function = "its destructor"});
  try {
    abi_.destroy(self_);
  } catch (...) {
    Log(LogLevel::kError, "strategy", "destroy strategy '{}': it throws", abi_.name);
  }
}

absl::Status LoadedStrategy::Filter(const orbweaver_event& event,
                                    std::span<const orbweaver_link> links,
                                    std::span<uint8_t> keep) {
  if (!abi_.filter) return absl::OkStatus();
  const CallArguments call = Arguments("Filter", event, links);
  const std::string failure = Call(call, [&](orbweaver_error* error) {
    return abi_.filter(self_, &event, links_.Theirs(links), links.size(), keep.data(), error);
  });
  return failure.empty() ? absl::OkStatus() : Failed(abi_.name, call, failure);
}

void LoadedStrategy::LookForBody(const orbweaver_event& event) {
  if ((abi_.needs & ORBWEAVER_NEEDS_BODY) == 0 || told_of_bodies_ || event.kind != ORBWEAVER_PAGE)
    return;
  const orbweaver_page& page = *event.page_view;
  if (page.body_view.size != 0 || page.body_bytes == 0 || page.not_modified) return;
  told_of_bodies_ = true;
  Log(LogLevel::kWarning, "strategy",
      "run strategy '{}': it works on the bodies of pages, and a page of '{}' came without. Set "
      "spider.publish.log_body for the spiders; bodies too large for a message are left out even "
      "then",
      abi_.name, View(event.domain_view->name_view));
}

absl::Status LoadedStrategy::OnEvent(const orbweaver_event& event,
                                     std::span<const orbweaver_link> links,
                                     std::span<const orbweaver_state> states,
                                     std::span<orbweaver_decision> decisions,
                                     orbweaver_output* output) {
  LookForBody(event);
  const CallArguments call = Arguments(HandlerOf(event.kind), event, links);
  std::string failure = Call(call, [&](orbweaver_error* error) {
    return abi_.on_event(self_, &event, links_.Theirs(links), states_.Theirs(states), links.size(),
                         decisions_.Theirs(decisions), output, error);
  });
  const char* flaw = nullptr;
  if (failure.empty()) {
    decisions_.TakeBack(decisions);
    flaw = RequestsFlaw(*output);
  }
  if (failure.empty() && flaw == nullptr) {
    output->requests_kept =
        Ours(output->requests_kept, abi_.request_size, output->request_count, &requests_).data();
    flaw = OutputFlaw(decisions, *output);
  }
  if (flaw) failure = fmt::format("it decided {}", flaw);
  return failure.empty() ? absl::OkStatus() : Failed(abi_.name, call, failure);
}

absl::StatusOr<std::string> LoadedStrategy::Adopt(std::string_view from_name, uint32_t from_version,
                                                  std::string_view data) {
  if (!abi_.adopt) return std::string();
  orbweaver_text adopted{};
  std::string failure = Call({.function = "Adopt"}, [&](orbweaver_error* error) {
    return abi_.adopt(self_, Text(from_name), from_version, Text(data), &adopted, error);
  });
  if (failure.empty() && adopted.size > kMaxStrategyBytes) {
    failure = "it makes more than 64 KB of domain data";
  }
  if (failure.empty()) return std::string(View(adopted));
  return PoisonError("adopt domain data of strategy '{}' version {} by strategy '{}': {}",
                     from_name, from_version, abi_.name, failure);
}

absl::StatusOr<bool> LoadedStrategy::Finished() {
  if (!abi_.finished) return false;
  uint8_t finished = 0;
  const std::string failure = Call({.function = "Finished"}, [&](orbweaver_error* error) {
    return abi_.finished(self_, &finished, error);
  });
  if (failure.empty()) return finished != 0;
  return PoisonError("ask strategy '{}' whether it has finished: {}", abi_.name, failure);
}

absl::Status LoadedStrategy::Reload() {
  if (abi_.reload == nullptr) {
    return FatalError("reload strategy '{}' ({}): a library cannot be reloaded. Restart the worker",
                      abi_.name, library_.path());
  }
  const std::string failure = Call(
      {.function = "Reload"}, [&](orbweaver_error* error) { return abi_.reload(self_, error); });
  if (failure.empty()) return absl::OkStatus();
  return FatalError("reload strategy '{}': {}. The one before goes on", abi_.name, failure);
}

}  // namespace orbweaver
