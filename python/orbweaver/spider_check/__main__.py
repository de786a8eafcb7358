"""orbweaver spider-check --kafka HOST:PORT -- COMMAND…

Without the program: orbweaver-spider-check, which the wheel brings, or python -m orbweaver.spider_check.
"""

from __future__ import annotations

import argparse
import pathlib
import secrets
import sys
import time
from typing import Callable, List, Optional

from confluent_kafka import KafkaException

from orbweaver.spider_check.check import Check, SpiderDied
from orbweaver.spider_check.cluster import Cluster
from orbweaver.spider_check.rules import RULES

_RULES = "\n".join(f"  {rule:14}{meaning}" for rule, meaning in RULES.items())


def main(arguments: Optional[List[str]] = None) -> int:
    parser = argparse.ArgumentParser(
        prog="spider_check", formatter_class=argparse.RawDescriptionHelpFormatter,
        usage=f"{_name()} --kafka HOST:PORT [OPTIONS] -- COMMAND…",
        description="Runs a spider against a scripted feed on real Kafka, and tells which rules of proto/README.md it breaks.\n"
                    "The sites are pages on 127.77.0.0/16 of this machine; the spider must be allowed to fetch from there.\n"
                    "COMMAND gets where it should work in place of the words {brokers} and {prefix}, and in the environment\n"
                    "variables ORBWEAVER_KAFKA and ORBWEAVER_PREFIX. It is killed with -9 once, and begins anew.\n\n"
                    f"rules:\n{_RULES}\n\nexit code: 0 all are kept, 1 some are broken, 2 the check could not be done")
    parser.add_argument("--kafka", required=True, metavar="HOST:PORT", help="brokers, without TLS and SASL; topics are made and deleted there")
    parser.add_argument("--patience", type=float, default=90.0, metavar="SECONDS", help="how long anything may take (90)")
    parser.add_argument("command", nargs="+", metavar="COMMAND", help="the spider and its arguments")
    options = parser.parse_args(arguments)
    try:
        cluster = Cluster(options.kafka, f"spider_check_{secrets.token_hex(4)}_")
    except (KafkaException, OSError) as failure:
        return _fail(f"make topics on {options.kafka}: {failure}")
    check = Check(cluster, options.command, options.patience, _say())
    died = ""
    try:
        check.run()
    except SpiderDied as failure:
        died = str(failure)
    except FileNotFoundError as failure:
        return _fail(f"start the spider: {failure}")
    except KeyboardInterrupt:
        return _fail("interrupted")
    except (KafkaException, OSError) as failure:
        return _fail(str(failure))
    finally:
        cluster.close()
    print(check.verdict.report())
    if died:
        return _fail(f"{died}; its own messages stand above. Rules beyond that point were not tried")
    return 1 if check.verdict.breaches else 0


def _name() -> str:
    """As it was called: by the program orbweaver, by the wheel's own name, or by the module's."""
    called = pathlib.Path(sys.argv[0]).name
    return {"-c": "orbweaver spider-check", "__main__.py": "python -m orbweaver.spider_check"}.get(called, called)


def _say() -> Callable[[str], None]:
    begun = time.monotonic()
    return lambda text: print(f"… {time.monotonic() - begun:3.0f} s: {text}", file=sys.stderr, flush=True)


def _fail(text: str) -> int:
    print(f"spider_check: {text}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
