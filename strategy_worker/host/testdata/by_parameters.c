/* A library whose description depends on what is configured, as one that runs scripts has it: its
 * strategy is named, and has a parameter, after the parameter `script`. Without one it refuses. */
#include <stdio.h>
#include <string.h>

#include "strategy_worker/sdk/strategy_abi.h"

static int Create(const orbweaver_setting* settings, size_t count, uint64_t seed, void** self,
                  orbweaver_error* error) {
  (void)settings;
  (void)count;
  (void)seed;
  (void)error;
  *self = NULL;
  return 0;
}
static void Destroy(void* self) { (void)self; }
static int OnEvent(void* self, const orbweaver_event* event, const orbweaver_link* links,
                   const orbweaver_state* states, size_t count, orbweaver_decision* decisions,
                   orbweaver_output* output, orbweaver_error* error) {
  (void)self;
  (void)event;
  (void)links;
  (void)states;
  (void)count;
  (void)decisions;
  (void)output;
  (void)error;
  return 0;
}

static const orbweaver_strategy* Describe(const orbweaver_choice* choice, orbweaver_error* error);

static char name[64];
static char parameter_name[64];
static const orbweaver_parameter kScript = {"script", "text", "", "Which script", 1, 0};
static orbweaver_parameter parameters[2];
static orbweaver_strategy strategy = {
    .abi = ORBWEAVER_STRATEGY_ABI,
    .version = 1,
    .struct_size = sizeof(orbweaver_strategy),
    .event_size = sizeof(orbweaver_event),
    .domain_size = sizeof(orbweaver_domain),
    .page_size = sizeof(orbweaver_page),
    .source_size = sizeof(orbweaver_source),
    .failure_size = sizeof(orbweaver_failure),
    .host_size = sizeof(orbweaver_host),
    .link_size = sizeof(orbweaver_link),
    .state_size = sizeof(orbweaver_state),
    .decision_size = sizeof(orbweaver_decision),
    .request_size = sizeof(orbweaver_request),
    .output_size = sizeof(orbweaver_output),
    .parameter_size = sizeof(orbweaver_parameter),
    .setting_size = sizeof(orbweaver_setting),
    .name = name,
    .doc = "Runs a script",
    .parameters = parameters,
    .parameter_count = 2,
    .create = Create,
    .destroy = Destroy,
    .on_event = OnEvent,
    .describe = Describe,
};

static const orbweaver_strategy* Describe(const orbweaver_choice* choice, orbweaver_error* error) {
  if (choice->index > 0) return NULL;
  for (size_t i = 0; i < choice->setting_count; ++i) {
    const orbweaver_setting* const setting = &choice->settings_view[i];
    if (setting->name_view.size != 6 || memcmp(setting->name_view.data, "script", 6) != 0) continue;
    snprintf(name, sizeof(name), "script_%.*s", (int)setting->value_view.size,
             setting->value_view.data);
    snprintf(parameter_name, sizeof(parameter_name), "of_%.*s", (int)setting->value_view.size,
             setting->value_view.data);
    parameters[0] = kScript;
    parameters[1] = (orbweaver_parameter){parameter_name, "integer", "1", "Its own", 0, 5};
    return &strategy;
  }
  error->size = 17;
  memcpy(error->message, "no script is set.", 17);
  return NULL;
}

__attribute__((visibility("default"))) const orbweaver_strategy* orbweaver_strategy_v1(void);
const orbweaver_strategy* orbweaver_strategy_v1(void) { return &strategy; }
