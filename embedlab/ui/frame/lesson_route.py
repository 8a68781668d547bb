"""``/lesson/KEY.html``: a lesson as exactly the file that is downloaded, made on first request."""

import hashlib
import html
import re
from pathlib import Path
from threading import Lock

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

import embedlab
from embedlab.corpora.base import open_corpus
from embedlab.errors import EmbedlabError
from embedlab.jobs.requests.corpora import ReadCorpus
from embedlab.jobs.runner import submit_once
from embedlab.learn.catalog import export_lesson, lessons
from embedlab.runs.example import gathered
from embedlab.store_root import atomic_write, store_root

_KEY = re.compile(r"[a-z0-9-]{1,80}")
_one_at_a_time = Lock()


class NotGathered(Exception):
    """The built-in texts are still being gathered."""


def lesson_file(key: str) -> bytes:
    """The file of a lesson with the built-in texts, cached in the store until lesson, texts or code change.

    Raises
    ------
    KeyError
        there is no such lesson.
    NotGathered
        its texts are not there yet; a job gathers them.
    LessonError
        a claim does not hold.
    """
    lesson = lessons()[key]
    fingerprint = gathered()
    if fingerprint is None:
        submit_once(ReadCorpus(reference="docs"))
        raise NotGathered
    path = store_root() / "lessons" / "pages" / f"{key}-{lesson.version}-{_code_version()}-{fingerprint}.html"
    with _one_at_a_time:
        if not path.is_file():
            page = export_lesson(lesson, corpus=None if lesson.corpus else open_corpus(fingerprint)).page
            for earlier in path.parent.glob(f"{key}-*.html") if path.parent.is_dir() else ():
                earlier.unlink(missing_ok=True)
            with atomic_write(path) as temporary:
                temporary.write_bytes(page)
    return path.read_bytes()


def _code_version() -> str:
    """A hash of everything that makes a page: pages made earlier stay valid while it is unchanged."""
    kinds, package = (".py", ".js", ".css", ".html", ".json"), Path(embedlab.__file__).parent
    folders = [package / "learn", package / "figures" / "one_file", package / "figures" / "map_browser"]
    files = sorted(each for folder in folders for each in folder.rglob("*") if each.suffix in kinds)
    return hashlib.sha256(b"".join(each.read_bytes() for each in files)).hexdigest()[:12]


def lesson_page(request: Request) -> Response:
    """One lesson, or a sentence saying why there is none; the browser retries while texts are gathered."""
    key = request.path_params["key"]
    try:
        if not _KEY.fullmatch(key):
            raise KeyError(key)
        return HTMLResponse(lesson_file(key))
    except KeyError:
        return _said(404, "There is no such lesson.")
    except NotGathered:
        waiting = "The texts of this lesson are collected from your installed packages: half a minute, once."
        return _said(503, waiting, {"Refresh": "3"})
    except EmbedlabError as error:
        return _said(409, error.message)


def _said(status: int, sentence: str, headers: dict[str, str] | None = None) -> Response:
    page = f"<!DOCTYPE html><meta charset='utf-8'><title>Lesson</title><p>{html.escape(sentence)}</p>"
    return HTMLResponse(page, status_code=status, headers=headers)
