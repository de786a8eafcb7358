# Part of `./run test all`: the suites on Kafka and HBase once more, with what users may have and this machine's services have not: a newer
# librdkafka (its `cooperative-sticky`), a Thrift server with framed transport and compact protocol, and both services with TLS. Sourced by
# test.sh.
# shellcheck shell=bash disable=SC2154

# Prints a folder that has nothing but the library.
newer_librdkafka() {
  local list=$root/deploy/deps/newer_librdkafka.txt
  local dir
  dir=$ORBWEAVER_CACHE/librdkafka-$(sha256sum <"$list" | cut -c1-12)
  if [ ! -e "$dir" ]; then
    local tmp
    tmp=$(mktemp -d "$ORBWEAVER_CACHE/.fetch.XXXXXX")
    python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: --python-version 3.11 \
      --implementation cp --abi cp311 --platform manylinux_2_28_x86_64 --require-hashes -r "$list" -d "$tmp" >&2 &&
      python3 -m zipfile -e "$tmp"/*.whl "$tmp/wheel" && mkdir "$tmp/lib" &&
      mv "$tmp"/wheel/confluent_kafka.libs/librdkafka-*.so.1 "$tmp/lib/librdkafka.so.1" && mv "$tmp/lib" "$dir"
    rm -rf "$tmp"
  fi
  [ -e "$dir" ] || fail "pip could not download a newer librdkafka (see above). Behind a proxy, set PIP_INDEX_URL or HTTPS_PROXY"
  echo "$dir"
}

if [ "$(uname -m)" = x86_64 ]; then
  newer=$(newer_librdkafka)
  say "the Kafka suite and its library's tests with a newer librdkafka"
  # The loader takes it only when it fits: see that it does.
  LD_LIBRARY_PATH=$newer ldd "$root/build/$preset/tests/contract/kafka_bus_contract_test" | grep -F "$newer" >/dev/null ||
    fail "the newer librdkafka in $newer is not taken by the test"
  LD_LIBRARY_PATH=$newer run_ctest newer_librdkafka "$root/build/$preset" -R '^(kafka_bus_contract_test|common_bus_kafka_test)\.'
fi

# run_on NAME VARIABLE TESTS: the tests that match, on services of their own for which the variable is set.
run_on() {
  export ORBWEAVER_SERVICES_DIR=$root/build/$1-services "$2"=yes
  trap '"$root/deploy/local/services" wipe --force >&2' EXIT
  "$root/deploy/local/services" up --for $$ >&2
  set -a
  eval "$("$root/deploy/local/services" env)"
  set +a
  run_ctest "$1" "$root/build/$preset" -R "$3"
  exit $status
}

say "the HBase suite with framed transport and compact protocol"
(run_on framed ORBWEAVER_THRIFT_FRAMED '^hbase_store_contract_test\.') || status=1
say "both suites with TLS, and passwords for Kafka"
(run_on tls ORBWEAVER_SERVICES_TLS '^(hbase_store|kafka_bus)_contract_test\.') || status=1
