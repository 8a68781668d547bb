"""How a run looks in a notebook: its verdict first, SVG without a script, every text as text."""

import re
from html import escape
from xml.etree import ElementTree

import numpy as np
import pytest
from builders import both, change_result, finished, judged, knn, leave_live, leave_point, leave_result

import embedlab as el
from embedlab.api import display
from embedlab.api.display import drawn_maps, run_html, run_sentences
from embedlab.corpora.base import Draft, open_corpus, store_corpus
from embedlab.runs.drawn_map import write_map
from embedlab.runs.state import State, write_state
from embedlab.runs.store import append_row, fingerprint_of
from embedlab.store_root import write_json

HOSTILE = '<img src=x onerror="alert(1)"><script>alert(2)</script>'


def hostile_run():
    """Two classes, a run and a text that are called by markup, with maps drawn."""
    texts = [f"{HOSTILE} text {n}" for n in range(20)]
    corpus = store_corpus(Draft(name=HOSTILE, source="x", texts=texts, labels=[HOSTILE, "b"] * 10))
    run = finished(corpus, name=HOSTILE)
    leave_result(run, corpus, steps=4, usable_texts=20, knn=knn((0.5, 0.75), n=120), judged=both(judged()))
    leave_live(run, is_whole=True)
    leave_point(run, 0, 0.5, test_texts=12)
    leave_point(run, 4, 0.75, test_texts=12)
    for side in ("before", "after"):
        write_map(run.map(side, "tsne"), np.arange(20), np.random.default_rng(0).normal(size=(20, 2)))
        write_json(run.map_facts(side, "tsne"), {"method": "tsne", "seed": 0})
    return run


def test_a_run_is_its_verdict_a_curve_and_two_maps_without_a_script(store):
    html = el.Run(hostile_run())._repr_html_()
    body = ElementTree.fromstring(html.replace("<br>", "<br/>"))  # well-formed: what opens closes
    tags = {element.tag.rpartition("}")[2] for element in body.iter()}
    attributes = {name for element in body.iter() for name in element.attrib}
    assert not tags & {"script", "img", "iframe", "object"} and "onerror" not in attributes
    assert sum(element.tag.endswith("svg") for element in body.iter()) == 2
    assert len(re.findall("<circle", html)) == 2 + 2 * 20  # the curve's points and both maps
    text = "".join(body.itertext())
    assert "kNN accuracy (cosine) while training, 12 test texts" in text
    assert HOSTILE in text and "Helped: kNN accuracy" in text and text.index("Helped") < text.index("test texts")


def test_plotly_shows_texts_and_classes_as_text(store):
    figure = el.Run(hostile_run()).map("tsne")
    written = figure.to_json()
    assert "onerror" in written and "<img" not in written and "<script" not in written
    assert "&lt;img" in written.replace("\\u003c", "<").replace("\\u0026", "&")


def test_a_run_without_labels_shows_its_loss_and_why_there_is_no_accuracy(store):
    corpus = store_corpus(Draft(name="bare", source="x", texts=["One text.", "Two texts."]))
    run = finished(corpus)
    message = "The corpus has no labels, so kNN accuracy is not measured."
    leave_result(run, corpus, steps=2, knn=None, warnings=[{"code": "W-NO-LABELS", "message": message}])
    for step, loss in ((1, 2.0), (2, 1.0)):
        append_row(run.terms, {"step": step, "loss": loss})
    html = el.Run(run)._repr_html_()
    assert html.count("<svg") == 1 and ">Loss<" in html and message in html
    assert el.Run(run).warnings == (message,)


def test_a_failed_and_a_queued_run_show_one_sentence(toy_corpus):
    run = finished(toy_corpus, state="failed")
    write_state(run, State.FAILED, error={"code": "E-X", "message": f"No room for {HOSTILE}."})
    html = el.Run(run)._repr_html_()
    assert "<svg" not in html and "No room for &lt;img" in html
    waiting = finished(toy_corpus, state="queued")
    assert "interrupted" in el.Run(waiting)._repr_html_() or "queued" in el.Run(waiting)._repr_html_()


def test_a_run_whose_corpus_is_gone_still_has_its_verdict(store):
    run = hostile_run()
    from embedlab.corpora.base import CORPORA
    from embedlab.runs.store import fingerprint_of

    CORPORA.delete(fingerprint_of(run))
    html = el.Run(run)._repr_html_()
    assert "Helped" in html and html.count("<svg") == 1


def test_a_stopped_run_shows_the_encoder_that_is_selected(token_run):
    change_result(token_run, stopped=True, knn=knn((0.4, 0.3, 0.5), (0.41, 0.31, 0.51)), folds=None)
    assert el.Run(token_run).knn.cosine.after == 0.51 and el.Run(token_run).knn.euclidean.after == 0.5


def test_predictions_are_a_row_for_each_tested_text(token_run):
    run = el.Run(token_run)
    table = run.to_pandas("predictions")
    assert list(table.columns) == ["row", "label", "before", "after"] and len(table) == run.knn.test_texts
    assert (table["after"] == table["label"]).mean() == pytest.approx(run.knn.cosine.after)
    curve = run.to_pandas()
    by_split = run.result.knn
    assert curve["knn"].iloc[-1] == by_split.after.cosine.value
    assert curve["knn_euclidean"].iloc[0] == by_split.before.euclidean.value
    with pytest.raises(el.errors.SettingsError, match="There is no table 'maps'"):
        run.to_pandas("maps")


def test_every_class_and_sentence_is_shown_and_what_is_left_out_is_said(store, monkeypatch):
    run = hostile_run()
    page, sentences = run_html(run), run_sentences(run)
    assert len(sentences) > 1 and all(escape(each) in page for each in sentences[1:])
    corpus, drawn = open_corpus(fingerprint_of(run)), drawn_maps(run, "tsne")["after"]
    assert set(display._panel(run, "after", drawn, corpus).categories) == {0, 1}
    monkeypatch.setattr(display, "MOST_CLASSES", 1)
    assert set(display._panel(run, "after", drawn, corpus).categories) == {0, display.NO_CLASS}
    for most, is_said in ((20, False), (19, True)):
        monkeypatch.setattr(display, "STILL_POINTS", most)
        assert (f"{most} of 20 texts" in run_html(run)) == is_said
