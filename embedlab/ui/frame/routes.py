"""What a browser fetches beside Streamlit: a text by its row, arrays of a map, plotly.js of the package, lessons.

Who may ask at all is decided before (``guard.py``).
"""

import json
import re
import secrets
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from embedlab.errors import CorpusError
from embedlab.ui.frame.arrays import offered
from embedlab.ui.frame.views.places import FORMER_PAGES, forwarded

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
    """``/data/text?corpus=FINGERPRINT&row=ROW`` -> ``{"title", "text"}``, as text that no browser takes for a page."""
    if refusal := _refusal(request):
        return refusal
    fingerprint, row = request.query_params.get("corpus", ""), request.query_params.get("row", "")
    if not (_FINGERPRINT.fullmatch(fingerprint) and _ROW.fullmatch(row)):
        return _plain_text(400, "Expected corpus=<16 hexadecimal digits> and row=<number>.")
    try:
        corpus = _corpus(fingerprint)
    except (CorpusError, FileNotFoundError):
        return _plain_text(404, "There is no such corpus.")
    if int(row) >= len(corpus.texts):
        return _plain_text(404, "There is no such row.")
    title = corpus.titles[int(row)] if corpus.titles is not None else ""
    content = {"title": _cut(title or "", 300), "text": _cut(corpus.texts[int(row)] or "", TEXT_CHARACTERS)}
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
    """``/assets/plotly.min.js?v=VERSION``: the file of the installed package, so that nothing is asked of the net."""
    headers = _SAFE | {"Cache-Control": "public, max-age=31536000, immutable"}
    return FileResponse(_plotly_file(), media_type="text/javascript", headers=headers)


def lesson(request: Request) -> Response:
    """``/lesson/KEY.html``: opened by a person in a tab of its own, so no token; in no frame."""
    from embedlab.ui.frame.lesson_route import lesson_page  # not before it is needed: the app answers sooner

    response = lesson_page(request)
    response.headers.update(_SAFE | {"X-Frame-Options": "DENY", "Referrer-Policy": "no-referrer"})
    return response


def former_page(request: Request) -> Response:
    """A link to a former page opens its view where it is now, with all that the link says."""
    place = forwarded(request.url.path.rpartition("/")[2], request.query_params)
    return RedirectResponse(f"{place.page}?{urlencode(place.address)}", headers=_SAFE)


ROUTES = [
    *(Route(f"/{former}", former_page, methods=["GET"], name=former) for former in FORMER_PAGES),
    Route("/lesson/{key}.html", lesson, methods=["GET"]),
    Route("/data/text", point_text),
    Route("/data/array", map_array),
    Route("/assets/plotly.min.js", plotly_js),
]


def _refusal(request: Request) -> Response | None:
    """Why this request is not answered: it has no token of ours, so it is of no page that this server sent."""
    if secrets.compare_digest(request.headers.get(TOKEN_HEADER, "").encode(), TOKEN.encode()):
        return None
    return _plain_text(403, "The page is older than the running app. Reload it.")


def _plain_text(status: int, sentence: str) -> Response:
    return PlainTextResponse(sentence, status_code=status, headers=_SAFE)


def _cut(text: str, characters: int) -> str:
    return text if len(text) <= characters else text[:characters] + "…"


def _corpus(fingerprint: str):
    from embedlab.ui.frame.opened import opened  # not before it is needed: the app answers sooner

    return opened(fingerprint)


@cache
def _plotly_file() -> Path:
    spec = find_spec("plotly")  # finds the package without importing it
    assert spec is not None and spec.origin is not None
    return Path(spec.origin).parent / "package_data" / "plotly.min.js"
