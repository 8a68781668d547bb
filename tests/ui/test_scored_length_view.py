"""Length on scored pairs: how to bring them, what is asked for, and what is shown once it is measured."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from doing import asked_of
from seen import drawn, words
from test_page_length import write_length

from embedlab.corpora.sets.stored import store_set, strings
from embedlab.diagnostics.length import LengthConfig
from embedlab.errors import CorpusError
from embedlab.jobs.requests.measuring import AttackScoredPairs
from embedlab.runs.store import list_runs, stored_request
from embedlab.store_root import write_json
from embedlab.tasks.measure.length import scored
from embedlab.ui.run.length_section import ASKS


def stored_set(name: str = "my *pairs*", serves: tuple[str, ...] = ("sts",)):
    """Four pairs, one of them without a score."""
    tables = {
        "pairs": pa.table(
            {
                "sentence1": strings(["star comet", "butter\nflour", 'a "judge"', "keel"]),
                "sentence2": strings(["star", "onion", "statute", "rudder"]),
                "score": pa.array([5.0, 2.0, 4.0, None]),
                "same": pa.array([None] * 4, pa.bool_()),
            }
        )
    }
    return store_set(tables, name=name, source="toy", kind="pairs", serves=serves)


def attacked(low: float = -0.08) -> dict:
    change = {"value": -0.061, "low": low, "high": -0.04, "n": 3}
    values = {"none": {"value": 0.712}, "first": {"value": 0.651, "change": change},
              "both": {"value": 0.7, "change": change}}  # fmt: skip
    facts = {
        "pairs": 3,
        "zero_vectors": 1,
        "flat_because": None,
        "effective_copies": {"mean": 8.0, "min": 6, "max": 20},
    }
    return {
        "set": "my *pairs*",
        "fingerprint": "f",
        "copies": 100,
        "untouched": values | facts,
        "tuned": values | facts,
    }


def test_without_scored_pairs_one_folded_line_says_how_to_bring_them(open_page, made_run):
    run = made_run("scratch:bert-tiny")
    write_length(run)
    stored_set(serves=("paraphrase",))
    at = open_page("length", run=run.id)
    assert not at.exception and "sentence1, sentence2 and score" in words(at)
    assert ASKS in [each.label for each in at.expander] and "length.scores" not in [b.key for b in at.button]


def test_a_stored_set_is_measured_on_by_one_job(open_page, made_run, monkeypatch):
    monkeypatch.setattr("embedlab.jobs.runner.start", lambda folder, on=None: folder)
    run, pairs = made_run("scratch:bert-tiny"), stored_set()
    write_length(run)
    at = open_page("length", run=run.id)
    at.button("length.scores").click().run()
    (job,) = list_runs("jobs")
    assert not at.exception and stored_request(job).task == "length_scores"
    assert asked_of(job) == AttackScoredPairs(run=run.id, set=pairs.fingerprint, settings={})


def write_scores(run) -> None:
    write_json(run.length_scores, attacked())
    parts = [
        pa.table({"kind": ["scored"] * 3, "encoder": [name] * 3, "before": [0.1, 0.2, 0.3], "after": [0.5, 0.6, high],
                  "effective_copies": [6.0, 8.0, 20.0]})
        for name, high in (("untouched", 0.7), ("tuned", 0.1))
    ]  # fmt: skip
    pq.write_table(pa.concat_tables(parts), run.scored_similarities)


def test_what_was_measured_is_a_sentence_and_a_table(open_page, made_run):
    run = made_run("scratch:bert-tiny")
    write_length(run)
    write_scores(run)
    at = open_page("length", run=run.id)
    assert not at.exception
    said = next(each.value for each in at.subheader if "Spearman" in each.value).replace("\\", "")
    assert "falls when one text of each is repeated: Spearman fine-tuned 0.712 → 0.651, −0.061 (95 %: −0.080" in said
    table = at.dataframe[0].value
    assert list(table["Spearman, fine-tuned"]) == [0.712, 0.651, 0.7]
    assert list(table["change, untouched"])[1] == "−0.061 (95 %: −0.080 … −0.040)"
    assert "3 pairs of my *pairs*. Without a vector, so counted as least similar: 1. m = 6 … 20" in words(at)


def test_the_cosines_of_scored_pairs_are_drawn(open_page, made_run):
    run = made_run("scratch:bert-tiny")
    write_length(run)
    assert len(drawn(open_page("length", run=run.id))) == 2  # the corpus's pairs, and the copies that fit
    write_scores(run)
    at = open_page("length", run=run.id)
    assert not at.exception
    title = next(each for each in drawn(at) if "my" in str(each["layout"]["title"].get("subtitle")))
    names = [trace["name"] for trace in title["data"]]
    assert "elongated: mean 0.60, sd 0.08" in names and "elongated: mean 0.40, sd 0.22" in names


def test_sets_without_scores_are_refused_with_a_sentence(store):
    with pytest.raises(CorpusError, match="it supports paraphrase"):
        scored({}, stored_set(serves=("paraphrase",)), LengthConfig(copies=5), lambda *said: None)


def test_pairs_without_a_score_are_left_out(store, monkeypatch):
    asked = {}
    attack = "embedlab.tasks.measure.length.scored_attack"
    monkeypatch.setattr(attack, lambda encoder, **given: (asked.update(given), None))

    class Nowhere:
        to, layers = staticmethod(lambda device: None), 0

    scored({"tuned": Nowhere()}, stored_set(), LengthConfig(copies=5), lambda *said: None)
    assert asked["first"] == ["star comet", "butter\nflour", 'a "judge"'] and asked["scores"].tolist() == [5, 2, 4]
