// The parts of a run before anything goes wrong: drawn from its seed.
#pragma once

#include <cstdint>
#include <string>

#include "common/base/clock.h"
#include "common/politeness/politeness_options.h"
#include "common/scope/scope_options.h"
#include "db_worker/options.h"
#include "spider/crawl/crawl_options.h"
#include "spider/robots/robots_options.h"
#include "strategy_worker/core/options.h"
#include "strategy_worker/host/strategy_options.h"
#include "strategy_worker/states/state_options.h"
#include "tests/sim/whole/fault_plan.h"
#include "tests/support/synthetic_web/web_options.h"

namespace orbweaver::sim {

// A small world: few domains, short queues, tight bounds, so that much happens between two faults
// and every bound is met.
struct Shape {
  int partitions = 1;
  // None of a kind that the run does not have.
  int spiders = 1;
  int strategy_workers = 1;
  int db_workers = 1;
  // Workers have a name in their group, under which a restarted one is known.
  bool named_members = false;
  // How many single faults there are at most.
  int faults = 0;
  // Actions of processes between two of them, at most.
  uint64_t most_between_faults = 0;
  Duration longest_outage{};
  // How likely what happens to a process's calls is, against a run of the whole: errors, and what
  // ends its membership or its producer.
  double error_rate = 1;
  double loss_rate = 1;
  // The kinds of faults that this run has.
  FaultPlan plan;

  synthetic::WebOptions web;
  Duration slowest_answer{};
  size_t seeds = 2;
  // Requests of a domain, retries included; 0: no bound, and all that is reachable is crawled.
  uint64_t max_pages = 0;

  // Links are scheduled by chance (chance_strategy.h): what is crawled then differs from run to
  // replay, and only what follows from the decisions that counted is held against it.
  bool by_chance = false;
  StrategyOptions strategy;
  StrategyOptions next_strategy;  // after a swap
  // Strategy workers ask for sitemaps by themselves, whatever the strategy.
  ScopeOptions scope;
  StateOptions states;
  StrategyWorkerOptions strategy_worker;
  DbWorkerOptions db_worker;
  CrawlOptions crawl;
  PolitenessOptions politeness;
  RobotsOptions robots;
  Duration fetch_timeout{};
  Duration session_timeout{};
  // Of a spider alone: how long it is fed.
  int spider_minutes = 0;
  // That a spider may remember: as many as are asked at a time (spider_scene.cc), of which most
  // wait for nothing. One that forgets none comes to 4,300 and more before it is killed.
  size_t most_known_domains = 3'300;
};

Shape DrawShape(uint64_t seed, const FaultPlan& plan);

}  // namespace orbweaver::sim
