"""The guard before every request and socket: which hosts and origins are answered, with which headers, and where."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest
import streamlit as st
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse
from starlette.routing import Route, WebSocketRoute
from starlette.testclient import TestClient
from starlette.websockets import WebSocket, WebSocketDisconnect

from embedlab.ui.frame.guard import BEHIND_PROXY, HEADERS, Guard, refuse_open_network

ROOT = Path(__file__).resolve().parents[2]
HOST = "127.0.0.1:8501"
STRANGERS = [
    {"Host": "evil.example"},
    {"Host": "evil.example:8501"},
    {"Host": "127.0.0.1.evil.example"},
    {"Host": "127.0.0.1@evil.example"},
    {"Host": "localhost:port"},
    {"Host": ""},
    {"Host": "evil.example", "Origin": "http://evil.example"},
    {"Origin": "http://evil.example"},
    {"Origin": "http://127.0.0.1:9999"},
    {"Origin": "http://127.0.0.1"},
    {"Origin": "http://localhost:8501"},
    {"Origin": "null"},
    {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "cors"},
    {"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "no-cors"},  # a page on another port of this computer
]
OURS = [
    {},
    {"Host": "localhost:8501"},
    {"Host": "[::1]:8501"},
    {"Origin": "http://127.0.0.1:8501"},
    {"Host": "localhost:8501", "Origin": "http://localhost:8501"},
    {"Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "cors"},
]


async def _socket(socket: WebSocket) -> None:
    await socket.accept()
    await socket.send_text("open")
    await socket.close()


@pytest.fixture
def client() -> TestClient:
    routes = [
        Route("/page", lambda request: PlainTextResponse("secret")),
        Route("/own", lambda request: PlainTextResponse("own", headers={"X-Frame-Options": "DENY"})),
        WebSocketRoute("/socket", _socket),
    ]
    return TestClient(Starlette(routes=routes, middleware=[Middleware(Guard)]), base_url=f"http://{HOST}")


@pytest.mark.parametrize("headers", STRANGERS, ids=str)
def test_strangers_are_refused_on_requests_and_sockets(client, headers):
    answer = client.get("/page", headers=headers)
    assert answer.status_code == 403 and "secret" not in answer.text
    with pytest.raises(WebSocketDisconnect), client.websocket_connect("/socket", headers={"Host": HOST, **headers}):
        pass


@pytest.mark.parametrize("headers", OURS, ids=str)
def test_our_own_pages_are_answered(client, headers):
    assert client.get("/page", headers=headers).text == "secret"
    with client.websocket_connect("/socket", headers={"Host": HOST, **headers}) as socket:
        assert socket.receive_text() == "open"


def test_a_link_of_another_site_opens_the_app(client):
    opened = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
    assert client.get("/page", headers=opened).status_code == 200


@pytest.mark.parametrize("path", ["/page", "/nothing"])
@pytest.mark.parametrize("headers", [{}, {"Host": "evil.example"}], ids=str)
def test_every_answer_has_the_headers(client, path, headers):
    answer = client.get(path, headers=headers)
    assert {name: answer.headers.get(name) for name in HEADERS} == HEADERS


def test_a_header_that_an_answer_has_is_left_alone(client):
    assert client.get("/own").headers.get_list("x-frame-options") == ["DENY"]


def test_the_guard_is_the_first_that_a_request_meets():
    tree = ast.parse((ROOT / "app.py").read_text(encoding="utf-8"))
    (made,) = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and ast.unparse(node.func) == "st.App"]
    named = {keyword.arg: ast.unparse(keyword.value) for keyword in made.keywords}
    assert named["middleware"].startswith("[Middleware(Guard)")


@pytest.fixture
def options(monkeypatch):
    """``options(**{"server.address": "0.0.0.0"})``: as they were set for this start."""

    def set_(**values) -> None:
        known = {"server.address": "127.0.0.1", "server.allowedHosts": ["localhost", "127.0.0.1"], **values}
        monkeypatch.setattr(st, "get_option", known.__getitem__)

    monkeypatch.delenv(BEHIND_PROXY, raising=False)
    monkeypatch.setattr("embedlab.ui.frame.guard.has_sign_in", lambda: False)
    return set_


@pytest.mark.parametrize("address", ["127.0.0.1", "localhost", "::1", "127.0.0.53", "unix:///tmp/app.socket"])
def test_a_start_on_this_computer_alone_is_let_through(options, address):
    options(**{"server.address": address})
    refuse_open_network()


@pytest.mark.parametrize("address", ["0.0.0.0", "::", "192.168.1.5", "lab.example.org", None, ""])
def test_a_start_on_the_network_without_sign_in_is_refused(options, capsys, address):
    options(**{"server.address": address})
    with pytest.raises(SystemExit) as ended:
        refuse_open_network()
    assert ended.value.code == 2 and "EMBEDLAB_BEHIND_PROXY=1" in capsys.readouterr().err


def test_a_proxy_must_say_the_host_that_it_serves(options, monkeypatch, capsys):
    monkeypatch.setenv(BEHIND_PROXY, "1")
    options(**{"server.address": "0.0.0.0"})
    with pytest.raises(SystemExit):
        refuse_open_network()
    assert "--server.allowedHosts" in capsys.readouterr().err
    options(**{"server.address": "0.0.0.0", "server.allowedHosts": ["*"]})
    with pytest.raises(SystemExit):
        refuse_open_network()
    options(**{"server.address": "0.0.0.0", "server.allowedHosts": ["lab.example.org"]})
    refuse_open_network()


def test_sign_in_allows_the_network(options, monkeypatch):
    monkeypatch.setattr("embedlab.ui.frame.guard.has_sign_in", lambda: True)
    options(**{"server.address": "0.0.0.0"})
    refuse_open_network()


def test_behind_a_proxy_its_host_and_origin_are_answered_and_no_others(options, monkeypatch, client):
    monkeypatch.setenv(BEHIND_PROXY, "1")
    options(**{"server.allowedHosts": ["lab.example.org"]})
    public = "https://lab.example.org"
    assert client.get("/page", headers={"Host": "lab.example.org", "Origin": public}).status_code == 200
    assert client.get("/page", headers={"Origin": public}).status_code == 200  # a proxy that does not pass the host on
    assert client.get("/page", headers={"Host": "lab.example.org", "Origin": "https://evil.example"}).status_code == 403
    monkeypatch.delenv(BEHIND_PROXY)
    assert client.get("/page", headers={"Origin": public}).status_code == 403


def test_who_has_not_signed_in_sees_nothing(open_page, monkeypatch):
    monkeypatch.setattr("embedlab.ui.frame.guard.has_sign_in", lambda: True)
    monkeypatch.setattr(type(st.user), "is_logged_in", False, raising=False)
    at = open_page("home")
    assert not at.exception and [each.label for each in at.button] == ["Sign in"]


@pytest.mark.slow
def test_the_server_itself_refuses_to_start_on_the_network(tmp_path):
    started = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.headless", "true"]
    environment = {**os.environ, "EMBEDLAB_HOME": str(tmp_path)}
    options = ["--server.address", "0.0.0.0", "--server.port", "0"]
    done = subprocess.run([*started, *options], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2 and "does not start on 0.0.0.0" in done.stderr
