"""The running app and strangers: raw requests and sockets with foreign hosts and origins, on Streamlit's routes too."""

import socket
from http.client import HTTPConnection

import pytest

from embedlab.ui.frame.guard import HEADERS

PATHS = ["/", "/run", "/_stcore/health", "/_stcore/metrics", "/_stcore/host-config", "/media/x", "/lesson/x.html"]
KEY = "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
KEY += "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: streamlit\r\n"


def opened_socket(port: int, host: str, origin: str = "") -> bytes:
    """The first line of what is answered to the handshake."""
    with socket.create_connection(("127.0.0.1", port), timeout=30) as raw:
        named = f"Origin: {origin}\r\n" if origin else ""
        raw.sendall(f"GET /_stcore/stream HTTP/1.1\r\nHost: {host}\r\n{named}{KEY}\r\n".encode())
        return raw.recv(200).split(b"\r\n")[0]


@pytest.mark.parametrize("path", PATHS)
def test_a_foreign_host_gets_nothing_and_every_answer_has_the_headers(app, path):
    for headers, refused in (({}, False), ({"Host": "evil.example"}, True), ({"Origin": "http://localhost:1"}, True)):
        connection = HTTPConnection("127.0.0.1", app.port, timeout=30)
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        assert (answer.status == 403) is refused
        assert all(answer.headers[name] for name in HEADERS) and len(answer.headers.get_all("X-Frame-Options")) == 1
        connection.close()


def test_a_socket_opens_for_our_own_pages_alone(app):
    own = f"127.0.0.1:{app.port}"
    assert b"101" in opened_socket(app.port, own, f"http://{own}")
    assert b"403" in opened_socket(app.port, "evil.example")  # DNS rebinding, by a client that says no Origin
    assert b"403" in opened_socket(app.port, own, "http://evil.example")
    assert b"403" in opened_socket(app.port, own, "http://127.0.0.1:1")  # another program on this computer
