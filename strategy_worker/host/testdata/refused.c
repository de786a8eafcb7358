/* Strategies that the loader must refuse: sound but for the one flaw that the build defines
 * (../CMakeLists.txt). Also shows that a strategy can be written in C. */
#include <string.h>

#include "strategy_worker/sdk/strategy_abi.h"

static int Create(const orbweaver_setting* settings, size_t count, uint64_t seed, void** self,
                  orbweaver_error* error) {
  (void)settings;
  (void)count;
  (void)seed;
  *self = NULL;
#ifdef FLAW_CREATE_FAILS
  error->size = 10;
  memcpy(error->message, "no licence", 10);
  return 1;
#else
  (void)error;
  return 0;
#endif
}

static void Destroy(void* self) { (void)self; }

#ifdef FLAW_UNDEFINED_SYMBOL
int NowhereDefined(void);
#endif

static int OnEvent(void* self, const orbweaver_event* event, const orbweaver_link* links,
                   const orbweaver_state* states, size_t count, orbweaver_decision* decisions,
                   orbweaver_output* output, orbweaver_error* error) {
  (void)self;
  (void)event;
  (void)links;
  (void)states;
  (void)output;
  (void)error;
  for (size_t i = 0; i < count; ++i) {
    decisions[i].action = ORBWEAVER_SCHEDULE;
    decisions[i].score = 0.5f;
  }
#ifdef FLAW_UNDEFINED_SYMBOL
  return NowhereDefined();
#else
  return 0;
#endif
}

static const orbweaver_parameter kParameters[] = {
#ifdef FLAW_BAD_DEFAULT
    {"depth", "integer", "11", "How deep", 0, 10},
#else
    {"depth", "integer", "3", "How deep", 0, 10},
#endif
#ifdef FLAW_BAD_TYPE
    {"share", "fraction", "0.5", "How much", 0, 1},
#else
    {"share", "number", "0.5", "How much", 0, 1},
#endif
    {"quick", "bool", "true", "Whether", 1, 0},
#ifdef FLAW_TWICE
    {"depth", "text", "", "Which", 1, 0},
#else
    {"word", "text", "", "Which", 1, 0},
#endif
#ifdef FLAW_PARAMETER_NAME
    {"Any Number", "integer", "0", "Of no bounds", 1, 0},
#else
    {"any_number", "integer", "0", "Of no bounds", 1, 0},
#endif
};

static const orbweaver_strategy kStrategy = {
#ifdef FLAW_ABI
    .abi = ORBWEAVER_STRATEGY_ABI + 1,
#else
    .abi = ORBWEAVER_STRATEGY_ABI,
#endif
    .version = 7,
    .struct_size = sizeof(orbweaver_strategy),
    .event_size = sizeof(orbweaver_event),
    .domain_size = sizeof(orbweaver_domain),
    .page_size = sizeof(orbweaver_page),
    .source_size = sizeof(orbweaver_source),
    .failure_size = sizeof(orbweaver_failure),
    .host_size = sizeof(orbweaver_host),
    .link_size = sizeof(orbweaver_link),
#ifdef FLAW_NEWER
    .state_size = sizeof(orbweaver_state) + 8,
#else
    .state_size = sizeof(orbweaver_state),
#endif
#ifdef FLAW_NEEDS
    .needs = 0x8000,
#endif
#ifdef FLAW_SIZE
    .decision_size = sizeof(orbweaver_decision) - 8,
#else
    .decision_size = sizeof(orbweaver_decision),
#endif
    .request_size = sizeof(orbweaver_request),
    .output_size = sizeof(orbweaver_output),
    .parameter_size = sizeof(orbweaver_parameter),
    .setting_size = sizeof(orbweaver_setting),
#ifndef FLAW_NO_NAME
    .name = "plain_c",
#endif
    .doc = "Everything, in C",
    .parameters = kParameters,
    .parameter_count = sizeof(kParameters) / sizeof(kParameters[0]),
    .create = Create,
    .destroy = Destroy,
#ifndef FLAW_NO_HANDLER
    .on_event = OnEvent,
#endif
};

__attribute__((visibility("default"))) const orbweaver_strategy*
#ifdef FLAW_NO_SYMBOL
orbweaver_strategy_elsewhere(void);
const orbweaver_strategy* orbweaver_strategy_elsewhere(void) {
#else
orbweaver_strategy_v1(void);
const orbweaver_strategy* orbweaver_strategy_v1(void) {
#endif
#ifdef FLAW_NULL
  return NULL;
#endif
  return &kStrategy;
}
