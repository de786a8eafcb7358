#!/usr/bin/env bash
# ./run bench [NAME…] [--json]: builds Release and runs tests/bench; starts Kafka and HBase for the benchmarks that need them.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
source "$root/deploy/deps/setup.sh"

build release orbweaver-bench
bench=$root/build/release/tests/bench/orbweaver-bench
for argument in "$@"; do
  case $argument in --help | -h) exec "$bench" --help ;; esac
done

names=$(printf '%s\n' "$@" | grep -v '^--' || true)
if [ -z "$names" ] || grep -qxE 'store|bus|hbase_blocks|strategy_worker|db_worker' <<<"$names"; then
  say "starting Kafka and HBase"
  trap '"$root/deploy/local/services" down --for $$ >&2' EXIT
  "$root/deploy/local/services" up --for $$ >&2
  set -a
  eval "$("$root/deploy/local/services" env)"
  set +a
fi
"$bench" "$@"
