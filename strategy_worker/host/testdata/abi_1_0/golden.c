/* A strategy as it was built when the ABI was 1.0: in C, against the header beside it, which is
 * that of then and never changes. Neither does this. It uses all that there was: golden_abi_test.cc
 * gives it one event of each kind. */
#include <stdlib.h>
#include <string.h>

#include "strategy_worker/host/testdata/abi_1_0/strategy_abi.h"

struct strategy {
  uint64_t seed;
  int64_t depth;
  char word[64];
  char adopted[64];
  orbweaver_meta meta;
  orbweaver_request requests[2];
};

static int IsText(orbweaver_text text, const char* wanted) {
  return text.size == strlen(wanted) && memcmp(text.data, wanted, text.size) == 0;
}

static int Fail(orbweaver_error* error, const char* message) {
  error->size = strlen(message) < error->capacity ? strlen(message) : error->capacity;
  memcpy(error->message, message, error->size);
  return 1;
}

static int Create(const orbweaver_setting* settings, size_t count, uint64_t seed, void** self,
                  orbweaver_error* error) {
  struct strategy* strategy;
  if (count != 2 || !IsText(settings[0].name_view, "depth") ||
      !IsText(settings[1].name_view, "word") || settings[1].value_view.size >= 64) {
    return Fail(error, "the settings are not those that were declared");
  }
  strategy = calloc(1, sizeof(*strategy));
  strategy->seed = seed;
  strategy->depth = strtol(settings[0].value_view.data, NULL, 10);
  memcpy(strategy->word, settings[1].value_view.data, settings[1].value_view.size);
  *self = strategy;
  return 0;
}

static void Destroy(void* self) { free(self); }

/* Drops links whose URL ends with a 1. */
static int Filter(void* self, const orbweaver_event* event, const orbweaver_link* links,
                  size_t count, uint8_t* keep, orbweaver_error* error) {
  (void)self;
  if (event->kind != ORBWEAVER_LINKS) return Fail(error, "a filter of no links");
  for (size_t i = 0; i < count; ++i) {
    const orbweaver_text url = links[i].url_view;
    if (url.data[url.size - 1] == '1') keep[i] = 0;
  }
  return 0;
}

/* Decides each link by the last members of what it is told, and sets the last of what it decides.
 */
static void OnLinks(struct strategy* strategy, const orbweaver_link* links,
                    const orbweaver_state* states, size_t count, orbweaver_decision* decisions) {
  strategy->meta.key.data = "word";
  strategy->meta.key.size = 4;
  strategy->meta.value.data = strategy->word;
  strategy->meta.value.size = strlen(strategy->word);
  for (size_t i = 0; i < count; ++i) {
    orbweaver_decision* const decision = &decisions[i];
    decision->action = ORBWEAVER_SCHEDULE;
    decision->score = links[i].score;
    decision->not_before_ms = (int64_t)states[i].content_hash;
    decision->set_data = 1;
    memcpy(decision->data, states[i].data, sizeof(decision->data));
    decision->meta_kept = &strategy->meta;
    decision->meta_count = 1;
  }
}

static void OnPage(struct strategy* strategy, const orbweaver_event* event,
                   orbweaver_output* output) {
  orbweaver_request* const requests = strategy->requests;
  memset(requests, 0, sizeof(strategy->requests));
  for (int i = 0; i < 2; ++i) {
    const orbweaver_page* const page = event->page_view;
    requests[i].url = i == 0 ? page->canonical_url_view : page->final_url_view;
    requests[i].depth = event->depth + (uint32_t)i;
    requests[i].even_if_known = page->changed;
    requests[i].decision.action = ORBWEAVER_SCHEDULE;
    requests[i].decision.score = event->score;
  }
  output->requests_kept = requests;
  output->request_count = 2;
  output->set_domain_data = 1;
  output->domain_data_kept = event->domain_view->data_view;
  output->warning_kept = event->page_view->title_view;
}

static int OnEvent(void* self, const orbweaver_event* event, const orbweaver_link* links,
                   const orbweaver_state* states, size_t count, orbweaver_decision* decisions,
                   orbweaver_output* output, orbweaver_error* error) {
  struct strategy* const strategy = self;
  if (event->struct_size < sizeof(*event) || output->struct_size < sizeof(*output)) {
    return Fail(error, "the host's structs are smaller than mine");
  }
  switch (event->kind) {
    case ORBWEAVER_LINKS:
      if (event->source_view->same_domain) OnLinks(strategy, links, states, count, decisions);
      return 0;
    case ORBWEAVER_PAGE:
      OnPage(strategy, event, output);
      return 0;
    case ORBWEAVER_FAILURE:
      decisions[0].action = event->failure_view->transient ? ORBWEAVER_SCHEDULE : ORBWEAVER_DROP;
      decisions[0].not_before_ms = event->now_ms + event->failure_view->retry_after_ms;
      output->back_off = 1;
      return 0;
    case ORBWEAVER_HOST:
      output->blocked_until_ms = event->host_view->crawl_delay_ms;
      output->give_up_domain = event->host_view->dns == 2;
      return 0;
    default:
      return Fail(error, "an event that 1.0 did not have");
  }
}

static int Adopt(void* self, orbweaver_text from_name, uint32_t from_version, orbweaver_text data,
                 orbweaver_text* kept, orbweaver_error* error) {
  struct strategy* const strategy = self;
  if (from_version != 3 || from_name.size + data.size > sizeof(strategy->adopted)) {
    return Fail(error, "bytes that cannot be adopted");
  }
  memcpy(strategy->adopted, from_name.data, from_name.size);
  memcpy(strategy->adopted + from_name.size, data.data, data.size);
  kept->data = strategy->adopted;
  kept->size = from_name.size + data.size;
  return 0;
}

static int Finished(void* self, uint8_t* finished, orbweaver_error* error) {
  (void)error;
  *finished = ((struct strategy*)self)->seed == 7;
  return 0;
}

static const orbweaver_parameter kParameters[] = {
    {"depth", "integer", "3", "How deep", 0, 10},
    {"word", "text", "tea", "Which", 1, 0},
};

static const orbweaver_strategy kStrategy = {
    .abi = ORBWEAVER_STRATEGY_ABI,
    .version = 7,
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
    .name = "golden",
    .doc = "As it was built against ABI 1.0",
    .parameters = kParameters,
    .parameter_count = 2,
    .needs_body = 1,
    .create = Create,
    .destroy = Destroy,
    .filter = Filter,
    .on_event = OnEvent,
    .adopt = Adopt,
    .finished = Finished,
};

__attribute__((visibility("default"))) const orbweaver_strategy* orbweaver_strategy_v1(void);
const orbweaver_strategy* orbweaver_strategy_v1(void) { return &kStrategy; }
