// orbweaver-sim: seeds of the simulation by hand.
#include <charconv>
#include <chrono>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "fmt/format.h"

#include "common/base/log.h"
#include "tests/sim/whole/planted_faults.h"
#include "tests/sim/whole/shrink.h"
#include "tests/sim/whole/simulation.h"

namespace orbweaver::sim {
namespace {

constexpr int kExitHolds = 0;
constexpr int kExitFails = 1;
constexpr int kExitUsage = 2;

constexpr char kHelp[] = R"(usage: orbweaver-sim --seeds A..B [OPTION…]

Runs the whole crawler, a small web included, or one kind of its workers in virtual time: a seed
decides what goes wrong. Each run is then audited: nothing lost, nothing scheduled twice, caps and
delays kept, memory bounded.

  --seeds A..B     these seeds, B included; `--seeds A`: one
  --shrink         takes out of the first failing seed whatever it also fails without, and prints
                   what is left
  --only K,…       only these kinds of faults
  --without K,…    not these
  --component C    whole (the default), strategy, queue or spider: those workers alone
  --python         strategies in Python
  --plant FAULT    with a mistake in the workers
  --keep-going     prints all failing seeds instead of ending at the first
  --trace          prints each run's faults
  --log            prints what the workers log

Kinds: {}.
Mistakes: {}.

Exit code: 0 all seeds hold, 1 some seed fails, 2 wrong arguments.
)";

struct Arguments {
  uint64_t first = 0, last = 0;
  FaultPlan plan = FaultPlan::All();
  bool shrink = false, keep_going = false, trace = false;
};

template <typename Kind>
std::string Names(size_t first, size_t end) {
  std::string names;
  for (size_t i = first; i < end; ++i) {
    names += fmt::format("{}{}", i == first ? "" : ", ", NameOf(static_cast<Kind>(i)));
  }
  return names;
}

std::string KindNames() { return Names<FaultKind>(0, kFaultKinds); }
std::string PlantNames() {
  return Names<PlantedFault>(1, static_cast<size_t>(PlantedFault::kCount));
}

bool ParseNumber(std::string_view text, uint64_t* number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *number);
  return error == std::errc() && end == text.data() + text.size();
}

bool ParseSeeds(std::string_view text, Arguments* arguments) {
  const size_t dots = text.find("..");
  if (dots == std::string_view::npos) {
    arguments->last = arguments->first;
    if (!ParseNumber(text, &arguments->first)) return false;
    arguments->last = arguments->first;
    return true;
  }
  return ParseNumber(text.substr(0, dots), &arguments->first) &&
         ParseNumber(text.substr(dots + 2), &arguments->last) &&
         arguments->first <= arguments->last;
}

bool ParseKinds(std::string_view text, std::vector<FaultKind>* kinds) {
  while (!text.empty()) {
    const size_t comma = std::min(text.find(','), text.size());
    const auto kind = FaultKindOf(text.substr(0, comma));
    if (!kind) {
      fmt::print(stderr, "orbweaver-sim: no kind of fault '{}'. There are {}.\n",
                 text.substr(0, comma), KindNames());
      return false;
    }
    kinds->push_back(*kind);
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return true;
}

bool Refuse(std::string_view what) {
  fmt::print(stderr, "orbweaver-sim: {}. --help lists them.\n", what);
  return false;
}

bool Parse(const std::vector<std::string_view>& args, Arguments* arguments) {
  bool has_seeds = false, in_python = false;
  for (size_t i = 0; i < args.size(); ++i) {
    const std::string_view arg = args[i];
    const auto value = [&]() { return i + 1 < args.size() ? args[++i] : std::string_view(); };
    std::vector<FaultKind> kinds;
    if (arg == "--seeds") {
      has_seeds = ParseSeeds(value(), arguments);
      if (!has_seeds) break;
    } else if (arg == "--shrink") {
      arguments->shrink = true;
    } else if (arg == "--python") {
      in_python = true;
    } else if (arg == "--keep-going") {
      arguments->keep_going = true;
    } else if (arg == "--trace") {
      arguments->trace = true;
    } else if (arg == "--log") {
      ConfigureLog({.level = LogLevel::kInfo, .repeats_per_ten_seconds = 0});
    } else if (arg == "--plant") {
      const auto fault = PlantedFaultOf(value());
      if (!fault) return Refuse("no mistake of that name to plant");
      arguments->plan.planted = *fault;
    } else if (arg == "--component") {
      const auto component = ComponentOf(value());
      if (!component) return Refuse("no such component");
      arguments->plan.component = *component;
    } else if (arg == "--only") {
      if (!ParseKinds(value(), &kinds)) return false;
      arguments->plan.kinds.reset();
      for (const FaultKind kind : kinds) arguments->plan.kinds.set(static_cast<size_t>(kind));
    } else if (arg == "--without") {
      if (!ParseKinds(value(), &kinds)) return false;
      for (const FaultKind kind : kinds) arguments->plan.Drop(kind);
    } else {
      fmt::print(stderr, "orbweaver-sim: no option '{}'. --help lists them.\n", arg);
      return false;
    }
  }
  arguments->plan.in_python = in_python;
  if (!has_seeds) fmt::print(stderr, "orbweaver-sim: --seeds A..B is missing or no range.\n");
  return has_seeds;
}

void PrintTrace(const SimReport& report) {
  for (const SimReport::Event& event : report.trace) fmt::print("  {}\n", event.text);
}

int Main(const std::vector<std::string_view>& args) {
  using Clock = std::chrono::steady_clock;
  ConfigureLog({.level = LogLevel::kError, .module_levels = {}, .repeats_per_ten_seconds = 1});
  for (const std::string_view arg : args) {
    if (arg != "--help" && arg != "-h") continue;
    fmt::print(kHelp, KindNames(), PlantNames());
    return kExitHolds;
  }
  Arguments arguments;
  if (!Parse(args, &arguments)) return kExitUsage;

  uint64_t run = 0, failed = 0, visits = 0, faults = 0;
  const auto start = Clock::now();
  auto told = start;
  for (uint64_t seed = arguments.first; seed <= arguments.last; ++seed) {
    const SimReport report = Simulate(seed, arguments.plan);
    ++run;
    visits += report.visits;
    faults += static_cast<uint64_t>(report.faults);
    if (arguments.trace) {
      fmt::print("seed {}: digest {:016x}, {} steps, {} visits\n", seed, report.digest,
                 report.steps, report.visits);
      PrintTrace(report);
    }
    if (!report.failure.empty()) {
      ++failed;
      fmt::print("seed {} fails: {}\n", seed, report.failure);
      if (arguments.shrink) {
        const Shrunk shrunk = Shrink(seed, arguments.plan);
        fmt::print("the least that fails, of {} runs: {}\n", shrunk.runs, Describe(shrunk.plan));
        PrintTrace(shrunk.report);
        fmt::print("  {}\n", shrunk.report.failure);
      }
      if (!arguments.keep_going) break;
    }
    if (Clock::now() - told > std::chrono::seconds(10)) {
      told = Clock::now();
      fmt::print(stderr, "{} seeds, {} failed, {:.0f} s\n", run, failed,
                 std::chrono::duration<double>(told - start).count());
    }
  }
  fmt::print("{} seeds, {} failed; {} requests of the web, {} single faults, {:.1f} s\n", run,
             failed, visits, faults, std::chrono::duration<double>(Clock::now() - start).count());
  return failed == 0 ? kExitHolds : kExitFails;
}

}  // namespace
}  // namespace orbweaver::sim

int main(int argc, char** argv) {
  return orbweaver::sim::Main(std::vector<std::string_view>(argv + 1, argv + argc));
}
