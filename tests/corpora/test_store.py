"""The stored corpus: every row in order, labels as text, notes that name rows, one fingerprint per content."""

import shutil
import subprocess
import sys

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from embedlab.copies import normalised
from embedlab.corpora import load_corpus
from embedlab.corpora.base import Draft, open_corpus, remember, remembered, store_corpus
from embedlab.corpora.cleaning import LabelCleaning, TextCleaning, is_blank
from embedlab.corpora.names import unique_names
from embedlab.corpora.stored import draft as stored_draft
from embedlab.corpora.stored.shelf import list_corpora
from embedlab.errors import CorpusError, EmbedlabError
from embedlab.limits import LIMITS
from embedlab.report.settings_file import named_run
from embedlab.training.settings import RunSettings


def draft(texts, labels=None, **more) -> Draft:
    return Draft(name="here", source="test", texts=texts, labels=labels, **more)


def codes(corpus) -> list[str]:
    return [note.code for note in corpus.info.notes]


def message(corpus, code: str) -> str:
    return next(note.message for note in corpus.info.notes if note.code == code)


def test_rows_stay_in_order_and_a_row_without_text_is_flagged_not_removed(store):
    corpus = store_corpus(draft(["one", "", "three", "\u200b" * 100], ["a", "b", "a", "b"]))
    assert corpus.texts == ["one", "", "three", ""]
    assert corpus.excluded.tolist() == [False, True, False, True]
    assert corpus.kept.tolist() == [0, 2]
    assert corpus.labels.tolist() == ["a", "b", "a", "b"]
    assert [(size.label, size.texts) for size in corpus.info.classes] == [("a", 2)]  # texts are counted, not rows
    assert "2 rows (first: 2, 4)" in message(corpus, "W-EMPTY")


def test_blank_are_texts_of_which_nothing_can_be_seen():
    blank = ["", " ", "\t\n", "\u200b\u200c\ufeff", "\u00a0\u3000", "\u2060", "\u2800", "\ufe0f"]
    assert all(is_blank(text) for text in blank)
    assert not any(is_blank(text) for text in ["a", "\u200ba", ".", "😀", "é"])


def test_labels_are_text_and_only_the_empty_cell_is_missing(store):
    corpus = store_corpus(draft(list("abcdefgh"), ["NA", "None", "null", "nan", "007", "7", "1.0", ""]))
    assert corpus.labels.tolist() == ["NA", "None", "null", "nan", "007", "7", "1.0", None]
    assert corpus.info.labelled == 7
    assert "1 row (8) has no label" in message(corpus, "W-LABEL-MISSING")


def test_labels_of_other_types_keep_their_own_spelling():
    labels = LabelCleaning(None).batch([7, 1.0, True, None, float("nan")])
    assert labels == ["7", "1.0", "True", None, None]


def test_labels_are_made_one_by_nfc_and_trimming_and_never_further(store):
    corpus = store_corpus(draft(list("abcde"), ["é", "e\u0301", "pos", " pos", "Pos"]))
    assert corpus.labels.tolist() == ["é", "é", "pos", "pos", "Pos"]
    assert message(corpus, "W-LABEL-MERGED").count("2 spellings") == 2
    assert "'pos' and 'Pos'" in message(corpus, "W-LABEL-ALIKE")


def test_the_value_unlabeled_means_no_label_and_is_counted(store):
    corpus = store_corpus(draft(list("abcd"), ["x", "unlabeled", "y", "unlabeled"]))
    assert corpus.labels.tolist() == ["x", None, "y", None]
    assert corpus.labelled.tolist() == [0, 2]
    assert message(corpus, "W-UNLABELED").startswith("2 rows have the label 'unlabeled'")


def test_unlabeled_is_a_class_like_any_other_if_asked(store):
    corpus = store_corpus(draft(list("abcd"), ["x", "unlabeled", "y", "unlabeled"], unlabeled=None))
    assert corpus.info.classes[0].label == "unlabeled"


def test_marks_that_turn_text_around_are_shown_in_labels_and_controls_go(store):
    corpus = store_corpus(draft(["a\x00b", "c\td\ne"], ["\u202etxt.exe", "p\x00q"]))
    assert corpus.labels.tolist() == ["⟨U+202E⟩txt.exe", "pq"]
    assert corpus.texts == ["ab", "c\td\ne"]
    assert "1 row (1)" in message(corpus, "W-CONTROL")


def test_lone_surrogates_are_replaced_and_the_row_is_named(store):
    corpus = store_corpus(draft(["fine", "\ud800 broken"], columns={"more": ["x", "\udfff"]}))
    assert corpus.texts[1] == "\ufffd broken"
    assert corpus.column("more") == ["x", "\ufffd"]
    assert "1 row (2)" in message(corpus, "W-REPAIRED")


def test_a_text_beyond_the_limit_is_cut_and_counted():
    cleaning = TextCleaning()
    texts, notes = cleaning.batch(["a" * (LIMITS.text_characters + 5), "b"]), cleaning.notes
    assert len(texts[0]) == LIMITS.text_characters
    assert [note.code for note in notes] == ["W-CUT"]


def test_classes_stand_by_size_then_name(store):
    corpus = store_corpus(draft(list("abcdef"), ["z", "b", "a", "z", "b", "z"]))
    assert [(size.label, size.texts) for size in corpus.info.classes] == [("z", 3), ("b", 2), ("a", 1)]


def test_the_same_content_again_is_the_stored_corpus(store):
    first = store_corpus(draft(["one", "two"], ["a", "b"]))
    before = (first.folder / "corpus.parquet").stat().st_mtime_ns
    again = store_corpus(draft(["one", "two"], ["a", "b"]))
    assert again.fingerprint == first.fingerprint
    assert (again.folder / "corpus.parquet").stat().st_mtime_ns == before
    assert store_corpus(draft(["one", "two"], ["a", "c"])).fingerprint != first.fingerprint
    assert len(list_corpora()) == 2


def test_a_fingerprint_does_not_depend_on_where_a_cell_ends(store):
    assert store_corpus(draft(["ab", "c"])).fingerprint != store_corpus(draft(["a", "bc"])).fingerprint


def test_a_stored_corpus_opens_and_one_that_is_gone_is_said(store, toy_corpus):
    opened = open_corpus(toy_corpus.fingerprint)
    assert opened.texts == toy_corpus.texts
    assert opened.info == toy_corpus.info
    shutil.rmtree(opened.folder)
    with pytest.raises(CorpusError) as raised:
        open_corpus(toy_corpus.fingerprint)
    assert raised.value.code == "E-CORPUS"


@pytest.mark.parametrize("wrong", ["../../etc", "0" * 15, "", "G" * 16])
def test_what_is_no_fingerprint_is_never_a_path(store, wrong):
    with pytest.raises(CorpusError):
        open_corpus(wrong)


def test_arrays_of_a_corpus_cannot_be_changed(toy_corpus):
    for values in (toy_corpus.labels, toy_corpus.kept, toy_corpus.excluded):
        with pytest.raises(ValueError):
            values[0] = values[1]


def test_titles_summaries_and_columns_come_back(store):
    corpus = store_corpus(
        draft(
            ["one", "two", "three"],
            titles=["A", None, "C"],
            summaries=[["s", "t"], '["u"]', None],
            columns={"year": [2020, 2021, None], "tags": [["x"], [], None], "text": ["p", "q", "r"]},
        )
    )
    assert corpus.titles == ["A", "", "C"]
    assert corpus.summaries == [["s", "t"], ["u"], []]
    assert corpus.column("year") == [2020, 2021, None]
    assert corpus.column("tags") == ['["x"]', "[]", None]
    assert corpus.column("text (2)") == ["p", "q", "r"]  # "text" is the text's own name in corpus.parquet
    with pytest.raises(CorpusError, match="year"):
        corpus.column("month")


def test_mixed_values_in_a_further_column_become_text(store):
    assert store_corpus(draft(["a", "b"], columns={"mixed": [1, "x"]})).column("mixed") == ["1", "x"]


@pytest.mark.parametrize("texts", [[], [""], [" ", "\u200b"]])
def test_no_text_left_is_refused(store, texts):
    with pytest.raises(CorpusError) as raised:
        store_corpus(draft(texts))
    assert raised.value.code == "E-NO-TEXTS"


@pytest.mark.parametrize(
    ("texts", "labels", "code"),
    [
        (["a", "b"], None, "W-NO-LABELS"),
        (["a", "b"], ["unlabeled", ""], "W-NO-LABELS"),
        (["a", "b"], ["x", "x"], "W-ONE-CLASS"),
        (list("abcdefghij"), ["a"] * 9 + ["b"], "W-SINGLETON"),
        ([f"t{i}" for i in range(500)], [f"{i / 7:.6f}" for i in range(500)], "W-LABEL-CONTINUOUS"),
        ([f"t{i}" for i in range(50)], [f"id{i}" for i in range(50)], "W-LABEL-IS-ID"),
        (["same"] * 50, ["a", "b"] * 25, "W-CONSTANT"),
        (["Same text", "same  TEXT", "other"], ["a", "b", "a"], "W-DUPLICATES"),
    ],
)
def test_what_is_warned_of(store, texts, labels, code):
    assert code in codes(store_corpus(draft(texts, labels)))


def test_a_class_with_one_text_is_named(store):
    corpus = store_corpus(draft(list("abcdefghij"), ["a"] * 9 + ["b"]))
    assert "'b'" in message(corpus, "W-SINGLETON")


def test_a_sound_corpus_has_nothing_to_say(toy_corpus):
    assert codes(toy_corpus) == []
    assert toy_corpus.info.has_two_classes


def test_column_names_are_made_distinct():
    assert unique_names(["a", "", "a", " a "], taken=["text"]) == ["a", "column 2", "a (2)", "a (3)"]


def test_an_open_corpus_costs_a_page_neither_pandas_nor_scikit_learn(toy_corpus):
    code = f"""
import sys
from embedlab.corpora import load_corpus
from embedlab.report.checkup import check
corpus = load_corpus({toy_corpus.fingerprint!r})
check(corpus), corpus.texts, corpus.labels, corpus.titles, corpus.labelled
late = ("pandas", "sklearn", "scipy", "torch", "requests", "httpx", "openpyxl")
print(sorted(name for name in late if name in sys.modules))
"""
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "[]"


def test_the_file_is_readable_without_embedlab(toy_corpus):
    table = pq.read_table(toy_corpus.folder / "corpus.parquet")
    assert table.column_names == ["text", "label", "title", "excluded"]
    assert table.num_rows == 120


any_text = st.text(st.characters(exclude_categories=()), max_size=20)  # lone surrogates too


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(any_text, st.none() | any_text), min_size=1, max_size=8))
def test_any_text_and_label_is_stored_or_refused_with_a_sentence(store, rows):
    texts, labels = zip(*rows, strict=True)
    try:
        corpus = store_corpus(draft(list(texts), list(labels)))
    except CorpusError as error:
        assert error.code == "E-NO-TEXTS"
        return
    assert len(corpus.texts) == len(corpus.labels) == len(corpus.excluded) == len(rows)
    assert np.array_equal(corpus.kept, [row for row, text in enumerate(corpus.texts) if not is_blank(text)])


@given(any_text)
def test_normalising_twice_changes_nothing_more(text):
    once = normalised(text)
    assert normalised(normalised(once)) == normalised(once)


@pytest.mark.parametrize("damage", ["{", "[]", '{"name": "n"}'])
def test_the_same_file_again_mends_a_corpus_whose_description_is_damaged(store, tmp_path, damage):
    """Also one that an earlier version wrote, whose description lacks what this one asks for."""
    file = tmp_path / "texts.csv"
    file.write_text("text,label\none boat,a\ntwo boats,b\n", encoding="utf-8")
    corpus = load_corpus(str(file))
    for name, written in (("corpus.json", damage), ("corpus.parquet", "no longer Parquet")):
        (corpus.folder / name).write_text(written, encoding="utf-8")
    with pytest.raises(EmbedlabError, match=r"corpus\.json"):
        load_corpus(corpus.fingerprint)
    again = load_corpus(str(file))
    assert again.fingerprint == corpus.fingerprint and list(again.texts) == ["one boat", "two boats"]
    assert open_corpus(corpus.fingerprint).info == corpus.info


def test_a_remembered_corpus_that_is_damaged_is_fetched_again(store):
    corpus = remember("a pinned version", store_corpus(Draft(name="n", source="s", texts=["one", "two"])))
    assert remembered("a pinned version").fingerprint == corpus.fingerprint
    (corpus.folder / "corpus.json").write_text("{", encoding="utf-8")
    assert remembered("a pinned version") is None and remembered("another") is None


def test_what_two_views_can_be_made_of_is_counted_in_texts_and_in_a_sample_of_many(store, monkeypatch):
    texts = ["One sentence. Another one.", "", "Only one.", "Three. Of. Them.", "   ", "Alone"]
    assert store_corpus(draft(texts)).info.two_views.sentences == 0.5  # rows without text do not count
    monkeypatch.setattr(stored_draft, "SAMPLED_TEXTS", 3)
    of_three = store_corpus(draft([*texts, "The fifth."])).info.two_views.sentences
    assert round(3 * of_three) == pytest.approx(3 * of_three) and 0 < of_three < 1


def test_a_run_that_names_no_recipe_is_fitted_to_the_texts_and_says_why(store):
    usual = {"encoder": "words", "recipe": "sentences"}
    run = named_run({}, ["epochs=2"], None, kind=RunSettings, usual=usual, unread={})
    two, one = (store_corpus(draft([f"{text} {n}." for n in range(9)])).info for text in ("One. Two", "One"))
    assert run.fitted_to(two) == (run.settings, "")
    fitted, reason = run.fitted_to(one)
    assert fitted.recipe == "untouched" and reason.startswith("No text has two different sentences")
    chosen = named_run({}, ["recipe=crops"], None, kind=RunSettings, usual=usual, unread={})
    assert chosen.fitted_to(one) == (chosen.settings, "")
