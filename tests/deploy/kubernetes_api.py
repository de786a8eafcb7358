"""etcd and a real API server of Kubernetes, on loopback, for as long as a test lasts: no controllers and no nodes, so nothing runs, but all
that is applied is judged as a cluster judges it."""

import ctypes
import json
import os
import pathlib
import secrets
import shutil
import signal
import socket
import ssl
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

import yaml

PROGRAM = pathlib.Path(os.environ["KUBERNETES_API_SERVER"])
# Beyond what a busy machine needs.
PATIENCE_S = 600
PR_SET_PDEATHSIG = 1


def _free_ports(count):
    held = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [one.getsockname()[1] for one in held]
    for one in held:
        one.close()
    return ports


def _end_with_parent():
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


class ApiServer:
    """With `with`: `kubeconfig` is a file for clients, `call` asks it by hand."""

    ADDRESS = "127.0.0.1"
    # No controller makes service accounts here, and nobody comes by the server's own Service.
    OPTIONS = ("--disable-admission-plugins", "ServiceAccount", "--endpoint-reconciler-type", "none")

    def __enter__(self):
        self._folder = pathlib.Path(tempfile.mkdtemp(prefix="orbweaver-kubernetes-"))
        self._processes = []
        try:
            self._start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for process in reversed(self._processes):
            process.kill()
            process.wait()
        shutil.rmtree(self._folder, ignore_errors=True)

    def call(self, method, path, body=None):
        """(status, answer, warnings). Of a path that nobody serves the answer is text."""
        request = urllib.request.Request(self._address + path, method=method, data=json.dumps(body).encode() if body is not None else None,
                                         headers={"Authorization": f"Bearer {self._token}", "Content-Type": "application/json"})
        try:
            answer = urllib.request.urlopen(request, timeout=60, context=self._tls)
        except urllib.error.HTTPError as error:
            answer = error
        with answer:
            said = answer.read()
            is_json = answer.headers.get_content_type() == "application/json"
            return answer.status, json.loads(said) if is_json else said.decode(), answer.headers.get_all("Warning") or []

    def _start(self):
        etcd_port, peer_port, port = _free_ports(3)
        self._token, self._address, self._tls = secrets.token_hex(16), f"https://{self.ADDRESS}:{port}", ssl._create_unverified_context()
        etcd = f"http://127.0.0.1:{etcd_port}"
        self._run("etcd", "--data-dir", self._folder / "etcd", "--listen-client-urls", etcd, "--advertise-client-urls", etcd,
                  "--listen-peer-urls", f"http://127.0.0.1:{peer_port}", "--initial-advertise-peer-urls", f"http://127.0.0.1:{peer_port}",
                  "--initial-cluster", f"default=http://127.0.0.1:{peer_port}")
        (self._folder / "tokens").write_text(f"{self._token},admin,admin,system:masters\n")
        subprocess.run(["openssl", "genrsa", "-out", self._folder / "key", "2048"], check=True, capture_output=True)
        self._run(PROGRAM, "--etcd-servers", etcd, "--bind-address", self.ADDRESS, "--advertise-address", self.ADDRESS,
                  "--secure-port", port, "--cert-dir", self._folder / "certificates", "--token-auth-file", self._folder / "tokens",
                  "--authorization-mode", "RBAC", "--service-cluster-ip-range", "10.96.0.0/16",
                  "--service-account-issuer", "https://kubernetes.default.svc", "--service-account-key-file", self._folder / "key",
                  "--service-account-signing-key-file", self._folder / "key",
                  *self.OPTIONS)
        self.kubeconfig = self._folder / "kubeconfig"
        self.kubeconfig.write_text(yaml.safe_dump({
            "apiVersion": "v1", "kind": "Config", "current-context": "it", "contexts": [{"name": "it", "context": {"cluster": "it", "user": "it"}}],
            "clusters": [{"name": "it", "cluster": {"server": self._address, "insecure-skip-tls-verify": True}}],
            "users": [{"name": "it", "user": {"token": self._token}}]}))
        self._await()

    def _run(self, program, *arguments):
        name = pathlib.Path(program).name
        with open(self._folder / f"{name}.log", "wb") as log:
            self._processes.append(subprocess.Popen([program, *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                                    preexec_fn=_end_with_parent))

    def _await(self):
        deadline = time.monotonic() + PATIENCE_S
        while True:
            try:
                with urllib.request.urlopen(urllib.request.Request(self._address + "/readyz", headers={"Authorization": f"Bearer {self._token}"}),
                                            timeout=60, context=self._tls):
                    return
            except OSError as error:
                dead = [one.args[0] for one in self._processes if one.poll() is not None]
                if dead or time.monotonic() > deadline:
                    logs = "\n".join(log.read_text(errors="replace")[-3000:] for log in self._folder.glob("*.log"))
                    raise AssertionError(f"the API server is not ready ({error}); ended: {dead}\n{logs}") from error
            time.sleep(0.2)
