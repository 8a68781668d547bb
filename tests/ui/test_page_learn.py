"""Learn: lessons to open and take along, answers counted, lessons made and opened; the route that serves them."""

import io
import sys
import zipfile
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.testclient import TestClient
from toy_corpora import store_toy

from embedlab.jobs.requests.corpora import ReadCorpus
from embedlab.ui.frame.guard import Guard

sys.path.append(str(Path(__file__).parents[1] / "learn"))

from made_lessons import LESSON  # noqa: E402
from seen import words  # noqa: E402

from embedlab.learn import catalog  # noqa: E402
from embedlab.learn.catalog import find_lesson, keep_lesson  # noqa: E402
from embedlab.ui import learn as learn_views  # noqa: E402
from embedlab.ui.frame import routes  # noqa: E402


@pytest.fixture
def gathered(store, monkeypatch):
    """The toy corpus in place of the built-in one; nothing is started."""
    corpus = store_toy()
    for module in (catalog, learn_views):
        monkeypatch.setattr(module, "gathered", lambda: corpus.fingerprint)
    for starts in ("embedlab.jobs.runner.submit_once", "embedlab.ui.learn.start_once"):
        monkeypatch.setattr(starts, None)
    return corpus


@pytest.fixture
def client() -> TestClient:
    return TestClient(Starlette(routes=routes.ROUTES, middleware=[Middleware(Guard)]), base_url="http://127.0.0.1:8501")


def test_every_lesson_is_listed_with_its_link_and_at_most_six_controls(open_page, gathered):
    at = open_page("learn")
    assert not at.exception
    links = [each.value for each in at.markdown if "[Open](lesson/" in each.value]
    assert len(links) == 6 and "15 min · [Open](lesson/pull-and-push.html)" in links
    assert len(at.main.get("download_button")) == 2 and len(at.main.selectbox) == 1


def test_answers_of_a_class_are_counted_and_what_is_not_is_said(open_page, store):
    lesson = find_lesson("longer-is-not-closer")
    at = open_page("learn", **{"learn.view": "Answers of a class"})
    lines = [f"embedlab {lesson.key} {lesson.version}: 3{each}" for each in "CCA"]
    at.text_area[0].set_value("\n".join([*lines, "embedlab nonsense"])).run()
    assert not at.exception
    rows = at.dataframe[0].value
    third = rows[rows["step"].str.startswith("3")]
    assert third[["answer", "students"]].values.tolist() == [["A", 1], ["B", 0], ["C", 2]]
    assert third["right"].tolist() == ["", "", "✓"]
    assert any("could not be read: line 4" in each.value for each in at.caption)


def test_a_lesson_is_made_of_a_run(open_page, made_run):
    run = made_run("token", name="mine")
    at = open_page("learn", **{"learn.view": "Make a lesson"})
    assert not at.exception and "runs: token" in at.code[0].value  # the packaged one
    at.selectbox(key="learn.run").select(run.id).run()
    assert "title: mine" in at.code[0].value and "{run.knn.after}" in at.code[0].value


def test_a_lesson_file_is_checked_and_refused_in_a_sentence(open_page, gathered):
    at = open_page("learn", **{"learn.view": "Open a lesson file"})
    at.file_uploader[0].set_value(("mine.md", b"# Nothing", "text/markdown")).run()
    assert not at.exception and "mine.md must begin with lines" in words(at)


def test_the_route_serves_the_file_that_is_downloaded(client, gathered):
    keep_lesson(LESSON.replace("runs: token, layers", "runs: token, layers\ncorpus: toy").encode(), "four-ways.md")
    answer = client.get("/lesson/four-ways.html")
    assert answer.status_code == 200 and answer.content == catalog.lesson_file("four-ways")
    assert (
        answer.headers["x-frame-options"] == "DENY" and answer.headers["cross-origin-resource-policy"] == "same-origin"
    )
    assert answer.headers["content-type"].startswith("text/html")
    assert client.post("/lesson/four-ways.html").status_code == 405
    archive = zipfile.ZipFile(io.BytesIO(learn_views._zipped(["four-ways"])))
    assert archive.read("four-ways.html") == answer.content


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", ""])
def test_other_hosts_get_no_lesson(client, gathered, host):
    assert client.get("/lesson/which-layer.html", headers={"Host": host}).status_code == 403


@pytest.mark.parametrize("key", ["nothing", "..%2F..%2Fetc", "WHICH-LAYER", "a" * 100])
def test_what_is_no_lesson_is_not_found(client, gathered, key):
    assert client.get(f"/lesson/{key}.html").status_code == 404


def test_a_lesson_waits_for_texts_and_says_which_claim_is_broken(client, gathered, monkeypatch):
    broken = client.get("/lesson/ask-the-neighbors.html")  # toy texts are sorted by chance better than documentation
    assert broken.status_code == 409 and "does not hold" in broken.text
    asked = []
    monkeypatch.setattr(catalog, "gathered", lambda: None)
    monkeypatch.setattr("embedlab.jobs.runner.submit_once", asked.append)
    waiting = client.get("/lesson/pull-and-push.html")
    assert waiting.status_code == 503 and waiting.headers["refresh"] == "3" and asked == [ReadCorpus(reference="docs")]
