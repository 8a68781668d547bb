"""A Find on real texts: only development texts choose, and without labels half of a judging file does."""

import numpy as np
import pyarrow as pa
import pytest
from toy_corpora import toy_texts

from embedlab.corpora.base import Draft, store_corpus
from embedlab.corpora.evaluation_sets import open_set, store_set, strings
from embedlab.errors import CorpusError
from embedlab.finds import search as searching
from embedlab.finds.model import CandidateState, FindSettings
from embedlab.finds.search import Search
from embedlab.finds.store import create_find
from embedlab.metrics.split import paper_split
from embedlab.progress import silent
from embedlab.tasks.find.choosing import BySet, HalfOfSet
from embedlab.tasks.find.workshop import CorpusWorkshop


@pytest.fixture
def few(monkeypatch):
    """Three trainings on a token layer, whatever the clock says."""
    monkeypatch.setattr(searching, "TIMED", 2)
    monkeypatch.setattr(searching, "entrants", lambda each, left: 3)
    monkeypatch.setattr(CorpusWorkshop, "encoders", ["words"])


def stored(labels):
    texts, _ = toy_texts(per_class=80)
    return store_corpus(Draft(name="toy", source="toy", texts=texts, labels=labels))


def searched(corpus, **asked):
    find = create_find(FindSettings(corpus=corpus.fingerprint, minutes=100, **asked))
    workshop = CorpusWorkshop(find, FindSettings(corpus=corpus.fingerprint, minutes=100, **asked), corpus, silent)
    return find, workshop, Search(find, FindSettings(corpus=corpus.fingerprint, minutes=100, **asked), workshop).run()


def test_wrong_labels_of_test_texts_change_no_row_of_the_leaderboard(store, few):
    texts, labels = toy_texts(per_class=80)
    test = set(paper_split(texts, np.array(labels, object)).test.tolist())
    names = sorted(set(labels))
    wrong = [names[names.index(each) - 1] if row in test else each for row, each in enumerate(labels)]
    assert sum(one != other for one, other in zip(labels, wrong, strict=True)) == len(test) > 10
    right, planted = (searched(stored(each))[2] for each in (labels, wrong))
    assert [each.state for each in right.candidates] == [each.state for each in planted.candidates]
    assert right.leaderboard == planted.leaderboard
    assert right.chosen == planted.chosen
    for one, other in zip(right.candidates, planted.candidates, strict=True):
        assert [point.value for point in one.points] == [point.value for point in other.points]


def test_a_promoted_candidate_goes_on_as_if_it_had_never_paused(store, few):
    find, workshop, results = searched(stored(toy_texts(per_class=80)[1]))
    last = next(each for each in results.candidates if each.rung == 2)
    assert last.state is CandidateState.FINISHED
    assert last.steps == last.planned
    again = last.model_copy(update={"key": "again", "points": (), "planned": last.planned})
    assert workshop.train(again, 1.0).value == last.value
    assert not find.run_of(last.key).checkpoints.exists()
    assert find.run_of(last.key).metrics.exists() and find.run_of(last.key).settings.exists()


@pytest.mark.parametrize("labels", [["one"] * 320, ["one", "two"] + [None] * 318, None])
def test_without_labels_of_two_classes_a_find_says_what_to_do(store, labels):
    corpus = stored(labels)
    with pytest.raises(CorpusError, match="--judge FILE"):
        searched(corpus)


def pairs(count: int):
    """Texts of one class belong together, of different classes do not."""
    texts, labels = toy_texts(per_class=80)
    rng = np.random.default_rng(0)
    one, other = rng.integers(0, len(texts), (2, count))
    scores = [5.0 if labels[a] == labels[b] else 0.0 for a, b in zip(one, other, strict=True)]
    table = pa.table(
        {
            "sentence1": strings([texts[row] for row in one]),
            "sentence2": strings([texts[row] for row in other]),
            "score": pa.array(scores),
            "same": pa.array([None] * count, pa.bool_()),
        }
    )
    return store_set({"pairs": table}, name="judge", source="toy", kind="pairs", serves=("sts",))


def test_the_two_halves_of_a_judging_file_share_no_row_and_are_all_of_it(store):
    whole = open_set(pairs(9).fingerprint)
    halves = [HalfOfSet(whole, half).column("score") for half in (0, 1)]
    assert [len(each) for each in halves] == [5, 4]
    assert halves[0] == whole.column("score")[::2] and halves[1] == whole.column("score")[1::2]


def test_a_judging_file_takes_the_place_of_labels(store, few):
    judge = pairs(60)
    _, workshop, results = searched(stored(None), judge=judge.fingerprint)
    assert isinstance(workshop.chooser, BySet)
    assert results.chosen is not None
    assert results.metric == workshop.chooser.metric.title
    values = {each.key: each.value.cosine.value for each in results.candidates if each.value is not None}
    assert values["tfidf"] > 0.3  # the toy classes have words of their own


def test_a_judging_file_of_three_rows_is_refused(store):
    with pytest.raises(CorpusError, match="four rows"):
        searched(stored(None), judge=pairs(3).fingerprint)


def test_the_same_corpus_again_begins_with_the_best_settings_of_the_last_time(store, few):
    corpus = stored(toy_texts(per_class=80)[1])
    find, workshop, results = searched(corpus)
    best = max((each for each in results.candidates if each.kind == "trained"), key=lambda each: each.rung)
    again = create_find(FindSettings(corpus=corpus.fingerprint, minutes=100, seed=1))
    later = CorpusWorkshop(again, FindSettings(corpus=corpus.fingerprint, minutes=100, seed=1), corpus, silent)
    assert later._earlier()[0] == best.settings["parameters"]
    sampler = later.sampler(6000)
    first = [sampler.ask(number) for number in range(len(sampler.ways) + 1)]
    assert best.settings["parameters"] in first
    assert workshop._earlier() == []  # it is not its own forerunner
