"""What lies in a Find's folder: made once, read with our own errors, deleted with all its runs."""

import json

import pyarrow as pa
import pytest
from builders import shares
from toy_corpora import toy_texts

from embedlab.corpora.base import Draft, store_corpus
from embedlab.corpora.sets.stored import list_sets, store_set, strings
from embedlab.errors import RunError
from embedlab.finds.earlier import EarlierFinds
from embedlab.finds.judging import judged
from embedlab.finds.model import Candidate, FindResults, FindSettings, RungResult
from embedlab.finds.store import Find, delete_find, results_of, write_results
from embedlab.jobs.campaigns import asked_of
from embedlab.runs.state import State, write_state
from embedlab.runs.store import create_run, list_runs


def test_what_was_asked_and_is_known_comes_back(find):
    assert asked_of(Find.open(find.id)) == FindSettings(corpus="0" * 16, minutes=10)
    assert results_of(find) == FindResults()
    known = FindResults(rungs=(0.5, 1.0), spent=3.5)
    write_results(find, known)
    assert results_of(find) == known


def test_the_best_of_an_earlier_find_went_furthest_and_is_so_by_cosine(find):
    def trained(key: str, rung: int, euclidean: float, cosine: float) -> Candidate:
        point = RungResult(rung=rung, steps=10, seconds=1, value=shares(euclidean, cosine))
        drawn = {"parameters": {"way": key}}
        return Candidate(key=key, kind="trained", title=key, settings=drawn, rung=rung, points=(point,))

    looked_at = (trained("early", 0, 0.9, 0.9), trained("euclidean", 1, 0.8, 0.5), trained("cosine", 1, 0.5, 0.8))
    write_results(find, FindResults(rung=1, candidates=looked_at))
    settings = asked_of(find)
    later = EarlierFinds(Find.create(settings), settings, {})
    assert [each["way"] for each in later.best()] == ["cosine", "euclidean", "early"]


@pytest.mark.parametrize("content", ["", "[]", '{"schema": 1}', '{"schema": 1, "asked": 3}'])
def test_a_damaged_find_is_said_and_still_deleted(find, content):
    find.file.write_text(content)
    with pytest.raises(RunError, match="cannot be read"):
        asked_of(find)
    assert delete_find(find) == []
    assert Find.all() == []


def test_damaged_results_are_said(find):
    find.results.write_text('{"candidates": 3}')
    with pytest.raises(RunError, match="cannot be read"):
        results_of(find)


def test_one_of_another_version_is_left_as_it_is(find):
    find.file.write_text(json.dumps({"schema": 2, "asked": {}}))
    with pytest.raises(RunError, match="another version of embedlab"):
        asked_of(find)


def test_an_unknown_id_names_what_there_is(find):
    with pytest.raises(RunError, match=find.id):
        Find.open("0nothing0")


def test_two_clicks_make_one_find_while_it_is_at_work(find):
    settings = asked_of(find)
    assert Find.create_once(settings) == find  # a second click, before the first one's job is there
    job = create_run("find", {"find": find.id, "on": None})
    assert Find.create_once(settings) == find
    write_state(job, State.FINISHED)
    assert Find.create_once(settings) != find


def test_deleting_takes_the_run_of_the_winner_too_and_no_other(find):
    run, other = (create_run("train", {"corpus": "x"}) for _ in range(2))
    for each in (run, other):
        write_state(each, State.FINISHED)
    write_results(find, FindResults(winner_run=run.id))
    assert delete_find(find) == [run.id]
    assert [each.id for each in list_runs()] == [other.id]


def test_one_at_work_is_not_deleted(find):
    create_run("find", {"find": find.id, "on": None})
    with pytest.raises(RunError, match="Stop it first"):
        delete_find(find)


def test_the_set_made_of_labels_goes_with_the_last_find_that_it_judges(store):
    texts, labels = toy_texts(per_class=10)
    corpus = store_corpus(Draft(name="toy", source="toy", texts=texts, labels=labels))
    asked = judged(FindSettings(corpus=corpus.fingerprint), corpus)
    finds = [Find.create(asked), Find.create(asked)]
    delete_find(finds[0])
    assert [info.fingerprint for info in list_sets()] == [asked.judge]
    delete_find(finds[1])
    assert list_sets() == []


def test_candidates_of_a_person_s_own_stay(store):
    lists = pa.array([["a text"]] * 4, pa.list_(pa.large_string()))
    table = pa.table({"query": strings(list("abcd")), "positive": lists, "negative": lists})
    own = store_set({"candidates": table}, name="own", source="own.jsonl", kind="candidates", serves=("reranking",))
    delete_find(Find.create(FindSettings(corpus="0" * 16, judge=own.fingerprint)))
    assert [info.name for info in list_sets()] == ["own"]


def test_trainings_come_by_their_numbers_not_as_text(tmp_path):
    find = Find(tmp_path)
    for number in (10, 9, 100):
        (tmp_path / "trainings" / f"c{number}-1").mkdir(parents=True)
    assert [training.id for training in find.trainings] == ["c9-1", "c10-1", "c100-1"]
