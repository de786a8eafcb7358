/* The binary interface between a strategy worker and a crawl strategy: plain C, so that a strategy
 * built elsewhere, with another compiler or library, works with any worker of the same ABI version.
 *
 * Write strategies against strategy.h, the C++ wrapper beside this file; this one is for other
 * languages and for whoever maintains the host.
 *
 * A strategy is a shared library that exports `orbweaver_strategy_v1`. All calls come from one
 * thread. Each is made once per event, however many links it has: arrays of `count` elements belong
 * together by index.
 *
 * Ownership is in the name's end: what ends in `_view` belongs to the caller of the function and
 * lives until the function returns; what ends in `_kept` belongs to the strategy and must live
 * until its next call. Texts are UTF-8, need no zero at their end, and are never null when their
 * size is not 0.
 */
#ifndef ORBWEAVER_STRATEGY_ABI_H_
#define ORBWEAVER_STRATEGY_ABI_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Raised by every incompatible change; host and strategy must agree exactly.
 *
 * Within one ABI structs only grow, at their ends, and a strategy says how large each was when it
 * was built: the sizes are the contract. The host reads and writes no more of a struct than the
 * strategy has, steps through arrays by the strategy's sizes, and takes what the strategy does not
 * have for zero. So zero means "as it was before" in every member that is added, and none is put
 * into the padding that a struct ended with. orbweaver_text, orbweaver_meta and orbweaver_error
 * never grow. A strategy that was built against larger structs than the host's is refused. */
#define ORBWEAVER_STRATEGY_ABI 1u
/* Raised when something is added; for people and packages. */
#define ORBWEAVER_STRATEGY_ABI_MINOR 2u

typedef struct orbweaver_text {
  const char* data;
  size_t size;
} orbweaver_text;

/* ---- what is known of a URL ---- */

enum { /* orbweaver_state.status */
       ORBWEAVER_NOT_CRAWLED = 0,
       ORBWEAVER_QUEUED = 1, /* from its scheduling until the outcome of its fetch */
       ORBWEAVER_CRAWLED = 2,
       ORBWEAVER_ERROR = 3, /* failed for now */
       ORBWEAVER_GONE = 4   /* failed for good */
};

/* As it is after the event: the page of a PAGE is CRAWLED and this fetch is counted, a FAILURE has
 * left ERROR or GONE. The strategy's decisions come on top. */
typedef struct orbweaver_state {
  uint8_t known; /* 0: never heard of, or heard of and left alone; all else is 0 then */
  uint8_t status;
  uint8_t has_validators; /* an ETag or Last-Modified is kept: the next request of this URL will be
                             conditional */
  uint8_t data[8];        /* the strategy's own */
  uint16_t http_status;   /* of the last fetch */
  uint32_t depth;
  uint32_t fetches; /* successful ones */
  uint32_t errors;  /* since the last success, or since it was scheduled anew */
  int64_t fetched_at_ms;
  int64_t due_at_ms; /* as the strategy set it */
  uint64_t content_hash;
} orbweaver_state;

/* The record of the event's registered domain. Counts include the event itself. */
typedef struct orbweaver_domain {
  orbweaver_text name_view;
  uint64_t fetched;         /* pages crawled; every re-crawl counts */
  uint64_t scheduled;       /* requests, with retries and re-crawls; no RAISE of a QUEUED URL */
  uint64_t failed;          /* failures; every try counts */
  uint64_t known_urls;      /* URLs of which a state is kept */
  int64_t crawl_delay_ms;   /* robots.txt's; -1: none known */
  orbweaver_text data_view; /* what this strategy kept; empty at first */
} orbweaver_domain;

/* ---- events ---- */

/* The URLs of one event are distinct. */
enum {                        /* orbweaver_event.kind; what `links` is of each */
       ORBWEAVER_SEEDS = 1,   /* the seeds */
       ORBWEAVER_PAGE = 2,    /* the page itself: one element */
       ORBWEAVER_LINKS = 3,   /* links to this domain from one page */
       ORBWEAVER_FAILURE = 4, /* the URL that could not be fetched: one element */
       ORBWEAVER_HOST = 5     /* none */
};

typedef struct orbweaver_link {
  orbweaver_text url_view; /* canonical; of the event's domain */
  orbweaver_text anchor_view;
  uint64_t fingerprint_high;
  uint64_t fingerprint_low;
  uint32_t rel;  /* bits: 1 nofollow, 2 ugc, 4 sponsored */
  uint32_t kind; /* LinkKind of spider_log.proto */
  float score;   /* of a seed; NaN when it has none */
} orbweaver_link;

typedef struct orbweaver_page {
  orbweaver_text final_url_view; /* empty: the request's own */
  orbweaver_text content_type_view;
  orbweaver_text title_view;
  orbweaver_text language_view;
  orbweaver_text robots_directives_view;
  orbweaver_text canonical_url_view;
  orbweaver_text body_view; /* empty unless spiders are configured to log it */
  uint64_t content_hash;
  uint64_t body_bytes;
  uint64_t text_bytes;
  uint32_t http_status;
  uint32_t links_inside;
  uint32_t links_outside;
  uint8_t not_modified; /* 304 */
  uint8_t changed;      /* content differs from the last fetch; 1 for a first one */
} orbweaver_page;

typedef struct orbweaver_source { /* the page that the links of a LINKS event stand on */
  orbweaver_text url_view;
  float score;
  uint32_t link_count; /* all links of the page, to all domains */
  uint8_t same_domain; /* the page is of the event's domain */
} orbweaver_source;

typedef struct orbweaver_failure {
  uint32_t cause; /* FailureCause of spider_log.proto */
  uint32_t http_status;
  int64_t retry_after_ms; /* -1: the server did not say */
  uint8_t transient;      /* by its cause, a later try may succeed */
} orbweaver_failure;

typedef struct orbweaver_host {
  orbweaver_text host_view;
  const orbweaver_text* sitemaps_view;
  size_t sitemap_count;
  int64_t crawl_delay_ms; /* -1: none */
  uint32_t robots;        /* RobotsOutcome of spider_log.proto */
  uint32_t robots_status;
  uint32_t dns; /* DnsOutcome of spider_log.proto */
} orbweaver_host;

typedef struct orbweaver_meta { /* an entry of a request's `meta` map */
  orbweaver_text key;
  orbweaver_text value;
} orbweaver_meta;

typedef struct orbweaver_event {
  size_t struct_size; /* of this struct, as the host knows it */
  uint32_t kind;
  uint32_t depth;   /* of the page, the failed URL, or the links' source page */
  uint32_t attempt; /* of the page or the failed URL */
  float score;      /* with which the page or the failed URL was scheduled */
  int64_t now_ms;   /* Unix time; the same again when the event is replayed */
  const orbweaver_meta*
      meta_view; /* of the page's, the failed URL's or the source page's request */
  size_t meta_count;
  const orbweaver_domain* domain_view;
  const orbweaver_page* page_view;       /* PAGE only, else null; likewise below */
  const orbweaver_source* source_view;   /* LINKS */
  const orbweaver_failure* failure_view; /* FAILURE */
  const orbweaver_host* host_view;       /* HOST */
} orbweaver_event;

/* ---- decisions ---- */

enum {                      /* orbweaver_decision.action */
       ORBWEAVER_LEAVE = 0, /* nothing, or only what set_… ask for; of a URL never heard of nothing
                               is kept without them */
       ORBWEAVER_SCHEDULE = 1, /* request it; its status becomes QUEUED */
       ORBWEAVER_RAISE =
           2, /* as SCHEDULE, unless its status is QUEUED: then a request that still waits is moved
                 up to this score, and one that has left the queue stays as it is */
       ORBWEAVER_DROP = 3 /* a request that still waits is taken out of the queue; of what is QUEUED
                             the status becomes NOT_CRAWLED, or CRAWLED */
};

typedef struct orbweaver_decision {
  uint8_t action;
  uint8_t set_status; /* 1: `status` is to be kept, whatever `action` says */
  uint8_t status;
  uint8_t set_data; /* 1: `data` is to be kept */
  uint8_t data[8];
  uint8_t set_due;       /* 1: `due_at_ms` is to be kept */
  uint32_t attempt;      /* of the request: how often it was tried and failed before */
  float score;           /* of the request; 1 is best, 0 worst; finite */
  int64_t not_before_ms; /* of the request; 0: as soon as possible */
  int64_t due_at_ms;
  const orbweaver_meta*
      meta_kept; /* of the request: at most 16, keys of 64 bytes, values of 512. Null: those of the
                  * seed, or of the request that this page or failure came of */
  size_t meta_count;
} orbweaver_decision;

/* A request of a URL that is not among the event's links. One that is no URL, or is not of the
 * event's domain, is left out, counted and logged. */
typedef struct orbweaver_request {
  orbweaver_text url;    /* absolute; the host canonicalises it */
  uint8_t even_if_known; /* 0: only when the URL was never heard of, or is NOT_CRAWLED */
  uint32_t depth;
  orbweaver_decision
      decision; /* its action is SCHEDULE or RAISE; the last member, since it grows */
} orbweaver_request;

typedef struct orbweaver_output {
  size_t struct_size;
  const orbweaver_request* requests_kept; /* null at first */
  size_t request_count;
  uint8_t set_domain_data; /* 1: keep these bytes for the domain; at most 64 KB */
  orbweaver_text domain_data_kept;
  uint8_t give_up_domain; /* 1: drop all that is queued of the domain but by this event; QUEUED
                             becomes NOT_CRAWLED, or CRAWLED */
  uint8_t back_off; /* 1: crawl the domain more slowly for a while; the host itself does so after
                       429, 503, Retry-After */
  int64_t blocked_until_ms;    /* not 0: request nothing of the domain before then */
  orbweaver_text warning_kept; /* not empty: a line for the log of the worker, which counts repeats;
                                  for operators */
} orbweaver_output;

/* ---- the strategy ---- */

typedef struct orbweaver_parameter {
  const char* name;
  const char* type; /* "integer", "number", "bool", "text", "list" (texts, separated by commas) */
  const char* default_value;
  const char* doc;
  double min; /* of integers and numbers; min > max: no bounds */
  double max;
} orbweaver_parameter;

typedef struct orbweaver_setting { /* every declared parameter, checked, in the order of its
                                      declaration */
  orbweaver_text name_view;
  orbweaver_text value_view;
} orbweaver_setting;

/* Where a function puts its message when it fails: at most `capacity` bytes, cut if need be. */
typedef struct orbweaver_error {
  char* message;
  size_t capacity;
  size_t size;
} orbweaver_error;

enum { /* orbweaver_strategy.needs: bits. A host refuses what it does not know. */
       ORBWEAVER_NEEDS_BODY = 1 /* works on the bodies of pages */
};

/* Which strategy of a library is meant, and with what. */
typedef struct orbweaver_choice {
  size_t struct_size;
  size_t index;                           /* of the library's strategies, from 0 */
  orbweaver_text path_view;               /* of the library, as it was configured */
  const orbweaver_setting* settings_view; /* the parameters that are configured, unchecked */
  size_t setting_count;
} orbweaver_choice;

typedef struct orbweaver_strategy orbweaver_strategy;

/* Functions return 0, or anything else and a message: the event then goes to the dead-letter topic.
 */
struct orbweaver_strategy {
  uint32_t abi;       /* ORBWEAVER_STRATEGY_ABI; must stay the first member */
  uint32_t version;   /* of the strategy, kept with its domain bytes */
  size_t struct_size; /* sizeof of these, as the strategy was built with them */
  size_t event_size;
  size_t domain_size;
  size_t page_size;
  size_t source_size;
  size_t failure_size;
  size_t host_size;
  size_t link_size;
  size_t state_size;
  size_t decision_size;
  size_t request_size;
  size_t output_size;
  size_t parameter_size;
  size_t setting_size;
  const char* name; /* lower-case words joined by underscores */
  const char* doc;  /* one line */
  const orbweaver_parameter* parameters;
  size_t parameter_count;
  uint8_t needs_body; /* 1: as ORBWEAVER_NEEDS_BODY, of strategies that were built against 1.0 */

  /* `seed`: for strategies that decide at random. *self may be null; it is handed to the others. */
  int (*create)(const orbweaver_setting* settings_view, size_t count, uint64_t seed, void** self,
                orbweaver_error* error);
  void (*destroy)(void* self);

  /* Of a LINKS or SEEDS event, before any state is loaded: keep_view[i] = 0 drops links_view[i],
   * which then is as if it had not been found. All are 1 at first. When all are dropped, no state
   * is read. May be null. */
  int (*filter)(void* self, const orbweaver_event* event_view, const orbweaver_link* links_view,
                size_t count, uint8_t* keep_view, orbweaver_error* error);

  /* decisions_view and *output are all zero at first, except output->struct_size, and except that
   * the decision of a FAILURE has as `attempt` the request's and one more. When it fails, nothing
   * that it left in them counts. */
  int (*on_event)(void* self, const orbweaver_event* event_view, const orbweaver_link* links_view,
                  const orbweaver_state* states_view, size_t count,
                  orbweaver_decision* decisions_view, orbweaver_output* output,
                  orbweaver_error* error);

  /* Domain bytes that another strategy or version of this one kept, before the first event of that
   * domain: what it gives back in *data_kept stands in their place. Null: they are dropped. */
  int (*adopt)(void* self, orbweaver_text from_name, uint32_t from_version,
               orbweaver_text data_view, orbweaver_text* data_kept, orbweaver_error* error);

  /* Whether the crawl as a whole has reached its aim; null: never, it ends when nothing is queued.
   */
  int (*finished)(void* self, uint8_t* finished, orbweaver_error* error);

  /* ---- since 1.1 ---- */

  uint64_t needs; /* bits, above */

  /* The description of the strategy that is chosen, which may depend on path and parameters. Null:
   * there is none of this index; with a message: it refuses what is configured. Null as a function:
   * the library holds this strategy alone, whatever is configured. Descriptions live as
   * long as the library. */
  const orbweaver_strategy* (*describe)(const orbweaver_choice* choice_view,
                                        orbweaver_error* error);

  /* ---- since 1.2 ---- */

  /* Between two events: makes the strategy anew from what its author has changed, with the settings
   * and the seed of `create`. All that its description says stays as it is. When it fails, the
   * strategy goes on as it was. Null as a function: a change needs a restart. */
  int (*reload)(void* self, orbweaver_error* error);
};

/* The only symbol that a strategy exports; its name stays the same when ORBWEAVER_STRATEGY_ABI is
 * raised, so that a host of any version finds `abi`. Never null: the library's first strategy, or
 * its only one. Lives as long as the library, which is never unloaded. */
typedef const orbweaver_strategy* (*orbweaver_strategy_entry)(void);
#define ORBWEAVER_STRATEGY_SYMBOL "orbweaver_strategy_v1"

#ifdef __cplusplus
}
#endif

#endif
