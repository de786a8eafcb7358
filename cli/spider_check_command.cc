// `orbweaver spider-check`: the conformance kit for spiders, which is in the Python package.
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/message.h"
#include "cli/python_program.h"

#include "common/base/status.h"
#include "strategy_worker/host/loader.h"

namespace orbweaver {
namespace {

constexpr char kHelp[] =
    R"(usage: orbweaver spider-check --kafka HOST:PORT [OPTIONS] -- COMMAND…

Runs a spider, in whatever language, against a scripted feed on real Kafka, kills it once, stops it
once, and says of each rule for spiders (proto/README.md) whether it keeps it. In COMMAND the words
{brokers} and {prefix} stand for where it is to work; the environment variables ORBWEAVER_KAFKA and
ORBWEAVER_PREFIX say it too. Its pages stand on 127.77.0.0/16 of this machine.

options:
  --kafka HOST:PORT   brokers, without TLS and SASL; topics are made and deleted there
  --patience SECONDS  how long anything may take (90)
  --help              this text

It is written in Python and runs on the first `python3` of the PATH, that of an active virtual
environment, which is to have its packages:
pip install 'confluent-kafka>=2.3,<3' 'protobuf>=4.21.6,<8' 'publicsuffixlist>=1.0' 'xxhash>=3'

Exit code: 0 all rules are kept, 1 some are broken, 2 the check could not be done.

examples:
  orbweaver spider-check --kafka localhost:9092 -- ./my-spider --brokers {brokers} --prefix {prefix}
)";

// A module that is missing is one line, and not all of Python's way to it.
constexpr char kStart[] = R"(
import sys
try:
    from orbweaver.spider_check.__main__ import main
except ImportError as missing:
    print(f"orbweaver spider-check: {missing}. It wants packages of {sys.executable}:\n  {sys.executable} -m pip install "
          "'confluent-kafka>=2.3,<3' 'protobuf>=4.21.6,<8' 'publicsuffixlist>=1.0' 'xxhash>=3'", file=sys.stderr)
    sys.exit(2)
sys.exit(main())
)";

int Run(std::span<const std::string> args) {
  std::vector<std::string> all = {"-c", kStart};
  all.insert(all.end(), args.begin(), args.end());
  const absl::Status failed = BecomePython(kUsersPython, StrategyDirectory({}), all);
  PrintError("orbweaver spider-check: {}\n", MessageOf(failed));
  return kExitUsage;
}

}  // namespace

Command SpiderCheckCommand() {
  return {.name = "spider-check",
          .summary = "Check a spider of your own, in any language, against the rules for spiders",
          .help = kHelp,
          .run = Run};
}

}  // namespace orbweaver
