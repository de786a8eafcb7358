#!/usr/bin/env bash
# ./run test and ./run sanitize: builds, starts the services that the chosen tests need, runs them, stops what it started.
# The last line is `N passed, N failed` (`, N skipped`).
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
source "$root/deploy/deps/setup.sh"

preset=${ORBWEAVER_PRESET:-release}
labels='unit|contract|integration|sim|e2e|fuzz'
select=() targets=() fuzz=yes services=yes all=no at_once=$(nproc)
case ${1:-} in
  all)
    shift
    # Much of what takes long waits for others.
    all=yes at_once=$(($(nproc) + 1))
    export ORBWEAVER_SIM_SEEDS=${ORBWEAVER_SIM_SEEDS:-2000} ORBWEAVER_COUNTERFACTUAL_SEEDS=${ORBWEAVER_COUNTERFACTUAL_SEEDS:-100}
    ;;
  *) select+=(-LE long) ;;
esac
case ${1:-} in
  '') ;;
  # Kafka and HBase of its own, in containers; none; none.
  compose | package | kubernetes) all=$1 select=(-R "^$1(_|\$)") targets=(product) fuzz=no services=no ;;
  unit | contract | sim) select+=(-L "^$1\$") fuzz=no services=no ;;
  integration | e2e) select+=(-L "^$1\$") fuzz=no ;;
  fuzz) select=() services=no ;;
  -*) fail "test $1: expected all, a label ($labels) or parts of test names" ;;
  *)
    select+=(-R "$(IFS='|' && printf '%s' "$*")")
    fuzz=no
    ;;
esac
# Nodes of Kubernetes wait for their crawls' delays more than they work: all of them at once.
[ "${1:-}" != kubernetes ] || at_once=7
# The fuzz targets are a build of their own with AddressSanitizer; the sanitizer builds run the other tests.
[ "$preset" = release ] || fuzz=no

results=$(mktemp -d)
services_up=no
finish() {  # shellcheck disable=SC2317
  trap '' INT TERM
  [ $services_up = no ] || "$root/deploy/local/services" down --for $$ >&2 || true
  rm -rf "$results"
}
trap finish EXIT
trap 'exit 130' INT TERM

[ "${1:-}" = fuzz ] || build "$preset" ${targets[@]+"${targets[@]}"}
[ $fuzz = no ] || build fuzz fuzz_targets

# Where no Docker answers, Debian's is started for that test, and a bare Debian is made by debootstrap; if they cannot be had, the tests say so and
# are skipped.
if [ $all != no ] && [[ ${1:-e2e} =~ ^(compose|package|e2e)$ ]] && [ "$(id -u)" = 0 ]; then
  { docker info && command -v debootstrap; } >/dev/null 2>&1 || (install_packages engine) ||
    say "the tests of docker-compose.yml and of the package may have no engine or no Debian"
fi

# Not on the way of those who cannot have it: the test says so and is skipped.
if [ $all != no ] && [[ ${1:-e2e} =~ ^(kubernetes|e2e)$ ]]; then
  source "$root/deploy/deps/kubernetes.sh"
  build_kubernetes || say "the test kubernetes may have no cluster"
fi

if [ $services = yes ]; then
  say "starting Kafka and HBase"
  services_up=yes
  # A set of the tests' own, which each run begins anew: with what some ten runs have left behind, Kafka takes minutes to restart. Another run that
  # is under way keeps it from being emptied.
  if [ -z "${ORBWEAVER_SERVICES_DIR:-}" ]; then
    export ORBWEAVER_SERVICES_DIR=$root/build/test-services
    "$root/deploy/local/services" wipe >/dev/null 2>&1 || true
  fi
  "$root/deploy/local/services" up --for $$ >&2
  set -a
  eval "$("$root/deploy/local/services" env)"
  set +a
fi

export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_leaks=1:abort_on_error=1}
# Python's own allocator hides from the search for leaks what it holds.
export PYTHONMALLOC=${PYTHONMALLOC:-malloc}
export TSAN_OPTIONS=${TSAN_OPTIONS:-halt_on_error=1:suppressions=$root/deploy/local/tsan.supp}
status=0
run_ctest() {  # NAME DIR ARGS…
  local name=$1 dir=$2
  shift 2
  say "running the tests in build/$(basename "$dir")"
  ctest --test-dir "$dir" --output-on-failure --no-tests=error --output-junit "$results/$name.xml" "$@" || status=1
}
if [ "${1:-}" != fuzz ]; then run_ctest tests "$root/build/$preset" -j "$at_once" ${select[@]+"${select[@]}"}; fi
if [ $fuzz = yes ]; then run_ctest fuzz "$root/build/fuzz" -j "$(nproc)" -L fuzz; fi
if [ $all = yes ] && [[ ${1:-integration} = integration ]]; then source "$root/deploy/local/other_services.sh"; fi

python3 "$root/deploy/local/count_results.py" "$results"/*.xml || status=1
exit $status
