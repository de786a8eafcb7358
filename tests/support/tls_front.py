"""A server that shows a certificate, and nothing else: for clients that must refuse it."""

import contextlib
import socket
import ssl
import threading


class TlsFront:
    """Listens on loopback until close(). `heard` is what clients said to it behind the handshake."""

    def __init__(self, certificate, key):
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.load_cert_chain(certificate, key)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self._listener.getsockname()[1]}"
        self.heard = b""
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def close(self):
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join()

    def _serve(self):
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            # A client that refuses breaks off, in one way or another.
            with contextlib.suppress(OSError), contextlib.closing(connection):
                connection.settimeout(10)
                with self._context.wrap_socket(connection, server_side=True) as session:
                    self.heard += session.recv(4096)
