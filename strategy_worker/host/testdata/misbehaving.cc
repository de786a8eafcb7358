// A strategy that does what its parameter `flaw` names, without the SDK's wrapper in between.
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>

#include "strategy_worker/sdk/strategy_abi.h"

namespace {

struct Self {
  std::string flaw;
  std::string text;
  orbweaver_request request{};
  orbweaver_meta meta[17] = {};
};

int Fail(std::string_view message, orbweaver_error* error) {
  error->size = message.size();  // beyond the capacity, too: the host must not believe it
  std::memcpy(error->message, message.data(), std::min(message.size(), error->capacity));
  return 1;
}

// Calls itself until the stack is used up.
int Recurse(int depth) {
  volatile int kept = depth;
  return kept < 0 ? 0 : Recurse(depth + 1) + kept;
}

// Does not come back, or not by returning.
void Die(const std::string& flaw, const orbweaver_event* event) {
  if (flaw == "crash") *static_cast<volatile int*>(nullptr) = 1;
  if (flaw == "abort") std::abort();
  if (flaw == "exit") std::exit(0);
  if (flaw == "recurse") Recurse(0);
  if (flaw == "throw in a thread") {
    std::thread([] { throw std::runtime_error("out of cheese"); }).join();
  }
  if (flaw == "write over the event") {
    const_cast<orbweaver_event*>(event)->domain_view =
        reinterpret_cast<const orbweaver_domain*>(uintptr_t{0x10});
    *static_cast<volatile int*>(nullptr) = 1;
  }
}

int Create(const orbweaver_setting* settings, size_t, uint64_t, void** self, orbweaver_error*) {
  const std::string flaw(settings[0].value_view.data, settings[0].value_view.size);
  if (flaw == "throw in create") throw std::runtime_error("out of cheese");
  *self = new Self{.flaw = flaw};
  return 0;
}

void Destroy(void* self) {
  const std::string flaw = static_cast<Self*>(self)->flaw;
  delete static_cast<Self*>(self);
  if (flaw == "throw in destroy") throw std::runtime_error("never again");
}

int Filter(void* self, const orbweaver_event*, const orbweaver_link*, size_t count, uint8_t* keep,
           orbweaver_error*) {
  const std::string& flaw = static_cast<Self*>(self)->flaw;
  if (flaw == "throw in filter") throw std::runtime_error("clogged");
  if (flaw == "drop all") std::memset(keep, 0, count);
  return 0;
}

int OnEvent(void* self_pointer, const orbweaver_event* event, const orbweaver_link*,
            const orbweaver_state*, size_t, orbweaver_decision* decisions, orbweaver_output* output,
            orbweaver_error* error) {
  Self& self = *static_cast<Self*>(self_pointer);
  const std::string& flaw = self.flaw;
  orbweaver_decision& decision = decisions[0];
  decision.action = ORBWEAVER_SCHEDULE;
  decision.score = 0.5f;
  Die(flaw, event);
  if (flaw == "throw") throw std::runtime_error("out of cheese");
  if (flaw == "throw a number") throw 42;
  if (flaw == "silent") return 1;
  if (flaw == "message") return Fail("out of cheese", error);
  if (flaw == "long message") return Fail(std::string(5000, 'x'), error);
  if (flaw == "message beyond the buffer") {
    std::memset(error->message, 'x', error->capacity);
    error->capacity = error->size = size_t{1} << 30;
    return 1;
  }
  if (flaw == "message elsewhere") {
    Fail("out of cheese", error);
    error->message = nullptr;
    return 1;
  }
  if (flaw == "not utf8") return Fail("bad \xff\xfe bytes", error);
  if (flaw == "action") decision.action = 9;
  if (flaw == "score") decision.score = std::nanf("");
  if (flaw == "status") decision.set_status = 1, decision.status = 99;
  if (flaw == "not before") decision.not_before_ms = -1;
  if (flaw == "due") decision.set_due = 1, decision.due_at_ms = int64_t{1} << 60;
  if (flaw == "null meta") decision.meta_count = 1;
  if (flaw == "much meta") decision.meta_kept = self.meta, decision.meta_count = 17;
  if (flaw == "long meta") {
    self.text.assign(513, 'v');
    self.meta[0] = {{"key", 3}, {self.text.data(), self.text.size()}};
    decision.meta_kept = self.meta;
    decision.meta_count = 1;
  }
  if (flaw == "meta key") {
    self.meta[0] = {{"\xff", 1}, {"value", 5}};
    decision.meta_kept = self.meta;
    decision.meta_count = 1;
  }
  if (flaw == "null requests") output->request_count = 1;
  if (flaw == "many requests") output->request_count = 10'001;
  if (flaw.rfind("request", 0) == 0) {
    self.text = flaw == "request: long url" ? std::string(2049, 'u') : "https://example.com/";
    self.request.url = {self.text.data(), self.text.size()};
    self.request.decision.action =
        flaw == "request: left alone" ? ORBWEAVER_LEAVE : ORBWEAVER_SCHEDULE;
    output->requests_kept = &self.request;
    output->request_count = 1;
  }
  if (flaw == "domain data") {
    self.text.assign((64 << 10) + 1, 'd');
    output->set_domain_data = 1;
    output->domain_data_kept = {self.text.data(), self.text.size()};
  }
  if (flaw == "block") output->blocked_until_ms = -5;
  return 0;
}

int Adopt(void* self, orbweaver_text, uint32_t, orbweaver_text data, orbweaver_text* kept,
          orbweaver_error* error) {
  const std::string& flaw = static_cast<Self*>(self)->flaw;
  if (flaw == "adopt fails") return Fail("unknown bytes", error);
  *kept = data;
  if (flaw == "adopt too much") kept->size = (64 << 10) + 1;
  return 0;
}

int Finished(void* self, uint8_t* finished, orbweaver_error*) {
  if (static_cast<Self*>(self)->flaw == "throw in finished") throw std::runtime_error("never");
  *finished = 1;
  return 0;
}

constexpr orbweaver_parameter kParameters[] = {{"flaw", "text", "", "What to do wrong", 1, 0}};

}  // namespace

extern "C" __attribute__((visibility("default"))) const orbweaver_strategy*
orbweaver_strategy_v1() {
  static const orbweaver_strategy strategy = [] {
    orbweaver_strategy made{};
    made.abi = ORBWEAVER_STRATEGY_ABI;
    made.version = 1;
    made.struct_size = sizeof(orbweaver_strategy);
    made.event_size = sizeof(orbweaver_event);
    made.domain_size = sizeof(orbweaver_domain);
    made.page_size = sizeof(orbweaver_page);
    made.source_size = sizeof(orbweaver_source);
    made.failure_size = sizeof(orbweaver_failure);
    made.host_size = sizeof(orbweaver_host);
    made.link_size = sizeof(orbweaver_link);
    made.state_size = sizeof(orbweaver_state);
    made.decision_size = sizeof(orbweaver_decision);
    made.request_size = sizeof(orbweaver_request);
    made.output_size = sizeof(orbweaver_output);
    made.parameter_size = sizeof(orbweaver_parameter);
    made.setting_size = sizeof(orbweaver_setting);
    made.name = "misbehaving";
    made.doc = "Does what its parameter says";
    made.parameters = kParameters;
    made.parameter_count = 1;
    made.create = Create;
    made.destroy = Destroy;
    made.filter = Filter;
    made.on_event = OnEvent;
    made.adopt = Adopt;
    made.finished = Finished;
    return made;
  }();
  return &strategy;
}
