#!/usr/bin/env bash
# ./run bench [NAME…] [--json]: builds Release and runs tests/bench; starts Kafka and HBase for the benchmarks that need them.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
source "$root/deploy/deps/setup.sh"

build release orbweaver-bench
bench=$root/build/release/tests/bench/orbweaver-bench

names=() json=() cluster_options=()
while [ $# -gt 0 ]; do
  case $1 in
    --help | -h) exec "$bench" --help ;;
    --json) json=(--json) ;;
    --hosts | --pages | --seconds | --soak)
      [ $# -gt 1 ] || fail "bench: $1 needs a number"
      cluster_options+=("$1" "$2")
      shift
      ;;
    *) names+=("$1") ;;
  esac
  shift
done
named() { [[ " ${names[*]-} " == *" $1 "* ]]; }
wanted() { [ ${#names[@]} -eq 0 ] || named "$1"; }
[ ${#cluster_options[@]} -eq 0 ] || wanted cluster || fail "bench: ${cluster_options[0]} is an option of cluster, which is not named"

# Programs of their own: the package in python/, other crawlers, crawls as people start them, the console's cost to one, the workers as
# processes. `crawl` and `console` are also names of orbweaver-bench. Other crawlers and the crawl of two million pages run when they are
# named only.
programs=()
if wanted python; then programs+=(python_bench.py); fi
if named peers; then programs+=(peers/peers_bench.py); fi
if wanted crawl; then programs+=(crawl_program_bench.py); fi
if named million_domains; then programs+=("crawl_program_bench.py million_domains"); fi
if wanted console; then programs+=(console_load_bench.py); fi
if wanted cluster; then programs+=("cluster_bench.py ${cluster_options[*]-}"); fi
in_bench=()
for name in ${names[@]+"${names[@]}"}; do
  case $name in
    cluster | python | peers | million_domains) ;;
    *) in_bench+=("$name") ;;
  esac
done

if [ ${#programs[@]} -gt 0 ]; then build release orbweaver orbweaver-synthetic-web; fi
if wanted cluster; then build release orbweaver-spider orbweaver-strategy-worker orbweaver-db-worker; fi
for name in cluster python store bus hbase_blocks strategy_worker db_worker; do
  wanted $name || continue
  say "starting Kafka and HBase"
  trap '"$root/deploy/local/services" down --for $$ >&2' EXIT
  "$root/deploy/local/services" up --for $$ >&2
  set -a
  eval "$("$root/deploy/local/services" env)"
  set +a
  break
done

failed=0
if [ ${#names[@]} -eq 0 ] || [ ${#in_bench[@]} -gt 0 ]; then
  "$bench" ${in_bench[@]+"${in_bench[@]}"} ${json[@]+"${json[@]}"} || failed=1
fi
for program in ${programs[@]+"${programs[@]}"}; do
  read -ra words <<<"$program"
  python3 "$root/tests/bench/${words[0]}" "$root/build/release" "${words[@]:1}" ${json[@]+"${json[@]}"} || failed=1
done
exit $failed
