// How the spider's engine reaches the web. The spider's process has HttpFetcher behind it
// (http_fetcher.h), the simulator a web of its own.
//
//   fetcher.Resolve(id, host);           → OnResolved: the address, for politeness
//   … its turn comes …
//   fetcher.Fetch(id, {.url, .address}); → OnFetched
//
//   while (running) { engine.Step(now); fetcher.Run(engine.NextLook(), engine); }
#pragma once

#include <string_view>

#include "common/base/clock.h"
#include "spider/fetch/fetch_result.h"
#include "spider/fetch/fetch_stats.h"

namespace orbweaver {

// Told of what has finished, from within Run and from nowhere else; may call Resolve and Fetch.
class FetchListener {
 public:
  virtual ~FetchListener() = default;

  // `resolution` and what its views point to are valid until it returns.
  virtual void OnResolved(const Resolution& resolution) = 0;

  // `result` is lent until it returns: its memory serves the next fetch. The callee may move out of
  // it what it needs for longer.
  virtual void OnFetched(FetchResult& result) = 0;
};

// Place: spider, below its engine; one a thread. All methods but Wake are for that thread.
//
// Every Resolve and every Fetch is answered exactly once, within the configured time-outs, as long
// as Run is called; destroying the fetcher drops what runs. The caller bounds how many run.
class Fetcher {
 public:
  virtual ~Fetcher() = default;

  // Looks up where a host, as it stands in a canonical URL, may be asked. Never blocks; also what
  // is known already is told in Run.
  virtual void Resolve(FetchId id, std::string_view host) = 0;

  // Begins a fetch, now: whether it may start is for the caller to know. Never blocks; what
  // `request` points to may go away at once.
  virtual void Fetch(FetchId id, const FetchRequest& request) = 0;

  // Works until it has told `listener` something, `until` has passed or Wake was called; what is
  // ready is done even when `until` has passed.
  virtual void Run(SteadyTime until, FetchListener& listener) = 0;

  // Its counts since it was made.
  virtual FetchStats stats() const = 0;

  // Makes Run return, the running one or the next. Thread-safe.
  virtual void Wake() = 0;
};

}  // namespace orbweaver
