"""Certificates for services on this machine: an authority in a folder, and certificates that it signs."""

import os
import secrets
import shutil
import subprocess
from pathlib import Path

from install import Failure

USER = "orbweaver"


def _openssl(*words):
    if not shutil.which("openssl"):
        raise Failure("make certificates: `openssl` is not installed. Run `./run setup`, or: sudo apt-get install openssl")
    done = subprocess.run(["openssl", *map(str, words)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace")
    if done.returncode != 0:
        raise Failure(f"make certificates: openssl {words[0]} failed. It said:\n{done.stdout}")


class Authority:
    """`ca.pem` is what clients trust; `user` and `password` are for servers that ask for more."""

    def __init__(self, folder):
        self.dir = folder
        self.certificate = folder / "ca.pem"
        self._key = folder / "ca.key"
        self._password = folder / "password"

    def exists(self):
        return self._password.exists()

    def password(self):
        return self._password.read_text()

    def make(self):
        """The password is written last: with it all is there."""
        self.dir.mkdir(parents=True, exist_ok=True)
        self.dir.chmod(0o700)
        _openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", 3650,
                 "-subj", "/CN=services on this machine", "-keyout", self._key, "-out", self.certificate)
        partial = self._password.with_suffix(".partial")
        partial.write_text(secrets.token_hex(16))
        partial.rename(self._password)

    def issue(self, name, names, days=3650):
        """Signs NAME.pem, with NAME.key, for `names` ("IP:127.0.0.1,DNS:localhost"); with `days` below 0 it has ended already.

        Returns both. Beside them lie what Java's servers take: key and certificate in one file, NAME.both.pem, and NAME.p12, whose
        password is that of the folder.
        """
        certificate, key, request = (self.dir / f"{name}.{kind}" for kind in ("pem", "key", "csr"))
        _openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", f"/CN={name}",
                 "-addext", f"subjectAltName={names}", "-keyout", key, "-out", request)
        _openssl("x509", "-req", "-in", request, "-CA", self.certificate, "-CAkey", self._key, "-CAcreateserial", "-days", days,
                 "-copy_extensions", "copy", "-out", certificate)
        request.unlink()
        both = self.dir / f"{name}.both.pem"
        both.touch(mode=0o600)
        both.write_text(key.read_text() + certificate.read_text())
        store = self.dir / f"{name}.p12"
        _openssl("pkcs12", "-export", "-in", both, "-name", name, "-out", store, "-passout", f"file:{self._password}")
        os.chmod(store, 0o600)
        return Path(certificate), Path(key)
