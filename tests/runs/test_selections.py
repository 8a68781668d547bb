"""Selections: named, kept whole, hostile names and damaged files included; accuracy on them by ten folds."""

import json
from math import sqrt

import numpy as np
import pytest
from builders import both
from hypothesis import given, settings
from hypothesis import strategies as st

from embedlab.comparison.selected_accuracy import accuracy_on, fold_share
from embedlab.corpora.base import Draft, store_corpus
from embedlab.errors import CorpusError
from embedlab.runs.folder import RunFolder
from embedlab.runs.predictions import write_predictions
from embedlab.runs.selections import (
    LassoOrigin,
    content_of,
    delete,
    keep,
    list_selections,
    open_selection,
    rename,
    rows_of,
    tidy_name,
)

HOSTILE = [
    "../../x",
    "<script>alert(1)</script>",
    "$x^2$",
    "a\nb\0c",
    ":red[x]",
    "=1+1",
    "名前",
    "  ",
    "x" * 500,
    "\ud800",
]


def test_rows_come_back_in_file_order_each_once(toy_corpus):
    made = keep(toy_corpus, "courts", [7, 3, 3, 110])
    assert (made.name, made.texts, made.corpus) == ("courts", 3, toy_corpus.fingerprint)
    assert rows_of(open_selection(made.id)).tolist() == [3, 7, 110]
    assert list_selections(toy_corpus.fingerprint) == [open_selection(made.id)] == [made]


def test_the_same_rows_are_kept_once_and_a_taken_name_is_counted(toy_corpus):
    first = keep(toy_corpus, "courts", [1, 2])
    assert keep(toy_corpus, "judges", [2, 1]) == first
    assert keep(toy_corpus, "courts", [1, 2, 3]).name == "courts (2)"
    assert [each.name for each in list_selections()] == ["courts (2)", "courts"]


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_name_is_only_a_name(toy_corpus, store, name):
    made = keep(toy_corpus, name, [0])
    assert open_selection(made.id).name == made.name == tidy_name(name, 1)
    assert "\n" not in made.name and 0 < len(made.name) <= 80
    assert sorted(file.name for file in (store / "selections").glob("[!.]*")) == [f"{made.id}.json", f"{made.id}.npy"]
    assert not list(store.parent.glob("x*"))


def test_a_name_of_nothing_says_how_many_texts(toy_corpus):
    assert keep(toy_corpus, " \u202e ", [1, 2]).name == "2 texts"
    assert tidy_name("", 1) == "1 text" and tidy_name("", 1200) == "1,200 texts"


def test_a_corpus_that_was_read_again_does_not_see_it(toy_corpus):
    keep(toy_corpus, "courts", [1])
    again = store_corpus(Draft(name="toy", source="toy", texts=[*toy_corpus.texts, "One more."]))
    assert again.fingerprint != toy_corpus.fingerprint
    assert list_selections(again.fingerprint) == []


def test_rows_without_text_are_left_out_and_none_is_refused(store):
    corpus = store_corpus(Draft(name="holes", source="x", texts=["a", "", "b", None]))
    assert rows_of(keep(corpus, "all", range(4))).tolist() == [0, 2]
    with pytest.raises(CorpusError, match="at least one text"):
        keep(corpus, "none", [1, 3])
    for wrong in ([4], [-1]):
        with pytest.raises(CorpusError, match="rows 0 to 3"):
            keep(corpus, "beyond", wrong)


def test_renamed_and_deleted(toy_corpus, store):
    made, other = keep(toy_corpus, "courts", [1, 2]), keep(toy_corpus, "judges", [3])
    assert rename(made, "Judges of old").name == "Judges of old"
    assert rename(made, "judges").name == "judges (2)" and rename(other, "judges").name == "judges"
    assert rows_of(open_selection(made.id)).tolist() == [1, 2]
    delete(made), delete(made)
    assert [each.id for each in list_selections()] == [other.id]
    assert len(list((store / "selections").glob("[!.]*"))) == 2
    with pytest.raises(CorpusError, match="judges"):
        open_selection(made.id)


@pytest.mark.parametrize("asked", ["", "../../etc/passwd", "0" * 13, "0MWR2GWFGU4P8", "*"])
def test_an_id_that_is_none_is_refused(toy_corpus, asked):
    with pytest.raises(CorpusError, match="no selection"):
        open_selection(asked)


def test_a_damaged_file_is_said_and_the_others_stay(toy_corpus, store):
    made, other = keep(toy_corpus, "courts", [1, 2]), keep(toy_corpus, "judges", [3])
    rows, facts = store / "selections" / f"{made.id}.npy", store / "selections" / f"{made.id}.json"
    np.save(rows, np.array([1, 5]))
    with pytest.raises(CorpusError, match="missing or damaged"):
        rows_of(made)
    rows.write_bytes(b"not an array")
    with pytest.raises(CorpusError, match="missing or damaged"):
        rows_of(made)
    for broken in ("{", "[]", json.dumps({**json.loads(facts.read_text()), "texts": "many"}), "null"):
        facts.write_text(broken)
        assert [each.id for each in list_selections()] == [other.id]


def test_the_lasso_it_came_from_is_kept(toy_corpus):
    drawn = LassoOrigin("0mwr2gwfgu4p8", "after", "tsne", ((0.0, 0.0), (1.5, 0.0), (0.0, 2.0)))
    made = keep(toy_corpus, "courts", [1], drawn=drawn)
    assert open_selection(made.id).drawn == drawn


@settings(max_examples=50, deadline=None)
@given(st.lists(st.integers(0, 10**6), min_size=1))
def test_the_digest_is_that_of_the_rows(rows):
    own = np.unique(rows)
    assert content_of(own) == content_of(own.astype(np.int32)) != content_of(np.append(own, own[-1] + 1))


def folds_file(tmp_path, before: list, after: list, labels: list) -> RunFolder:
    run = RunFolder(tmp_path)
    texts, said = {"row": list(range(len(labels))), "label": labels}, {"before": before, "after": after}
    write_predictions(run.predictions_by_folds, texts, both(said))
    return run


def test_accuracy_on_chosen_texts_only(tmp_path):
    run = folds_file(tmp_path, ["a", "b", None, "b", "b"], ["a", "a", "a", "b", "a"], ["a", "a", "a", "b", "b"])
    found = accuracy_on(run, np.array([0, 1, 2, 4, 99]))
    assert (found.before.value, found.after.value, found.after.n) == (0.5, 0.75, 4)
    assert found.difference.value == 0.25 and found.difference.low < 0 < found.difference.high
    assert accuracy_on(run, np.array([77])) is None
    assert accuracy_on(RunFolder(tmp_path / "none"), np.array([0])) is None


def test_the_interval_is_wilsons_with_a_wider_z():
    found = fold_share(np.array([True, True, True, False]))
    z = 1.45 * 1.96  # by hand: n = 4, p = 3/4
    middle, half = 0.75 + z**2 / 8, z * sqrt(0.75 * 0.25 / 4 + z**2 / 64)
    assert found.low == pytest.approx((middle - half) / (1 + z**2 / 4)) == pytest.approx(0.1912, abs=1e-4)
    assert found.high == pytest.approx((middle + half) / (1 + z**2 / 4))
    for extreme in (np.ones(5, bool), np.zeros(5, bool)):
        share = fold_share(extreme)
        assert 0 <= share.low <= share.value <= share.high <= 1 and share.high - share.low > 0.3
