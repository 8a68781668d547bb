"""Given pairs on Train: none yet, a file with its columns and five pairs, stored ones, and a set that judges."""

import csv

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from builders import change_result, leave_state
from doing import asked_of, queued
from seen import words

from embedlab.corpora.sets.pairs import PairReading, read_pairs
from embedlab.corpora.sets.reading import read_set
from embedlab.corpora.sets.stored import list_sets
from embedlab.jobs.requests.corpora import FetchTable, MineNegatives, Mining
from embedlab.progress import silent
from embedlab.runs.result import read_result
from embedlab.runs.store import list_runs, stored_request
from embedlab.store_root import read_json, write_json
from embedlab.tasks import mining
from embedlab.training.settings import RunSettings


@pytest.fixture
def train(open_page, monkeypatch):
    """The page on the given pairs; starting a run creates its folder and no process."""
    monkeypatch.setattr("embedlab.jobs.runner.submit", queued)

    def opened(**address):
        at = open_page("train", **{"train.view": "New run", **address})
        return at.segmented_control(key="train.family").set_value("Given pairs").run()

    return opened


def written(folder, header: list[str], *rows: list) -> str:
    file = folder / "pairs.csv"
    with open(file, "w", newline="", encoding="utf-8") as opened:
        csv.writer(opened).writerows([header, *rows])
    return str(file)


RECIPES = ("ranking", "triplet", "cosine-mse", "cosent")


def test_without_pairs_the_recipes_are_greyed_and_a_file_is_asked_for(train, toy_corpus):
    at = train()
    assert not at.exception and all(at.button(key=f"train.recipe-{key}").disabled for key in RECIPES)
    assert any("it trains on given pairs, and none are chosen" in caption.value for caption in at.caption)
    assert at.text_input(key="train.pairs.path") is not None


def test_a_file_shows_its_columns_and_five_pairs_and_is_read_as_said(train, toy_corpus, tmp_path):
    rows = [[f"first *{row}*", f"second\n{row}", row % 6] for row in range(20)]
    at = train()
    path = written(tmp_path, ["sentence1", "sentence2", "score"], *rows)
    at.text_input(key="train.pairs.path").set_value(path).run()
    assert not at.exception
    assert [at.selectbox(key=f"train.pairs.pairs.csv.{each}").value for each in ("anchor", "positive", "score")] == [
        "sentence1", "sentence2", "score"
    ]  # fmt: skip
    assert {"first *0*", "second 0"} <= {element.value for element in at.text}
    at.selectbox(key="train.pairs.pairs.csv.score").set_value("").run()
    at.button(key="train.pairs.read").click().run()
    (job,) = [each for each in list_runs("jobs") if stored_request(each).task == "read_pairs"]
    asked = stored_request(job).settings
    assert asked["path"] == path and asked["with_corpus"] and asked["reading"]["score"] == ""
    assert read_pairs(path, PairReading.model_validate(asked["reading"])).scores is None


def test_a_data_set_of_the_hub_is_downloaded_and_then_read_as_a_file(train, toy_corpus, tmp_path):
    at = train()
    at.text_input(key="train.pairs.path").set_value("hf:only-a-name").run()
    assert "is not the id of a data set" in words(at)
    at.text_input(key="train.pairs.path").set_value("hf:someone/qa:pair").run()
    at.button(key="train.pairs.download").click().run()
    (job,) = [each for each in list_runs("jobs") if stored_request(each).task == "fetch_table"]
    assert asked_of(job) == FetchTable(reference="hf:someone/qa:pair", usual=("train",))
    table = job.path / "qa-pair-train.parquet"
    pq.write_table(pa.table({"query": [f"q {n}" for n in range(9)], "answer": [f"a {n}" for n in range(9)]}), table)
    write_json(job.result, {"path": str(table), "commit": "0" * 40, "notes": ["One file of two."]})
    leave_state(job)
    at.run()
    assert not at.exception and "One file of two" in words(at)
    at.button(key="train.pairs.read").click().run()
    (read,) = [asked_of(each) for each in list_runs("jobs") if stored_request(each).task == "read_pairs"]
    assert read.path == str(table) and read.reading.name == "qa-pair-train"


def test_labels_of_nli_are_said_and_what_they_are_can_be_changed(train, toy_corpus, tmp_path):
    rows = [[f"p {row // 3}", f"h {row}", row % 3] for row in range(12)]
    at = train()
    path = written(tmp_path, ["premise", "hypothesis", "label"], *rows)
    at.text_input(key="train.pairs.path").set_value(path).run()
    sentence = next(each.value for each in at.caption if "Read as CSV" in each.value).replace("\\", "")
    assert "0, 1, 2 of 'label' are entailment, neutral, contradiction" in sentence and "--" not in sentence
    assert {"p 0", "h 0", "h 2"} <= {element.value for element in at.text}
    at.text_input(key="train.pairs.pairs.csv.nli").set_value("contradiction, neutral, entailment").run()
    at.button(key="train.pairs.read").click().run()
    (job,) = [each for each in list_runs("jobs") if stored_request(each).task == "read_pairs"]
    found = read_pairs(path, PairReading.model_validate(stored_request(job).settings["reading"]))
    assert found.pairs[0] == ["p 0", "h 2", "h 0"]


def test_columns_of_unusual_names_and_the_dialect_can_be_chosen(train, toy_corpus, tmp_path):
    file = tmp_path / "pairs.csv"
    file.write_text("left|right\n" + "\n".join(f"a {row}|b {row}" for row in range(9)), encoding="utf-8")
    at = train()
    at.text_input(key="train.pairs.path").set_value(str(file)).run()
    assert any("columns of matching texts are needed" in each.value for each in at.error)
    at.selectbox(key="train.pairs.pairs.csv.separator").set_value("bar")
    at.number_input(key="train.pairs.pairs.csv.header_row").set_value(1).run()
    at.selectbox(key="train.pairs.pairs.csv.anchor").set_value("left").run()
    at.selectbox(key="train.pairs.pairs.csv.positive").set_value("right").run()
    assert not at.exception and not at.error and {"a 0", "b 0"} <= {element.value for element in at.text}


def test_a_wrong_file_is_a_sentence(train, toy_corpus, tmp_path):
    at = train()
    at.text_input(key="train.pairs.path").set_value(written(tmp_path, ["text"], ["alone"], ["too"])).run()
    assert not at.exception and any("columns of matching texts are needed" in each.value for each in at.error)


def test_stored_pairs_are_trained_on_and_judged_by_a_set(train, toy_corpus, given_pairs, tmp_path):
    rows = [[f"a {row}", f"b {row}", row % 6] for row in range(12)]
    judge = read_set(written(tmp_path, ["sentence1", "sentence2", "score"], *rows))
    at = train()
    assert not any(at.button(key=f"train.recipe-{key}").disabled for key in RECIPES)
    at.button(key="train.recipe-triplet").click().run()
    assert any("60 of 60 given pairs can be trained on" in each.value for each in at.markdown)
    assert "Negative" in [caption.value for caption in at.caption]
    at.selectbox(key="train.judge").set_value(judge.fingerprint).run()
    at.button(key="train.start").click().run()
    assert not at.exception and [info.fingerprint for info in list_sets()] == [judge.fingerprint]
    (run,) = list_runs()
    assert asked_of(run) == RunSettings(
        corpus=toy_corpus.fingerprint, encoder="words", recipe="triplet", pairs=given_pairs.fingerprint,
        judge=judge.fingerprint,
    )  # fmt: skip


JUDGE = {"metric": "sts", "title": "STS Spearman", "set": "dev", "fingerprint": "f" * 16, "n": 1500}
JUDGE |= {"before": 0.581, "after": 0.628, "difference": 0.047, "low": 0.019, "high": 0.074}


@pytest.mark.parametrize("low", [0.019, -0.019])
def test_what_the_set_says_is_the_verdict_of_a_run_without_labels(open_page, made_run, low):
    run = made_run(recipe="cosent")
    change_result(run, knn=None, judged=None, judge=JUDGE | {"low": low})
    at = open_page("result", run=run.id)
    assert not at.exception and read_result(run).judge.n == 1500
    said = "Helped" if low > 0 else "No clear change"
    sign = "" if low > 0 else "−"
    assert (
        at.subheader[0]
        .value.replace("\\", "")
        .startswith(f"{said}: STS Spearman on dev 0.581 → 0.628, +0.047 (95 %: {sign}0.019 … 0.074), n = 1,500")
    )
    assert [each.value for each in at.metric][:2] == ["0.581", "0.628"] and at.metric[1].delta == "+0.047"


def test_mined_negatives_are_shown_before_they_are_kept(open_page, toy_corpus, given_pairs, monkeypatch):
    monkeypatch.setattr("embedlab.jobs.runner.submit", queued)
    at = open_page("data", data="Training pairs")
    at.selectbox(key="mining.encoder").set_value("words")
    at.text_input(key="mining.max_score").set_value("0.9").run()
    at.button(key="mining.start").click().run()
    (job,) = list_runs("jobs")
    settings = Mining(max_score=0.9)
    assert asked_of(job) == MineNegatives(pairs=given_pairs.fingerprint, encoder="words", settings=settings)
    mining.run(job, asked_of(job), silent)
    leave_state(job, "finished")
    at.run()
    facts = read_json(job.result)
    assert not at.exception and f"{facts['mined']} of 60 pairs have 3 negatives each" in words(at)
    table = at.dataframe[-1].value
    assert len(table) == 3 * min(20, facts["mined"]) and table["cosine"].max() <= 0.9
    at.button(key="mining.keep").click().run()
    (reader,) = [each for each in list_runs("jobs") if each.id != job.id]
    pairs = read_pairs(str(job.mined), asked_of(reader).reading)
    first = facts["examples"][0]
    assert pairs.info.pairs == facts["mined"] and pairs.info.negatives == 3
    assert pairs.pairs[0] == [first["anchor"], first["positive"], *first["negatives"]]


def test_ranks_without_room_for_the_negatives_are_a_sentence(open_page, toy_corpus, given_pairs):
    at = open_page("data", data="Training pairs")
    at.number_input(key="mining.range_max").set_value(2).run()
    assert not at.exception and any("leave room for 2 negatives" in each.value for each in at.error)
