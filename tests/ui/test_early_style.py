"""The frame's style comes with the first page, and with nothing else."""

import re
from pathlib import Path

import pytest
import streamlit
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.responses import HTMLResponse, PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from embedlab.ui.frame.routes import COOKIE, FRAME, PRELOADED, EarlyStyle, map_rooms

PAGE = "<html><head><title>x</title></head><body>" + "word " * 500 + "</body></html>"


@pytest.fixture
def client():
    """An app that packs its answers, as Streamlit does."""
    routes = [
        Route("/", lambda request: HTMLResponse(PAGE, headers={"ETag": '"1"'})),
        Route("/said", lambda request: PlainTextResponse("a </head> that is none")),
    ]
    return TestClient(Starlette(routes=routes, middleware=[Middleware(EarlyStyle), Middleware(GZipMiddleware)]))


def test_a_page_has_the_style_at_the_end_of_its_head(client):
    answer = client.get("/", headers={"Accept": "text/html,*/*", "If-None-Match": '"1"'})
    assert answer.status_code == 200 and "etag" not in answer.headers
    head, _, body = answer.text.partition("</head>")
    assert head.endswith(f"{FRAME.read_text(encoding='utf-8')}{map_rooms()}</style>")
    assert body == PAGE.partition("</head>")[2]
    assert int(answer.headers["content-length"]) == len(answer.content)


def test_what_is_preloaded_is_there_each_once(client):
    links = re.findall(r'href="\./static/js/([^"]+)"', client.get("/", headers={"Accept": "text/html"}).text)
    scripts = Path(streamlit.__file__).parent / "static" / "static" / "js"
    assert len(set(links)) == len(links) and all((scripts / link).is_file() for link in links)
    assert {link.partition(".")[0] for link in links} >= set(PRELOADED), "a new Streamlit may name them otherwise"


@pytest.mark.parametrize(("path", "accept"), [("/said", "text/html"), ("/", "*/*")])
def test_all_else_passes_as_it_is(client, path, accept):
    answer = client.get(path, headers={"Accept": accept})
    assert "stSidebar" not in answer.text and ("head" in answer.text)


def test_a_browser_is_named_once_and_no_script_or_other_site_reads_its_name(client):
    first = client.get("/", headers={"Accept": "text/html"})
    cookie = first.headers["set-cookie"]
    assert cookie.startswith(f"{COOKIE}=") and {"HttpOnly", "SameSite=Lax", "Path=/"} <= set(cookie.split("; "))
    assert "set-cookie" not in client.get("/", headers={"Accept": "text/html"}).headers  # the client sends it now
    assert "set-cookie" not in client.get("/said", headers={"Accept": "*/*"}).headers
