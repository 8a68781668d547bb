"""What is special about chosen texts: words and labels they have more often than the others, with counts."""

from html import escape

import numpy as np
import pytest
from builders import leave_result, leave_state
from drawn_maps import write_maps
from seen import words
from test_page_maps import lasso
from toy_corpora import TOY_WORDS, toy_texts

from embedlab.corpora.base import Draft, store_corpus
from embedlab.report.special import special_labels, special_words
from embedlab.runs.store import create_run
from embedlab.statistics.over_represented import OverRepresented
from embedlab.statistics.word_index import word_index


def all_of_them(*, inside, **_) -> OverRepresented:
    """As if everything stood out."""
    return OverRepresented(np.arange(len(inside)), np.ones(len(inside)), len(inside))


def test_a_class_is_told_by_its_own_words_and_its_label(toy_corpus):
    rows = np.flatnonzero(toy_corpus.labels == "law")
    index = word_index(toy_corpus.texts, toy_corpus.kept)
    found = special_words(toy_corpus, rows, index)
    assert {line.name for line in found.lines} <= set(TOY_WORDS["law"].split())
    assert all(line.outside == 0 for line in found.lines) and found.of_inside == 30 and found.of_outside == 90
    labels = special_labels(toy_corpus, rows)
    assert [(line.name, line.inside, line.outside) for line in labels.lines] == [("law", 30, 0)]


def test_long_texts_are_not_special_by_every_word_they_have(store):
    texts, _ = toy_texts()
    long = [f"{one} {other}" for one, other in zip(texts[:60], texts[60:], strict=True)]
    corpus = store_corpus(Draft(name="long", source="toy", texts=[*texts, *long]))
    found = special_words(corpus, np.arange(120, 180), word_index(corpus.texts, corpus.kept))
    assert found.lines == ()


def test_without_labels_and_with_one_class_there_is_no_list_of_labels(store):
    texts, _ = toy_texts(per_class=3)
    for labels in (None, ["one"] * len(texts)):
        corpus = store_corpus(Draft(name=f"toy {labels is None}", source="toy", texts=texts, labels=labels))
        assert special_labels(corpus, np.arange(3)) is None


@pytest.mark.parametrize("name", ['<b>bold</b> "quoted"', "line\nbreak"])
def test_a_lasso_shows_what_is_special_and_labels_as_plain_text(open_page, store, name):
    texts, labels = toy_texts()
    lawful = [text for text, label in zip(texts, labels, strict=True) if label == "law"]
    texts = lawful + [text for text, label in zip(texts, labels, strict=True) if label != "law"]
    corpus = store_corpus(Draft(name="toy", source="toy", texts=texts, labels=[name] * 30 + ["other"] * 90))
    run = create_run("train", {"corpus": corpus.fingerprint, "encoder": "token", "recipe": "crops"})
    leave_result(run, corpus)
    leave_state(run, "finished", corpus)
    write_maps(run, corpus)
    at = lasso(open_page("maps", run=run.id), run, corpus, [(-1.0, 0.5), (29.5, 0.5), (29.5, 1.5), (-1.0, 1.5)])
    assert not at.exception
    assert "What is special about these texts?" in [each.label for each in at.expander]
    tables = [each.proto.body for each in at.get("html") if 'class="special"' in each.proto.body]
    assert len(tables) == 2 and "of 30 labeled texts here" in tables[0] and "of 90 others" in tables[1]
    assert escape(corpus.info.classes[1].label) in tables[0] and "<b>" not in tables[0]
    assert '<th scope="row" title="court">court</th>' in tables[1]
    assert "Fisher" in words(at)


def test_of_a_large_corpus_it_says_that_a_sample_was_counted(open_page, made_run, toy_corpus, monkeypatch):
    run = made_run()
    write_maps(run, toy_corpus)
    square = [(-1.0, 0.5), (29.5, 0.5), (29.5, 1.5), (-1.0, 1.5)]
    monkeypatch.setattr("embedlab.report.special.over_represented", all_of_them)
    assert "a sample" not in words(lasso(open_page("maps"), run, toy_corpus, square))
    monkeypatch.setattr("embedlab.ui.maps.special.MOST_TEXTS", 100)
    assert "Words were counted in a sample of 100 texts." in words(lasso(open_page("maps"), run, toy_corpus, square))


def test_all_texts_are_compared_with_nothing(open_page, made_run, toy_corpus):
    run = made_run()
    write_maps(run, toy_corpus)
    at = lasso(open_page("maps"), run, toy_corpus, [(-1.0, 0.5), (130.0, 0.5), (130.0, 1.5), (-1.0, 1.5)])
    assert not at.exception and "120 texts in the lasso" in words(at)
    assert [each.label for each in at.expander if "special" in each.label] == []


def test_nothing_special_is_said_so_and_one_text_of_two_is_too_few(open_page, made_run, toy_corpus, store):
    run = made_run()
    write_maps(run, toy_corpus)
    mixed = lasso(open_page("maps"), run, toy_corpus, [(-1.0, 0.5), (19.5, 0.5), (19.5, 1.5), (-1.0, 1.5)])
    assert not mixed.exception and "Nothing is clearly more frequent here" in words(mixed)
    assert "(4 labels and 73 words compared)" in words(mixed)
    corpus = store_corpus(Draft(name="two", source="toy", texts=['One "quoted"\ntext.', "Another."]))
    found = special_words(corpus, np.array([0]), word_index(corpus.texts, corpus.kept))
    assert found.lines == () and found.compared == 0
