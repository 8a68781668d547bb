"""The routes beside Streamlit: who gets an answer, what it is, and what can be asked for."""

import json
from types import SimpleNamespace

import numpy as np
import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.testclient import TestClient

from embedlab.errors import CorpusError
from embedlab.ui.frame import routes
from embedlab.ui.frame.guard import Guard
from embedlab.ui.frame.routes import offer

FINGERPRINT = "0123456789abcdef"
SECRET = {"X-Embedlab-Token": routes.TOKEN}
TEXT = f"/data/text?corpus={FINGERPRINT}&row=1"


@pytest.fixture
def client(monkeypatch) -> TestClient:
    """The routes on 127.0.0.1, with one corpus of two rows."""
    titles, texts = ["", "A <b>title</b>"], ["first", "second <script>alert(1)</script>"]
    corpus = SimpleNamespace(title=titles.__getitem__, texts=texts)

    def open_one(fingerprint: str) -> SimpleNamespace:
        if fingerprint != FINGERPRINT:
            raise CorpusError("E-CORPUS", "There is no such corpus.")
        return corpus

    monkeypatch.setattr(routes, "opened", open_one)
    return TestClient(Starlette(routes=routes.ROUTES, middleware=[Middleware(Guard)]), base_url="http://127.0.0.1:8501")


def test_a_text_by_its_row(client):
    answer = client.get(TEXT, headers=SECRET)
    assert json.loads(answer.text) == {"title": "A <b>title</b>", "text": "second <script>alert(1)</script>"}


def test_a_text_is_never_a_page_and_never_for_others(client):
    headers = client.get(TEXT, headers=SECRET).headers
    assert headers["content-type"].startswith("text/plain")
    assert headers["x-content-type-options"] == "nosniff"
    assert "access-control-allow-origin" not in headers
    assert headers["cache-control"] == "no-store"


@pytest.mark.parametrize("path", [TEXT, f"/data/array?id={'0' * 32}"])
@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"X-Embedlab-Token": "wrong"},
        {"X-Embedlab-Token": "wröng".encode()},
        SECRET | {"Host": "evil.example"},
        SECRET | {"Host": "127.0.0.1.evil.example"},
        SECRET | {"Host": "127.0.0.1@evil.example"},
        SECRET | {"Host": "localhost:port"},
        SECRET | {"Host": ""},
        SECRET | {"Origin": "http://evil.example"},
        SECRET | {"Origin": "http://127.0.0.1:9999"},
        SECRET | {"Origin": "null"},
        SECRET | {"Sec-Fetch-Site": "cross-site"},
        SECRET | {"Sec-Fetch-Site": "same-site"},
    ],
)
def test_strangers_are_refused(client, path, headers):
    answer = client.get(path, headers=headers)
    assert answer.status_code == 403
    assert "second" not in answer.text


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Origin": "http://127.0.0.1:8501"},
        {"Host": "localhost:8501", "Origin": "http://localhost:8501"},
        {"Host": "[::1]:8501"},
        {"Host": "LOCALHOST"},
        {"Sec-Fetch-Site": "same-origin"},
    ],
)
def test_our_own_pages_are_answered(client, headers):
    assert client.get(TEXT, headers=SECRET | headers).status_code == 200


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ("corpus=..%2F..%2Fetc&row=0", 400),
        ("corpus=/etc/passwd&row=0", 400),
        (f"corpus={FINGERPRINT}%00&row=0", 400),
        (f"corpus={FINGERPRINT}%0a&row=0", 400),
        (f"corpus={FINGERPRINT.upper()}&row=0", 400),
        (f"corpus={FINGERPRINT}&row=-1", 400),
        (f"corpus={FINGERPRINT}&row=1e3", 400),
        (f"corpus={FINGERPRINT}&row=٣", 400),
        (f"corpus={FINGERPRINT}&row=", 400),
        (f"corpus={FINGERPRINT}", 400),
        ("", 400),
        (f"corpus={FINGERPRINT}&row=2", 404),
        ("corpus=ffffffffffffffff&row=0", 404),
    ],
)
def test_what_does_not_exist_has_one_sentence(client, query, status):
    answer = client.get(f"/data/text?{query}", headers=SECRET)
    assert answer.status_code == status
    assert answer.text.endswith(".") and "Traceback" not in answer.text


def test_a_long_text_is_cut_for_the_card(client):
    routes.opened(FINGERPRINT).texts[0] = "x" * 10_000
    text = json.loads(client.get(f"/data/text?corpus={FINGERPRINT}&row=0", headers=SECRET).text)["text"]
    assert len(text) == routes.TEXT_CHARACTERS and text.endswith("…")


def test_an_array_comes_back_as_its_bytes(client):
    array = np.arange(6, dtype=np.float32)
    answer = client.get(f"/data/array?id={offer(array)}", headers=SECRET)
    assert np.frombuffer(answer.content, "<f4").tolist() == array.tolist()
    assert answer.headers["content-type"] == "application/octet-stream"


@pytest.mark.parametrize("identity", ["0" * 32, "../../etc/passwd", ""])
def test_an_array_nobody_offered_is_not_there(client, identity):
    assert client.get("/data/array", params={"id": identity}, headers=SECRET).status_code == 404


def test_plotly_comes_from_the_installed_package_and_stays_in_the_browser(client):
    answer = client.get("/assets/plotly.min.js?v=1")
    assert answer.status_code == 200 and b"plotly.js v" in answer.content[:200]
    assert answer.headers["content-type"].startswith("text/javascript")
    assert "immutable" in answer.headers["cache-control"]


@pytest.mark.parametrize("path", ["/assets/..%2f..%2fsecret", "/assets/other.js", "/data/"])
def test_nothing_else_is_served(client, path):
    assert client.get(path, headers=SECRET).status_code == 404


@pytest.mark.parametrize("path", [TEXT, "/data/array", "/assets/plotly.min.js"])
def test_routes_only_read(client, path):
    assert client.post(path, headers=SECRET).status_code == 405
