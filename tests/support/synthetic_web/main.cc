// orbweaver-synthetic-web: the synthetic web as a program, for the demo and the tests of processes.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fmt/format.h"

#include "common/base/json.h"
#include "common/base/status.h"
#include "common/runtime/signal_watcher.h"
#include "common/runtime/stop_request.h"
#include "tests/support/synthetic_web/server.h"

namespace orbweaver::synthetic {
namespace {

constexpr int kExitOk = 0, kExitFailed = 1, kExitUsage = 2;
constexpr Duration kStopDeadline = std::chrono::seconds(10);

constexpr char kHelp[] =
    R"(usage: orbweaver-synthetic-web [OPTION…]

Serves a web that is a function of its options: as an HTTP proxy (which forwards nothing), with CONNECT for TLS, or by
the Host header. Prints one line of JSON when it is ready, and on SIGTERM or SIGINT one with what it saw: requests, how
polite they were, and with --check how they compare with what is reachable.

The web:
  --seed N              another seed, another web (1)
  --hosts N             (100)
  --pages N             of each host (100)
  --page-bytes N        (20000)
  --links N             of each page (60)
  --outside-links S     share of links to other hosts (0.2)
  --faults LIST         none, all, or names with commas; -NAME takes one out (none):
                        {}
  --faulty-hosts S      share of hosts with a fault (0.5)
  --robots-hosts S      share of hosts with a robots.txt of the list (0.5)
  --faulty-pages S      share of such a host's pages that have it (0.0625)
  --gone-pages S, --failing-pages S   shares of 404 and 500 (0)
  --sitemap-hosts S     share of those whose robots.txt can name sitemaps (0.5)
  --https-hosts S       (0)
  --transient-failures N  requests of a URL that fail where a fault passes (2)
  --retry-after S, --crawl-delay-ms N, --slow-ms N, --drip-ms N
  --calendar-days N     0: no end (366)
  --bomb-bytes N        what a gzip bomb unpacks to (67108864)
  --agent NAME          product token in robots.txt (orbweaver)

The server:
  --listen ADDRESS      (127.0.0.1); 0.0.0.0: all of 127.0.0.0/8
  --allow-remote        with 0.0.0.0: other machines too
  --port N, --tls-port N  0: any free one (0)
  --ports-in-urls       URLs name these ports, for crawlers without a proxy
  --log FILE            a line for each request
  --ca FILE             writes the authority of the good certificates there
  --hosts-file FILE     writes the web's names and addresses there, as in /etc/hosts
  --delay-ms N, --address-delay-ms N   what the judge of politeness holds requests to (0)

Seeds:
  --seeds N             how many home pages to start from (10)
  --print-seeds         prints them, and ends
  --expected            prints every URL that is reachable from them and what becomes of it, and ends
  --no-sitemaps         … for a crawler that does not ask for sitemaps
  --check               on the end compares requests and reachable URLs; exit code 1 when they differ or were impolite
)";

struct Arguments {
  WebOptions web;
  ServerOptions server;
  uint32_t seeds = 10;
  ReachOptions reach;
  std::string ca_file, hosts_file;
  bool print_seeds = false, expected = false, check = false, help = false;
};

// How an option's value is read; false when it is none.
using Take = std::function<bool(std::string_view)>;

template <typename T>
Take Number(T* to) {
  return [to](std::string_view text) {
    const std::string copy(text);
    char* end = nullptr;
    const double value = std::strtod(copy.c_str(), &end);
    // The casts of what is out of range, or no number, would mean nothing.
    const auto most = static_cast<double>(std::numeric_limits<T>::max());
    if (copy.empty() || *end != '\0' || !(value >= 0 && value < most)) return false;
    *to = static_cast<T>(value);
    return static_cast<double>(*to) == value;
  };
}

template <typename Unit, typename T>
Take Time(T* to) {
  return [to](std::string_view text) {
    int64_t count = 0;
    if (!Number(&count)(text) || count > 1'000'000'000) return false;
    *to = Unit(count);
    return true;
  };
}

Take Text(std::string* to) {
  return [to](std::string_view text) {
    to->assign(text);
    return true;
  };
}

// Fatal, naming the option, for one that is unknown or has no good value.
absl::Status Parse(std::span<char*> args, Arguments* out) {
  using std::chrono::milliseconds;
  using std::chrono::seconds;
  WebOptions& web = out->web;
  ServerOptions& server = out->server;
  bool no_sitemaps = false;
  const struct {
    std::string_view name;
    bool* target;
  } switches[] = {{"--allow-remote", &server.allow_remote},
                  {"--ports-in-urls", &server.ports_in_urls},
                  {"--print-seeds", &out->print_seeds},
                  {"--expected", &out->expected},
                  {"--no-sitemaps", &no_sitemaps},
                  {"--check", &out->check},
                  {"--help", &out->help}};
  absl::Status faults;
  const struct {
    std::string_view name;
    Take take;
  } values[] = {
      {"--seed", Number(&web.seed)},
      {"--hosts", Number(&web.hosts)},
      {"--pages", Number(&web.pages_per_host)},
      {"--page-bytes", Number(&web.page_bytes)},
      {"--links", Number(&web.links_per_page)},
      {"--outside-links", Number(&web.outside_links)},
      {"--faults",
       [&](std::string_view text) {
         const auto troubles = ParseTroubles(text);
         if (troubles.ok()) web.troubles = *troubles;
         faults = troubles.status();
         return true;
       }},
      {"--faulty-hosts", Number(&web.faulty_hosts)},
      {"--robots-hosts", Number(&web.robots_hosts)},
      {"--faulty-pages", Number(&web.faulty_pages)},
      {"--gone-pages", Number(&web.gone_pages)},
      {"--failing-pages", Number(&web.failing_pages)},
      {"--sitemap-hosts", Number(&web.sitemap_hosts)},
      {"--https-hosts", Number(&web.https_hosts)},
      {"--transient-failures", Number(&web.transient_failures)},
      {"--retry-after", Time<seconds>(&web.retry_after)},
      {"--crawl-delay-ms", Time<milliseconds>(&web.crawl_delay)},
      {"--slow-ms", Time<milliseconds>(&web.slow_first_byte)},
      {"--drip-ms", Time<milliseconds>(&web.drip)},
      {"--calendar-days", Number(&web.calendar_days)},
      {"--bomb-bytes", Number(&web.bomb_bytes)},
      {"--agent", Text(&web.agent)},
      {"--listen", Text(&server.listen)},
      {"--port", Number(&server.port)},
      {"--tls-port", Number(&server.tls_port)},
      {"--log", Text(&server.log_file)},
      {"--ca", Text(&out->ca_file)},
      {"--hosts-file", Text(&out->hosts_file)},
      {"--delay-ms", Time<milliseconds>(&server.judge.domain_delay)},
      {"--address-delay-ms", Time<milliseconds>(&server.judge.address_delay)},
      {"--seeds", Number(&out->seeds)},
  };
  for (size_t i = 0; i < args.size(); ++i) {
    std::string_view name = args[i];
    std::optional<std::string_view> value;
    if (const size_t equals = name.find('='); equals != std::string_view::npos) {
      value = name.substr(equals + 1);
      name = name.substr(0, equals);
    }
    bool known = false;
    for (const auto& [option, target] : switches) {
      if (name == option && !value) known = *target = true;
    }
    for (const auto& [option, take] : values) {
      if (name != option) continue;
      known = true;
      if (!value && i + 1 < args.size()) value = args[++i];
      if (!value || !take(*value)) return FatalError("{} needs another value.", name);
    }
    if (!known) return FatalError("there is no option '{}'. --help lists them.", args[i]);
  }
  out->reach.sitemaps = !no_sitemaps;
  return faults;
}

absl::Status WriteFile(const std::string& name, const std::string& text) {
  if (name.empty()) return absl::OkStatus();
  std::ofstream file(name, std::ios::binary);
  file << text;
  file.close();
  if (!file) return FatalError("write '{}': it failed. Choose a file that can be written.", name);
  return absl::OkStatus();
}

// `OUTCOME URL` lines.
absl::Status PrintExpected(const Web& web, const Arguments& arguments) {
  const std::vector<std::string> seeds = web.Seeds(arguments.seeds);
  ASSIGN_OR_RETURN(const Reachable reachable, Reachable::Compute(web, seeds, arguments.reach));
  std::string line;
  reachable.ForEach([&](const Place& place, Outcome outcome) {
    line.assign(NameOf(outcome)).push_back(' ');
    web.paths().AppendUrl(place, &line);
    line.push_back('\n');
    std::fwrite(line.data(), 1, line.size(), stdout);
  });
  return absl::OkStatus();
}

void PrintLine(const std::string& json) {
  std::puts(json.c_str());
  std::fflush(stdout);
}

void PrintReady(const Server& server) {
  std::string text;
  JsonWriter json(&text);
  json.BeginObject().Key("ready").Value(true);
  json.Key("port").Value(server.port()).Key("tls_port").Value(server.tls_port());
  json.Key("hosts").Value(server.web().options().hosts);
  json.Key("pages").Value(server.web().options().pages_per_host).EndObject();
  PrintLine(text);
}

// False when a check was asked for and failed.
absl::StatusOr<bool> PrintEnd(const Server& server, const Arguments& arguments) {
  const Verdict verdict = server.verdict();
  bool good = true;
  std::string text;
  JsonWriter json(&text);
  json.BeginObject().Key("stats");
  WriteJson(server.stats(), &json);
  json.Key("politeness");
  WriteJson(verdict, &json);
  if (arguments.check) {
    ASSIGN_OR_RETURN(const Comparison comparison,
                     server.Check(server.web().Seeds(arguments.seeds), arguments.reach));
    json.Key("check");
    WriteJson(comparison, &json);
    good = comparison.equal() && verdict.polite();
  }
  json.EndObject();
  PrintLine(text);
  return good;
}

absl::StatusOr<bool> Serve(const Arguments& arguments) {
  StopRequest stop;
  SignalWatcher signals(stop, kStopDeadline);
  signals.Start();
  ASSIGN_OR_RETURN(const auto server, Server::Start(arguments.web, arguments.server));
  RETURN_IF_ERROR(WriteFile(arguments.ca_file, server->authority_pem()));
  RETURN_IF_ERROR(WriteFile(arguments.hosts_file, server->web().HostsFile()));
  PrintReady(*server);
  while (!stop.WaitFor(std::chrono::hours(1))) {
  }
  server->Stop();
  return PrintEnd(*server, arguments);
}

int Main(std::span<char*> args) {
  Arguments arguments;
  if (const absl::Status status = Parse(args, &arguments); !status.ok()) {
    fmt::print(stderr, "orbweaver-synthetic-web: {}\n", MessageOf(status));
    return kExitUsage;
  }
  if (arguments.help) {
    fmt::print(kHelp, TroubleNames());
    return kExitOk;
  }
  absl::StatusOr<bool> good = true;
  if (arguments.print_seeds || arguments.expected) {
    const auto web = Web::Create(arguments.web);
    if (!web.ok()) {
      good = web.status();
    } else if (arguments.print_seeds) {
      for (const std::string& seed : (*web)->Seeds(arguments.seeds)) std::puts(seed.c_str());
    } else if (const absl::Status status = PrintExpected(**web, arguments); !status.ok()) {
      good = status;
    }
  } else {
    good = Serve(arguments);
  }
  if (!good.ok()) {
    fmt::print(stderr, "orbweaver-synthetic-web: {}\n", MessageOf(good.status()));
    return kExitFailed;
  }
  return *good ? kExitOk : kExitFailed;
}

}  // namespace
}  // namespace orbweaver::synthetic

int main(int argc, char** argv) {
  return orbweaver::synthetic::Main(
      std::span(argv + 1, static_cast<size_t>(argc > 0 ? argc - 1 : 0)));
}
