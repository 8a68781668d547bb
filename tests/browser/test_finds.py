"""Find in the browser: labels by hand, the verdict first, the table downloaded, the picture within the screen."""

from pathlib import Path

import pytest
from looking import idle, no_failure, until
from made_finds import made_find, over
from toy_corpora import store_toy, toy_texts

from embedlab.corpora.base import Draft, store_corpus
from embedlab.finds.store import Find, delete_find
from embedlab.jobs.campaigns import asked_of, job_of
from embedlab.jobs.runner import request_stop, wait
from embedlab.runs.hand_labels import ask_for, hand_labels_of
from embedlab.scratch import remove_now


@pytest.fixture
def find(home):
    """A finished Find in the browser tests' store, for these tests alone."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EMBEDLAB_HOME", str(home))
        corpus = store_toy()
        made = made_find(corpus.fingerprint, "finished", over())
        yield made
        delete_find(made)
        remove_now(corpus.folder)


@pytest.mark.parametrize("width", [1400, pytest.param(800, marks=pytest.mark.slow)])
def test_a_finished_find_shows_its_verdict_and_gives_its_table(page, app, find, width):
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(f"{app.url}/train?train.view=Find&find={find.id}")
    page.get_by_role("heading", name="beats counting words on these texts").wait_for()
    idle(page)
    chart = page.locator(".chart").first
    until(page, lambda: chart.evaluate("g => (g._fullData || []).some(trace => trace.name === 'best')"))
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    with page.expect_download() as downloaded:
        page.get_by_role("button", name="Download the table").click()
    table = Path(downloaded.value.path()).read_text(encoding="utf-8-sig")
    assert table.startswith("candidate,kind,encoder") and len(table.splitlines()) == 13
    no_failure(page)


@pytest.fixture
def unlabelled(home):
    """A corpus without labels in the browser tests' store, of which texts are asked for; its labels by row."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EMBEDLAB_HOME", str(home))
        texts, labels = toy_texts(per_class=10)
        corpus = store_corpus(Draft(name="to label", source="x", texts=texts))
        ask_for(corpus, range(len(texts)))
        yield corpus, labels
        for find in Find.all():
            if asked_of(find).corpus == corpus.fingerprint:
                request_stop(job_of(find))
                wait(job_of(find))
                delete_find(find)
        remove_now(corpus.folder)


@pytest.mark.slow
def test_texts_are_labelled_by_keyboard_and_find_begins_with_them(page, app, unlabelled):
    corpus, labels = unlabelled
    page.goto(f"{app.url}/train?train.view=Find&corpus={corpus.fingerprint}")
    names = list(dict.fromkeys(labels))
    for done, label in enumerate(labels[:24]):
        page.get_by_text(f"{done} of 40 labeled").wait_for()
        idle(page)
        if done < len(names):
            page.get_by_label("New label").fill(label)
            page.keyboard.press("Enter")
        else:
            page.evaluate("document.activeElement.blur()")
            page.keyboard.press(str(names.index(label) + 1))
        until(page, lambda done=done: len(hand_labels_of(corpus).labels) == done + 1)
    page.reload()  # nothing is lost
    page.get_by_text("24 of 40 labeled").wait_for()
    assert hand_labels_of(corpus).labels == dict(enumerate(labels[:24]))
    with page.expect_download() as downloaded:
        page.get_by_role("button", name="Download the labels").click()
    assert Path(downloaded.value.path()).read_text(encoding="utf-8-sig").startswith("id,text,label\n0,")
    page.get_by_role("button", name="Find the best encoder").click()
    page.get_by_text("Stop the search").wait_for()
    no_failure(page)
