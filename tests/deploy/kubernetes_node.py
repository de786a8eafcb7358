"""One node of Kubernetes within an enclosure (enclosure.py): the API server with its controllers, kubelet and containerd, so pods run.

Everybody is the administrator here, and nothing is reached from outside: what is tried is the chart, not the safety of this cluster.
"""

import json
import os
import pathlib
import subprocess
import time

import enclosure
from kubernetes_api import PATIENCE_S, PROGRAM, ApiServer

PROGRAMS = PROGRAM.parent
NAME = "node"
# Of the node itself, as pods reach it, and what runs beside them.
ADDRESS = "10.99.0.2"
PODS = "10.244.0.0/24"
SERVICES = "10.96.0.0/16"
DOMAIN = "cluster.local"


class Node(ApiServer):
    """With `with`, in an enclosure that has settled: the node is ready, and containerd has the images of `archives`."""

    ADDRESS = ADDRESS
    # No route leads from here to the addresses of Services: the server asks their pods itself.
    OPTIONS = ("--allow-privileged", "--kubelet-preferred-address-types", "InternalIP", "--enable-aggregator-routing=true")

    def __init__(self, archives):
        self._archives = archives

    def __exit__(self, *_):
        """Containers, mounts and files go with the enclosure."""
        for process in reversed(self._processes):
            process.kill()
            process.wait()

    def _start(self):
        self._start_containerd()
        super()._start()
        self._run(PROGRAMS / "kube-controller-manager", *self._clients(), "--authentication-kubeconfig", self.kubeconfig,
                  "--authorization-kubeconfig", self.kubeconfig, "--leader-elect=false", "--bind-address", "127.0.0.1",
                  "--cert-dir", self._folder / "controllers", "--service-account-private-key-file", self._folder / "key",
                  # By which pods know the API server: it has signed its own.
                  "--root-ca-file", self._folder / "certificates/apiserver.crt",
                  # Autoscalers look every 15 s elsewhere.
                  "--horizontal-pod-autoscaler-sync-period", "3s",
                  "--allocate-node-cidrs=false", "--cluster-cidr", PODS, "--service-cluster-ip-range", SERVICES)
        self._run(PROGRAMS / "kube-scheduler", *self._clients(), "--authentication-kubeconfig", self.kubeconfig, "--authorization-kubeconfig",
                  self.kubeconfig, "--leader-elect=false", "--bind-address", "127.0.0.1", "--cert-dir", self._folder / "scheduler")
        self._start_dns()
        self._import_images()
        self._start_kubelet()
        self._start_proxy()
        self.await_that("the node is ready", self._is_ready)

    def kubectl(self, *words, **options):
        return subprocess.run([PROGRAMS / "kubectl", *words], env=self.client_environment(), text=True, capture_output=True, **options)

    def client_environment(self):
        return {**os.environ, "KUBECONFIG": str(self.kubeconfig), "HOME": str(self._folder)}

    def get(self, path):
        """The answer of the API server to a GET, None when there is nothing."""
        status, said, _ = self.call("GET", path)
        return said if status == 200 else None

    def await_that(self, what, condition):
        deadline = time.monotonic() + PATIENCE_S
        while not condition():
            dead = [one.args[0] for one in self._processes if one.poll() is not None]
            if dead or time.monotonic() > deadline:
                raise AssertionError(f"it never came to this: {what}; ended: {dead}\n{self.logs()}")
            time.sleep(0.2)

    def logs(self):
        return "\n".join(f"--- {log.name}\n{log.read_text(errors='replace')[-2000:]}" for log in sorted(self._folder.glob("*.log")))

    def _is_ready(self):
        node = self.get(f"/api/v1/nodes/{NAME}") or {"status": {"conditions": []}}
        account = self.get("/api/v1/namespaces/default/serviceaccounts/default")
        return account is not None and {"Ready": "True"}.items() <= {one["type"]: one["status"] for one in node["status"]["conditions"]}.items()

    def _clients(self):
        return "--kubeconfig", self.kubeconfig

    def _write(self, name, content):
        file = self._folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content if isinstance(content, str) else json.dumps(content))
        return file

    def _start_containerd(self):
        """runc, and a bridge for the pods. Scores of the OOM killer may not be lowered by everyone who is root."""
        self._socket = self._folder / "containerd.sock"
        self._write("networks/pods.conflist", {"cniVersion": "1.0.0", "name": "pods", "plugins": [
            {"type": "bridge", "bridge": "pods", "isGateway": True, "hairpinMode": True,
             "ipam": {"type": "host-local", "dataDir": str(self._folder / "addresses"), "ranges": [[{"subnet": PODS}]],
                      "routes": [{"dst": "0.0.0.0/0"}]}}]})
        configuration = self._write("containerd.toml", f"""version = 2
root = "{self._folder}/containerd"
state = "/run/containerd"
disabled_plugins = ["io.containerd.snapshotter.v1.aufs", "io.containerd.snapshotter.v1.btrfs", "io.containerd.snapshotter.v1.devmapper", "io.containerd.snapshotter.v1.zfs"]
[grpc]
  address = "{self._socket}"
[plugins."io.containerd.internal.v1.opt"]
  path = "{self._folder}/opt"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "localhost/pause:1"
  restrict_oom_score_adj = true
  tolerate_missing_hugetlb_controller = true
  disable_apparmor = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "{self._folder}/networks"
  [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
""")
        self._run("containerd", "--config", configuration)

    def kill_container(self, identity):
        """As a crash ends it: all at once."""
        done = self._ctr("tasks", "kill", "--signal", "SIGKILL", identity)
        assert done.returncode == 0, done.stderr

    def _ctr(self, *words):
        return subprocess.run(["ctr", "--address", self._socket, "--namespace", "k8s.io", *words], capture_output=True, text=True)

    def _import_images(self):
        self.await_that("containerd answers", lambda: self._ctr("version").returncode == 0)
        for archive in self._archives:
            done = self._ctr("images", "import", archive)
            if done.returncode != 0:
                raise AssertionError(f"import {archive}: {done.stderr}")

    def _start_dns(self):
        """Names of the cluster; no other name is known here."""
        corefile = self._write("Corefile", f"""{DOMAIN}:53 in-addr.arpa:53 {{
  bind {ADDRESS}
  errors
  kubernetes {DOMAIN} in-addr.arpa {{
    kubeconfig {self.kubeconfig}
    ttl 5
  }}
  cache 5
}}
.:53 {{
  bind {ADDRESS}
  template ANY ANY . {{
    rcode NXDOMAIN
  }}
}}
""")
        self._run(PROGRAMS / "coredns", "-conf", corefile)
        # Without one, pods would get the machine's.
        self._resolver = self._write("resolv.conf", f"nameserver {ADDRESS}\n")

    def _start_kubelet(self):
        configuration = self._write("kubelet.yaml", {
            "apiVersion": "kubelet.config.k8s.io/v1beta1", "kind": "KubeletConfiguration",
            "authentication": {"anonymous": {"enabled": True}, "webhook": {"enabled": False}}, "authorization": {"mode": "AlwaysAllow"},
            "address": ADDRESS, "healthzBindAddress": "127.0.0.1",
            "containerRuntimeEndpoint": f"unix://{self._socket}", "cgroupDriver": "cgroupfs", "cgroupRoot": f"/{enclosure.cgroup()}",
            "failCgroupV1": False, "failSwapOn": False, "oomScoreAdj": 0, "maxOpenFiles": 20000,
            "clusterDomain": DOMAIN, "clusterDNS": [ADDRESS], "resolvConf": str(self._resolver),
            "podLogsDir": str(self._folder / "pods"), "volumePluginDir": str(self._folder / "volume-plugins"),
            # This machine's disk is not the test's concern.
            "imageGCHighThresholdPercent": 100,
            "evictionHard": {"memory.available": "100Mi", "nodefs.available": "1%", "imagefs.available": "1%", "nodefs.inodesFree": "1%"}})
        self._run(PROGRAMS / "kubelet", "--config", configuration, *self._clients(), "--root-dir", self._folder / "kubelet", "--cert-dir",
                  self._folder / "kubelet-certificates", "--hostname-override", NAME, "--node-ip", ADDRESS)

    def _start_proxy(self):
        """Limits of connections belong to the machine, and stay. Addresses of Services lead somewhere from the node too: the proxy turns them."""
        subprocess.run(["ip", "route", "add", SERVICES, "dev", "lo", "src", ADDRESS], check=True)
        configuration = self._write("proxy.yaml", {
            "apiVersion": "kubeproxy.config.k8s.io/v1alpha1", "kind": "KubeProxyConfiguration", "clientConnection": {"kubeconfig": str(self.kubeconfig)},
            "mode": "iptables", "clusterCIDR": PODS, "hostnameOverride": NAME, "bindAddress": ADDRESS, "oomScoreAdj": 0,
            "healthzBindAddress": "127.0.0.1:10256", "metricsBindAddress": "127.0.0.1:10249",
            "conntrack": {"maxPerCore": 0, "min": 0, "tcpEstablishedTimeout": "0s", "tcpCloseWaitTimeout": "0s"}})
        self._run(PROGRAMS / "kube-proxy", "--config", configuration)


def missing():
    """Needed by a node, and not on this machine."""
    needed = [PROGRAMS / name for name in ("kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubelet", "kube-proxy", "kubectl", "coredns")]
    needed += [pathlib.Path("/usr/lib/cni/bridge"), pathlib.Path("/usr/lib/cni/host-local")]
    found = [f"there is no {path}" for path in needed if not path.exists()]
    return found + [f"there is no `{name}`" for name in ("etcd", "containerd", "runc", "ctr", "iptables", "conntrack") if not _on_path(name)]


def _on_path(name):
    return any(os.access(pathlib.Path(folder) / name, os.X_OK) for folder in os.environ["PATH"].split(":"))
