"""A handler of the tests' own as the hub: on a free port of this machine, named in HF_ENDPOINT."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@contextmanager
def hub_of(handler: type[BaseHTTPRequestHandler], monkeypatch) -> Iterator[str]:
    """The hub's address, while it answers."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    address = f"http://127.0.0.1:{server.server_port}"
    monkeypatch.setenv("HF_ENDPOINT", address)
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    try:
        yield address
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
