"""What a browser fetches besides Streamlit: texts, arrays, plotly.js, lessons; its cookie, and its first page's style.

Who may ask at all is decided before (``guard.py``).
"""

import hashlib
import html
import json
import re
import secrets
import threading
from collections import OrderedDict
from functools import cache
from http.cookies import SimpleCookie
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urlencode

import numpy as np
import streamlit
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from embedlab.errors import CorpusError, EmbedlabError
from embedlab.plain_text import shortened
from embedlab.ui.frame.navigation import FORMER_PAGES, forwarded
from embedlab.ui.frame.state import opened

TOKEN = secrets.token_urlsafe(24)  # new with every server start; our pages get it through Streamlit, others cannot
TOKEN_HEADER = "X-Embedlab-Token"  # a header, not a parameter: another site's page cannot set it, and no log keeps it
TEXT_CHARACTERS = 4000  # as much as a card can show

_SAFE = {
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
_FINGERPRINT = re.compile(r"[0-9a-f]{16}")
_ROW = re.compile(r"[0-9]{1,9}")
_ARRAY = re.compile(r"[0-9a-f]{32}")


def point_text(request: Request) -> Response:
    """``/data/text?corpus=FINGERPRINT&row=ROW`` -> ``{"title", "text"}``, as text that no browser renders as a page."""
    if refusal := _refusal(request):
        return refusal
    fingerprint, row = request.query_params.get("corpus", ""), request.query_params.get("row", "")
    if not (_FINGERPRINT.fullmatch(fingerprint) and _ROW.fullmatch(row)):
        return _plain_text(400, "Expected corpus=<16 hexadecimal digits> and row=<number>.")
    try:
        corpus = opened(fingerprint)
    except (CorpusError, FileNotFoundError):
        return _plain_text(404, "There is no such corpus.")
    if int(row) >= len(corpus.texts):
        return _plain_text(404, "There is no such row.")
    title, text = corpus.title(int(row)), corpus.texts[int(row)]
    content = {"title": shortened(title, 300), "text": shortened(text or "", TEXT_CHARACTERS)}
    return PlainTextResponse(json.dumps(content), headers=_SAFE)


def map_array(request: Request) -> Response:
    """``/data/array?id=ID`` -> the bytes of an array that a page has offered."""
    if refusal := _refusal(request):
        return refusal
    identity = request.query_params.get("id", "")
    content = offered(identity) if _ARRAY.fullmatch(identity) else None
    if content is None:
        return _plain_text(404, "There is no such array.")
    return Response(content, media_type="application/octet-stream", headers=_SAFE)


def plotly_js(request: Request) -> Response:
    """``/assets/plotly.min.js?v=VERSION``: the installed package's file; nothing is fetched from the internet."""
    headers = _SAFE | {"Cache-Control": "public, max-age=31536000, immutable"}
    return FileResponse(_plotly_file(), media_type="text/javascript", headers=headers)


def lesson(request: Request) -> Response:
    """``/lesson/KEY.html``: exactly the file that is downloaded, or a sentence saying why there is none.

    It is opened in a tab of its own, hence without a token; never in a frame. The browser retries while texts are
    gathered.
    """
    from embedlab.jobs.requests.corpora import ReadCorpus  # not before it is needed: the app answers sooner
    from embedlab.jobs.runner import submit_once
    from embedlab.learn.catalog import NotGathered, lesson_file

    response: Response
    try:
        response = HTMLResponse(lesson_file(request.path_params["key"]))
    except KeyError:
        response = _sentence_alone(404, "There is no such lesson.")
    except NotGathered:
        submit_once(ReadCorpus(reference="docs"))
        waiting = "The texts of this lesson are collected from your installed packages: half a minute, once."
        response = _sentence_alone(503, waiting, {"Refresh": "3"})
    except EmbedlabError as error:
        response = _sentence_alone(409, error.message)
    response.headers.update(_SAFE | {"X-Frame-Options": "DENY", "Referrer-Policy": "no-referrer"})
    return response


def _sentence_alone(status: int, sentence: str, headers: dict[str, str] | None = None) -> Response:
    page = f"<!DOCTYPE html><meta charset='utf-8'><title>Lesson</title><p>{html.escape(sentence)}</p>"
    return HTMLResponse(page, status_code=status, headers=headers)


def former_page(request: Request) -> Response:
    """A link to a former page opens its current view with all its parameters."""
    view = forwarded(request.url.path.rpartition("/")[2], request.query_params)
    return RedirectResponse(f"{view.page}?{urlencode(view.address)}", headers=_SAFE)


ROUTES = [
    *(Route(f"/{former}", former_page, methods=["GET"], name=former) for former in FORMER_PAGES),
    Route("/lesson/{key}.html", lesson, methods=["GET"]),
    Route("/data/text", point_text),
    Route("/data/array", map_array),
    Route("/assets/plotly.min.js", plotly_js),
]


def _refusal(request: Request) -> Response | None:
    """Why this request is refused: it lacks our token, so it comes from no page of this server."""
    if secrets.compare_digest(request.headers.get(TOKEN_HEADER, "").encode(), TOKEN.encode()):
        return None
    return _plain_text(403, "The page is older than the running app. Reload it.")


def _plain_text(status: int, sentence: str) -> Response:
    return PlainTextResponse(sentence, status_code=status, headers=_SAFE)


@cache
def _plotly_file() -> Path:
    spec = find_spec("plotly")  # finds the package without importing it
    assert spec is not None and spec.origin is not None
    return Path(spec.origin).parent / "package_data" / "plotly.min.js"


KEPT_BYTES = 128 * 2**20  # two maps of 500,000 texts with twenty frames are 84 MB

_kept: OrderedDict[str, bytes] = OrderedDict()
_lock = threading.Lock()


def offer(array: np.ndarray) -> str:
    """Keep the array's bytes (little-endian, C order) for the browser; equal content gets the same id."""
    content = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<")).tobytes()
    identity = hashlib.blake2b(content, digest_size=16, person=array.dtype.str.encode()).hexdigest()
    with _lock:
        _kept[identity] = content
        _kept.move_to_end(identity)
        while len(_kept) > 1 and sum(map(len, _kept.values())) > KEPT_BYTES:
            _kept.popitem(last=False)
    return identity


def offered(identity: str) -> bytes | None:
    """The bytes with that id, or None if never offered or dropped."""
    with _lock:
        if identity in _kept:
            _kept.move_to_end(identity)
        return _kept.get(identity)


COOKIE = "embedlab-session"
COOKIE_SECONDS = 400 * 24 * 3600  # as long as browsers keep one


def session_cookie(cookies: str) -> str | None:
    """The header that sets the cookie; None if there is one. cookies: the request's Cookie header"""
    if f"{COOKIE}=" in cookies:
        return None
    cookie = SimpleCookie({COOKIE: secrets.token_urlsafe(16)})
    cookie[COOKIE].update({"path": "/", "max-age": str(COOKIE_SECONDS), "httponly": "true", "samesite": "Lax"})
    return cookie[COOKIE].OutputString()


FRAME = Path(__file__).with_name("frame.css")
OWN_PAGES = "/lesson/"  # files that are the same however they are opened, with a policy of their own
_UNWANTED = (b"accept-encoding", b"if-none-match", b"if-modified-since", b"range")  # else there is no text to add to


_IMPORTED = re.compile(r"""(?:from|import)["`']\./([\w.-]+\.js)["`']""")  # by a script of Streamlit's
PRELOADED = "BidiComponent Button ButtonGroup Html Metric Multiselect Selectbox Table TextInput".split()


def preloads() -> str:
    """Links to the scripts of elements that Streamlit fetches one by one as they first appear, which moves the page."""
    folder = Path(streamlit.__file__).parent / "static" / "static" / "js"
    scripts = [script for name in PRELOADED for script in folder.glob(f"{name}.*.js")]
    names = {each.name: None for each in scripts}
    for each in scripts:
        names |= dict.fromkeys(_IMPORTED.findall(each.read_text(encoding="utf-8")))
    return "".join(f'<link rel="modulepreload" crossorigin href="./static/js/{name}">' for name in names)


MAP_HEIGHTS = (220, 230, 270, 400, 404, 430, 460, 470, 500, 520, 560)  # pixels, of all maps that pages show
_NARROW = 300  # a map in a narrow column is lower, and not below this


def map_key(name: str, height: int) -> str:
    """The key of a map on a page, by which its room is free from the start, so that content below does not jump."""
    assert height in MAP_HEIGHTS, f"a map is {height} pixels high, and no room is kept for it"
    return f"map_{height}-{name}"


def map_rooms() -> str:
    """The style that keeps it: a style of the page's own comes a moment after its elements. As high as in main.js."""
    rule = '[class*="st-key-map_{0}-"]::before {{ max-height: {0}px; min-height: {1}px; }}\n'
    return "".join(rule.format(height, min(height, _NARROW)) for height in MAP_HEIGHTS)


class EarlyStyle:
    """ASGI middleware: appends preloads and ``frame.css`` to the head of every Streamlit page, folds its sidebar where
    the window is narrow, and sets the session's cookie; everything else passes unchanged.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        style = FRAME.read_text(encoding="utf-8") + map_rooms()
        folded = "<script>if (innerWidth < 900) localStorage.setItem('stSidebarCollapsed-', 'true')</script>"
        self.style = f"{folded}{preloads()}<style>\n{style}</style>".encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        is_page = scope["type"] == "http" and b"text/html" in dict(scope["headers"]).get(b"accept", b"")
        if not is_page or scope["path"].startswith(OWN_PAGES):
            await self.app(scope, receive, send)
            return
        inner = {**scope, "headers": [each for each in scope["headers"] if each[0] not in _UNWANTED], "extensions": {}}
        start: Message = {}
        body = b""

        async def styled(message: Message) -> None:
            nonlocal start, body
            if message["type"] == "http.response.start":
                start = message
                return
            body += message.get("body", b"")
            if message.get("more_body"):
                return
            headers = [each for each in start["headers"] if each[0].lower() not in (b"content-length", b"etag")]
            if dict(start["headers"]).get(b"content-type", b"").startswith(b"text/html"):
                body = body.replace(b"</head>", self.style + b"</head>", 1)
            headers.append((b"content-length", str(len(body)).encode()))
            if (cookie := session_cookie(dict(scope["headers"]).get(b"cookie", b"").decode("latin-1"))) is not None:
                headers.append((b"set-cookie", cookie.encode()))
            await send({**start, "headers": headers})
            await send({"type": "http.response.body", "body": body})

        await self.app(inner, receive, styled)
