"""A Find on real texts: only development texts choose, and without labels half of a judging file does."""

import shutil
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from toy_corpora import toy_texts

from embedlab.corpora.base import Draft, open_corpus, store_corpus
from embedlab.corpora.sets.stored import open_set, store_set, strings
from embedlab.errors import CorpusError
from embedlab.finds import conclusion
from embedlab.finds import search as searching
from embedlab.finds.earlier import EarlierFinds
from embedlab.finds.lines import find_lines
from embedlab.finds.look import BudgetOver
from embedlab.finds.model import Candidate, CandidateState, FindResults, FindSettings
from embedlab.finds.sampler import TrainingWay, end_of
from embedlab.finds.search import Search
from embedlab.finds.store import Find, write_results
from embedlab.jobs.campaigns import asked_of
from embedlab.metrics.reranking import Reranking
from embedlab.metrics.retrieval import RankedRetrieval
from embedlab.metrics.split import paper_split
from embedlab.progress import silent
from embedlab.tasks.find import choosing, in_process
from embedlab.tasks.find import workshop as workshop_file
from embedlab.tasks.find.choosing import BySet, HalfOfSet
from embedlab.tasks.find.workshop import CorpusWorkshop


@pytest.fixture
def few(monkeypatch):
    """Those trainings on a token layer that need no drawing, whatever the clock says, of two lengths."""
    take_few(monkeypatch)


def take_few(monkeypatch):
    monkeypatch.setattr(searching, "more_entrants", lambda each, left: 1)
    monkeypatch.setattr(searching, "MOST", 3)
    monkeypatch.setattr(searching, "LENGTHS", (2.0, 0.5, 4.0))
    monkeypatch.setattr(conclusion, "WIDEST", 1.0)
    monkeypatch.setattr(CorpusWorkshop, "encoders", ["words"])


def stored(labels):
    texts, _ = toy_texts(per_class=80)
    return store_corpus(Draft(name="toy", source="toy", texts=texts, labels=labels))


def searched(corpus, **asked):
    find = Find.create(FindSettings(corpus=corpus.fingerprint, minutes=100, **asked))
    workshop = CorpusWorkshop(find, FindSettings(corpus=corpus.fingerprint, minutes=100, **asked), corpus, silent)
    return find, workshop, Search(find, FindSettings(corpus=corpus.fingerprint, minutes=100, **asked), workshop).run()


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    """A store with the toy corpus and a finished Find on it, which is only copied."""
    folder = tmp_path_factory.mktemp("find") / "store"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EMBEDLAB_HOME", str(folder))
        take_few(patch)
        find, _, results = searched(stored(toy_texts(per_class=80)[1]))
    return folder, find.id, results


@pytest.fixture
def found(original, store, few):
    """A copy: the corpus, the Find, its workshop and its results."""
    folder, find_id, results = original
    shutil.copytree(folder, store)
    find = Find.open(find_id)
    corpus = open_corpus(asked_of(find).corpus)
    return corpus, find, CorpusWorkshop(find, asked_of(find), corpus, silent), results


def test_wrong_labels_of_test_texts_change_no_row_of_the_leaderboard(original, store, few):
    texts, labels = toy_texts(per_class=80)
    test = set(paper_split(texts, np.array(labels, object)).test.tolist())
    names = sorted(set(labels))
    wrong = [names[names.index(each) - 1] if row in test else each for row, each in enumerate(labels)]
    assert sum(one != other for one, other in zip(labels, wrong, strict=True)) == len(test) > 10
    right, planted = original[2], searched(stored(wrong))[2]
    assert [each.state for each in right.candidates] == [each.state for each in planted.candidates]
    assert right.leaderboard == planted.leaderboard
    assert right.chosen == planted.chosen
    for one, other in zip(right.candidates, planted.candidates, strict=True):
        assert [point.value for point in one.points] == [point.value for point in other.points]


def test_a_promoted_candidate_goes_on_as_if_it_had_never_paused(found):
    _, find, workshop, results = found
    whole = results.trained(CandidateState.FINISHED)
    assert {each.length for each in whole} == {1.0, 2.0, 0.5}
    for last in whole:
        assert last.steps == last.planned
        again = last.model_copy(update={"key": f"{last.key}again", "points": (), "branch_of": ""})
        assert workshop.trainings.one(again, 2).value == last.value
        assert not find.run_of(last.key).checkpoints.exists()
        assert find.run_of(last.key).metrics.exists() and find.run_of(last.key).settings.exists()


def test_a_training_goes_on_from_memory_from_the_disk_and_from_nothing_with_the_same_bits(store, few, monkeypatch):
    corpus, values = stored(toy_texts(per_class=80)[1]), []
    settings = FindSettings(corpus=corpus.fingerprint)
    for way in ("memory", "disk", "nothing"):
        find = Find.create(settings)
        monkeypatch.setattr(in_process, "ROOM", 2**30 if way == "memory" else 0)
        workshop = CorpusWorkshop(find, settings, corpus, silent)
        sampler = workshop.sampler(6000)
        parameters = sampler.ask(0)
        drawn = sampler.ways[parameters["way"]]
        candidate = Candidate(key="t00", kind="trained", title="", encoder="words", recipe=drawn.recipe,
                              settings=drawn.settings(parameters))  # fmt: skip
        if way != "nothing":
            workshop.trainings.one(candidate, 0)
            assert find.run_of("t00").checkpoints.exists() == (way == "disk")
        value = workshop.trainings.one(candidate, 1)
        assert find.run_of("t00").checkpoints.exists()  # from the second rung on a kill loses nothing
        values.append((value.value, value.steps, workshop.trainings.one(candidate, 2).units.cosine["correct"].tolist()))
    assert values[0] == values[1] == values[2]


def test_the_rate_falls_in_the_last_rung_alone(found):
    _, _, workshop, results = found
    best = results.trained(CandidateState.FINISHED)[0]
    again = best.model_copy(update={"key": "again", "points": ()})
    rates = []
    training = workshop.trainings._opened(again)
    shared, planned = end_of(1, training.planned, best.planned), best.planned
    rates = [training.optimiser.rate(step) for step in range(shared)]
    training.optimiser.fall_to(planned, since=shared)
    rates += [training.optimiser.rate(step) for step in range(shared, planned + 1)]
    assert len(set(rates[3 : shared + 1])) == 1  # a tenth of an epoch warms up
    assert rates[-1] == 0 and all(one > other for one, other in pairwise(rates[shared:]))


def test_a_corpus_of_long_texts_tries_half_of_what_is_read(store, few):
    texts = [
        " ".join(f"word{(row * 7 + each) % 900}" for each in range(300)) + f". Topic {row % 2}." for row in range(80)
    ]
    long = store_corpus(Draft(name="long", source="long", texts=texts, labels=[f"c{row % 2}" for row in range(80)]))
    settings = FindSettings(corpus=long.fingerprint)
    workshop = CorpusWorkshop(Find.create(settings), settings, long, silent)
    sampler = workshop.sampler(6000)
    drawn = [sampler.ask(number) for number in range(sampler.enqueued + 4)]
    assert {each["read"] for each in drawn} == {"whole", "half"}
    halves = [sampler.ways[each["way"]].settings(each) for each in drawn if each["read"] == "half"]
    assert {each["max_length"] for each in halves} == {256}
    candidate = Candidate(key="t00", kind="trained", title="", encoder="words", recipe=halves[0]["recipe"],
                          settings=halves[0])  # fmt: skip
    assert workshop.trainings.one(candidate, 0).steps > 0
    assert {len(each) for each in workshop.shared.tokens_of("words", 256)} == {256}
    short = stored(toy_texts(per_class=80)[1])
    asked = FindSettings(corpus=short.fingerprint)
    assert "read" not in CorpusWorkshop(Find.create(asked), asked, short, silent).sampler(6000).ask(0)


@pytest.mark.parametrize(("minutes", "tried"), [(5, []), (15, ["small"]), (60, ["small", "large"])])
def test_a_training_that_takes_long_leaves_time_for_rungs_of_twenty_seven(store, monkeypatch, minutes, tried):
    """The first rung has 101, 304 and 1,215 s; six more ways take none."""
    corpus, costs = stored(toy_texts(per_class=80)[1]), {"small": 50.0, "large": 130.0}
    settings = FindSettings(corpus=corpus.fingerprint, minutes=minutes)
    ways = [TrainingWay(encoder, "crops") for encoder in ("large", *"abcdef", "small")]
    monkeypatch.setattr(CorpusWorkshop, "_ways", ways)
    monkeypatch.setattr(CorpusWorkshop, "_first_rung_seconds", lambda self, way: costs.get(way.encoder, 0.0))
    workshop = CorpusWorkshop(Find.create(settings), settings, corpus, silent)
    left_out = {each.encoder: each.reason for each in workshop.too_dear(0.75 * 60 * minutes)}
    assert [way.encoder for way in workshop._affordable(0.75 * 60 * minutes)] == [
        way.encoder for way in ways if way.encoder in (*"abcdef", *tried)
    ]
    assert left_out.keys() == costs.keys() - set(tried)
    assert minutes != 15 or "too little time is left to compare 27 trainings" in left_out["large"]
    monkeypatch.setattr(CorpusWorkshop, "_ways", [TrainingWay("small", "crops")])  # nothing else fits these texts
    assert [way.encoder for way in workshop._affordable(0.75 * 60 * minutes)] == ["small"]


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
    halves = [HalfOfSet(whole, half).column("sentence1") for half in (0, 1)]
    assert [len(each) for each in halves] == [5, 4]
    assert sorted(halves[0] + halves[1]) == sorted(whole.column("sentence1"))


def test_a_file_of_equal_and_unequal_pairs_in_turns_has_both_in_each_half(store):
    texts = toy_texts(per_class=80)[0]
    columns = {"sentence1": strings(texts[:40]), "sentence2": strings(texts[40:80])}
    columns |= {"score": pa.array([0.0, 4.0] * 20), "same": pa.array([None] * 40, pa.bool_())}
    whole = store_set({"pairs": pa.table(columns)}, name="judge", source="toy", kind="pairs", serves=("sts",))
    for half in (0, 1):
        assert set(HalfOfSet(whole, half).column("score")) == {0.0, 4.0}


def test_a_judging_file_takes_the_place_of_labels(store, few, monkeypatch):
    monkeypatch.setattr(searching, "LENGTHS", (0.5,))
    judge = pairs(60)
    _, workshop, results = searched(stored(None), judge=judge.fingerprint)
    assert isinstance(workshop.chooser, BySet)
    assert results.chosen is not None
    assert results.metric == workshop.chooser.metric.title
    values = {each.key: each.value.cosine.value for each in results.candidates if each.value is not None}
    assert values["tfidf"] > 0.3  # the toy classes have words of their own


@pytest.mark.slow
def test_a_judging_file_with_too_wide_an_interval_ranks_nothing_and_a_long_one_does(store, few, monkeypatch):
    monkeypatch.setattr(conclusion, "WIDEST", 0.15)
    found = {count: searched(stored(None), judge=pairs(count).fingerprint)[2] for count in (60, 1200)}
    short, long = found[60], found[1200]
    assert "STS Spearman on 30 rows of the judging file" in short.too_few and "points" not in short.too_few
    assert not short.trained() and short.chosen is not None
    assert not long.too_few and long.trained(CandidateState.FINISHED)
    error = {count: each.candidate("tfidf").value.cosine.error for count, each in found.items()}
    assert error[60] > 3 * error[1200] > 0
    assert not any("%" in line for line in find_lines(long, "cosine") if "Spearman" in line or " ± " in line)


@pytest.mark.parametrize("kind", [RankedRetrieval, Reranking])
def test_the_error_of_a_mean_over_queries_is_that_of_the_metric(kind):
    values = np.random.default_rng(0).random(50)
    units = {"queries": np.arange(50), "ndcg@10": values, "ap": values}
    assert choosing._error(kind, units) == pytest.approx(values.std(ddof=1) / 50**0.5, rel=0.03)  # Student's t


def test_what_a_look_takes_is_timed_on_the_texts_that_judge(store, few, monkeypatch):
    read = []
    monkeypatch.setattr(workshop_file, "embed", lambda encoder, texts, **how: read.append(texts))
    corpus = store_corpus(Draft(name="short", source="toy", texts=[f"word {row}" for row in range(40)]))
    settings = FindSettings(corpus=corpus.fingerprint, judge=pairs(60).fingerprint)
    workshop = CorpusWorkshop(Find.create(settings), settings, corpus, silent)
    assert workshop.seconds_of_a_look("words") >= 0 and set(read[-1]) <= set(workshop.chooser.source.texts)
    assert workshop.seconds_a_text("words") >= 0 and set(read[-1]) <= set(corpus.texts)


def test_a_look_ends_with_the_budget_except_at_token_layers(found):
    _, _, workshop, _ = found
    tiny, words = (
        Candidate(key=key, kind="untouched", title=key, encoder=key) for key in ("scratch:bert-tiny", "words")
    )
    with pytest.raises(BudgetOver):
        workshop.look(tiny, 0.0)
    assert workshop.look(tiny, 600.0).value.cosine.n == workshop.look(words, 0.0).value.cosine.n


def test_a_judging_file_of_three_rows_is_refused(store):
    with pytest.raises(CorpusError, match="four rows"):
        searched(stored(None), judge=pairs(3).fingerprint)


def test_the_same_corpus_again_begins_with_the_best_settings_of_the_last_time(found):
    corpus, _, workshop, results = found
    best = max((each for each in results.trained() if each.points), key=lambda each: each.rung)
    again = Find.create(FindSettings(corpus=corpus.fingerprint, minutes=100, seed=1))
    later = CorpusWorkshop(again, FindSettings(corpus=corpus.fingerprint, minutes=100, seed=1), corpus, silent)
    assert later._before.best()[0] == best.settings["parameters"]
    sampler = later.sampler(6000)
    first = [sampler.ask(number) for number in range(len(sampler.ways) + 1)]
    assert best.settings["parameters"] in first
    assert workshop._before.best() == []  # it is not its own forerunner


def test_a_find_that_goes_on_draws_among_the_ways_that_it_began_with_whatever_the_clock_says_by_then(
    store, few, monkeypatch
):
    monkeypatch.setattr(CorpusWorkshop, "encoders", ["words", "minilm"])
    corpus = stored(toy_texts(per_class=80)[1])
    settings = FindSettings(corpus=corpus.fingerprint, minutes=1)
    for seconds, later in ((0.001, 9.0), (9.0, 0.001)):
        find, keys = Find.create(settings), []
        for number, clock in enumerate((seconds, later)):
            monkeypatch.setattr(CorpusWorkshop, "seconds_a_text", lambda self, encoder, clock=clock: clock)
            workshop = CorpusWorkshop(find, settings, corpus, silent)
            sampler = workshop.sampler(60)
            keys.append(list(sampler.ways))
            sampler.ask(number)
            if number == 0:
                write_results(find, FindResults(rung=0, candidates=tuple(workshop.too_dear(60))))
        assert keys[0] == keys[1] and any("minilm" in each for each in keys[0]) == (seconds < 1)


def test_the_same_corpus_and_seed_again_measures_nothing_twice(found):
    corpus, find, _, results = found
    again, later, repeated = searched(corpus)
    one, other = (
        {each.title + each.settings_line: each for each in r.candidates if each.points} for r in (results, repeated)
    )
    assert one.keys() == other.keys() and len(one) > 5
    for name, candidate in one.items():
        assert [each.value for each in candidate.points] == [each.value for each in other[name].points]
        assert {each.earlier for each in other[name].points} == {find.id} and candidate.points[0].earlier == ""
        assert other[name].seconds == pytest.approx(candidate.seconds, abs=0.01)  # what it cost to make
    assert repeated.chosen == results.chosen and repeated.leaderboard == results.leaderboard
    assert repeated.spent < results.spent and not again.run_of("t00").metrics.exists()
    assert f"of Find {find.id}" in " ".join(find_lines(repeated, "cosine"))


def test_another_seed_or_other_versions_measure_anew(found):
    corpus, _, workshop, results = found
    candidate = results.trained(CandidateState.FINISHED)[0]
    settings = FindSettings(corpus=corpus.fingerprint, minutes=3)
    later = Find.create(settings)
    assert EarlierFinds(later, settings, workshop.made_with).look(candidate, 2) is not None
    assert EarlierFinds(later, settings, workshop.made_with | {"torch": "0"}).look(candidate, 2) is None
    seeded = settings.model_copy(update={"seed": 1})
    assert EarlierFinds(later, seeded, workshop.made_with).look(candidate, 2) is None
    slower = candidate.model_copy(update={"settings": candidate.settings | {"learning_rate": 0.5}})
    assert EarlierFinds(later, settings, workshop.made_with).look(slower, 2) is None
