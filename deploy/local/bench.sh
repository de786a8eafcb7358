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

# `cluster` is a program of its own: it runs the workers as processes; `python` is one: it measures the package in python/; `peers`
# runs other crawlers, `million_domains` a crawl of two million pages: both only when they are named.
cluster=no python=no peers=no million=no rest=() cluster_options=()
while [ $# -gt 0 ]; do
  case $1 in
    cluster) cluster=yes ;;
    python) python=yes ;;
    peers) peers=yes ;;
    million_domains) million=yes ;;
    --hosts | --pages | --seconds | --soak)
      cluster_options+=("$1" "$2")
      shift
      ;;
    *) rest+=("$1") ;;
  esac
  shift
done
set -- ${rest[@]+"${rest[@]}"}
names=$(printf '%s\n' "$@" | grep -v '^--' | grep . || true)
only_programs=no
if [ $cluster$python$peers$million != nononono ] && [ -z "$names" ]; then only_programs=yes; fi
if [ $cluster$python$peers$million = nononono ] && [ -z "$names" ]; then cluster=yes python=yes; fi
if [ $cluster = yes ]; then
  build release orbweaver orbweaver-spider orbweaver-strategy-worker orbweaver-db-worker orbweaver-synthetic-web
fi
[ $python$peers$million = nonono ] || build release orbweaver orbweaver-synthetic-web
if [ $cluster = yes ] || [ $python = yes ] || { [ -z "$names" ] && [ $peers$million = nono ]; } || grep -qxE 'store|bus|hbase_blocks|strategy_worker|db_worker' <<<"$names"; then
  say "starting Kafka and HBase"
  trap '"$root/deploy/local/services" down --for $$ >&2' EXIT
  "$root/deploy/local/services" up --for $$ >&2
  set -a
  eval "$("$root/deploy/local/services" env)"
  set +a
fi
failed=0
[ $only_programs = yes ] || "$bench" "$@" || failed=1
json=()
case " $* " in *" --json "*) json=(--json) ;; esac
[ $python = no ] || python3 "$root/tests/bench/python_bench.py" "$root/build/release" ${json[@]+"${json[@]}"} || failed=1
[ $peers = no ] || python3 "$root/tests/bench/peers/peers_bench.py" "$root/build/release" ${json[@]+"${json[@]}"} || failed=1
[ $million = no ] || python3 "$root/tests/bench/crawl_program_bench.py" "$root/build/release" million_domains ${json[@]+"${json[@]}"} || failed=1
# Crawls as people start them, and the console's cost to one, are measured on the whole program.
for part in crawl:crawl_program_bench.py console:console_load_bench.py; do
  if [ $only_programs = yes ] || { [ -n "$names" ] && ! grep -qx "${part%%:*}" <<<"$names"; }; then continue; fi
  build release orbweaver orbweaver-synthetic-web
  python3 "$root/tests/bench/${part#*:}" "$root/build/release" ${json[@]+"${json[@]}"} || failed=1
done
if [ $cluster = yes ]; then
  python3 "$root/tests/bench/cluster_bench.py" "$root/build/release" ${json[@]+"${json[@]}"} ${cluster_options[@]+"${cluster_options[@]}"} || failed=1
fi
exit $failed
