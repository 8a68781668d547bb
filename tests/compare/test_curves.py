"""A race of finished runs: only of those that were trained alike, cut at the shortest, judged over the same texts."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from builders import change_result, knn, leave_point, leave_predictions, leave_result
from filelock import FileLock

from embedlab.comparison.curves import RaceField, field_of, race_of
from embedlab.jobs.progress import worked_beside
from embedlab.runs.folder import RunFolder
from embedlab.runs.result import read_result
from embedlab.runs.state import State, write_state
from embedlab.runs.store import append_row, create_run
from embedlab.store_root import read_json, write_json

TESTS = 100


def raced(corpus, name: str, points: list, *, right: int, seed: int = 0) -> RunFolder:
    """A finished run; ``points``: (seconds, kNN accuracy by cosine); its first ``right`` test texts are right."""
    asked = {"corpus": corpus.fingerprint, "encoder": "token", "recipe": "crops", "seed": seed}
    run = create_run("train", asked, name=name)
    facts = {"fingerprint": corpus.fingerprint, "device_line": "2 cores, bf16", "threads": 2, "processes": 1}
    write_state(run, State.FINISHED, **facts, started="2026-01-01T10:00:00+00:00", ended="2026-01-01T10:10:00+00:00")
    leave_result(run, corpus, steps=len(points), knn=knn((0.1, right / TESTS), n=TESTS), stopped=False)
    for step, (seconds, value) in enumerate(points):
        leave_point(run, step, value - 0.05, value, texts=64 * step, seconds=seconds, test_texts=TESTS)
    live = {"is_whole": True, "neighbors": 20, "test_texts": TESTS, "development_texts": 0, "references": {}}
    write_json(run.live, live)
    predicted = ["a"] * right + ["b"] * (TESTS - right)
    leave_predictions(run, ["a"] * TESTS, (["b"] * TESTS, predicted))
    return run


def obstacles(runs: list[RunFolder], names: dict[str, str], distance: str) -> list[str]:
    """Why not all of them race, but for the sentence that names the grey lines."""
    return [each for each in field_of(runs, names, distance).reasons if not each.startswith("Gray over seconds")]


def named(*runs: RunFolder) -> dict[str, str]:
    return {run.id: read_json(run.settings)["name"] for run in runs}


@pytest.fixture
def two(toy_corpus):
    slow = raced(toy_corpus, "slow", [(0, 0.1), (10, 0.5), (30, 0.9)], right=90)
    return slow, raced(toy_corpus, "quick", [(0, 0.1), (4, 0.6), (20, 0.7)], right=70, seed=1)


def test_lines_are_cut_at_the_shortest_clock_between_two_measurements(two):
    assert obstacles(list(two), named(*two), "cosine") == []
    race = race_of(RaceField(list(two), [], []), named(*two), "cosine")
    slow, quick = race.lines
    assert race.end == 20 and quick.seconds.tolist() == [0, 4, 20] and quick.is_measured.all()
    assert slow.seconds.tolist() == [0, 10, 20] and slow.knn == pytest.approx([0.1, 0.5, 0.7])  # half way to 0.9
    assert slow.is_measured.tolist() == [True, True, False]
    assert race.at_the_end == "After 20.0 s of training, when quick ended: slow 70.0 %, quick 70.0 %."
    assert "Trained for longer than shown: slow for 30.0 s." in race.remarks[0]
    assert race.remarks[1].startswith("Seeds differ: slow 0, quick 1.")


def test_a_run_that_was_trained_by_labels_is_marked(two):
    change_result(two[0], supervised=True, saw_labels=True)
    remarks = race_of(RaceField(list(two), [], []), named(*two), "cosine").remarks
    assert "Trained with labels, unlike the others: slow." in remarks


def test_the_verdict_is_paired_over_the_same_test_texts(two):
    """20 of 100 texts are right by slow alone: (21 − 1)/102 ± 1.96 √((21/102 + 1/102 − 0.1961²)/102)."""
    (verdict,) = race_of(RaceField(list(two), [], []), named(*two), "cosine").verdicts
    assert verdict == (
        "slow 90.0 %, quick 70.0 %: +20.0 points (95 %: 11.4 … 27.8) on 100 test texts, a clear difference."
    )


def test_of_three_runs_each_interval_is_wider(two, toy_corpus):
    third = raced(toy_corpus, "third", [(0, 0.1), (25, 0.8)], right=89)
    runs = [*two, third]
    first, second = race_of(RaceField(runs, [], []), named(*runs), "cosine").verdicts
    assert first.startswith("slow 90.0 %, third 89.0 %: +1.0 points (97.5 %: ") and "no clear difference" in first
    assert second.startswith("slow 90.0 %, quick 70.0 %: +20.0 points (97.5 %: ")


@pytest.mark.parametrize(
    ("file", "change", "sentence"),
    [
        ("state", {"device_line": "NVIDIA H100"}, "The device differs: slow: NVIDIA H100; quick: 2 cores, bf16."),
        ("state", {"threads": 1}, "The number of threads differs: slow: 1; quick: 2."),
        ("state", {"processes": 2}, "The number of threads differs: slow: 2 in each of 2 processes; quick: 2."),
        ("state", {"fingerprint": "0" * 16}, "The corpus differs: slow: 0000000000000000; quick: toy ("),
        ("live", {"is_whole": False}, "What the line is measured on differs: slow: a sample: 100 test texts among 20"),
        ("result", {"steps": 0}, "slow was not trained."),
        ("state", {"state": "failed"}, "slow failed and has no result."),
        ("state", {"state": "interrupted"}, "slow was interrupted and has no result."),
    ],
)
def test_runs_that_were_not_trained_alike_do_not_race_and_it_is_said_why(two, file, change, sentence):
    path = getattr(two[0], file)
    write_json(path, read_json(path) | change)
    (said,) = obstacles(list(two), named(*two), "cosine")
    assert said.startswith(sentence)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"k": 5}, "k differs: slow: 5; quick: 10."),
        ({"protocol": "own"}, "The split differs: slow: own: 100 test texts"),
    ],
)
def test_another_k_or_split_is_said(two, change, sentence):
    change_result(two[0], knn=read_result(two[0]).knn.model_copy(update=change))
    (said,) = obstacles(list(two), named(*two), "cosine")
    assert said.startswith(sentence)


def test_other_test_texts_are_another_split(two):
    table = pq.read_table(two[0].predictions)
    pq.write_table(table.set_column(0, "row", pa.array(np.arange(TESTS) + 5)), two[0].predictions)
    (said,) = obstacles(list(two), named(*two), "cosine")
    assert said.startswith("The split differs: slow: paper's split: 100 test texts, the first of them 5, 6, 7; quick")


def test_the_larger_group_races_and_who_trained_otherwise_is_grey(two, toy_corpus):
    """The grey line is cut where the race ends; a shorter one is not drawn on."""
    far = raced(toy_corpus, "far", [(0, 0.1), (10, 0.3), (40, 0.9)], right=99)
    brief = raced(toy_corpus, "brief", [(0, 0.1), (5, 0.2)], right=99)
    for run in (far, brief):
        write_json(run.state, read_json(run.state) | {"device_line": f"a device of {run.id}"})
    runs = [far, *two, brief]
    field = field_of(runs, named(*runs), "cosine")
    assert field.fair == list(two) and field.grey == [far, brief] and field.is_race
    assert field.reasons[0].startswith("The device differs: far: a device of ")
    assert field.reasons[1:] == ["Gray over seconds, not comparable with the others: far, brief."]
    race = race_of(field, named(*runs), "cosine")
    assert race.end == 20 and [line.name for line in race.lines] == ["slow", "quick"]
    assert race.grey[0].seconds.tolist() == [0, 10, 20] and race.grey[0].knn == pytest.approx([0.1, 0.3, 0.5])
    assert race.grey[1].seconds.tolist() == [0, 5]
    assert "far" not in race.at_the_end + "".join(race.verdicts) and race.remarks[:2] == field.reasons


def test_of_two_that_differ_the_one_chosen_first_keeps_its_colour_and_nothing_races(two):
    write_json(two[1].state, read_json(two[1].state) | {"threads": 8})
    field = field_of(list(two), named(*two), "cosine")
    assert (field.fair, field.grey, field.is_race) == ([two[0]], [two[1]], False)


def test_a_run_at_work_and_one_without_a_line_do_not_race(two, toy_corpus):
    at_work = create_run("train", {"corpus": toy_corpus.fingerprint}, name="third")
    write_state(at_work, State.RUNNING)
    bare = raced(toy_corpus, "bare", [(0, 0.1)], right=50)
    runs = [two[0], bare, at_work]
    with FileLock(at_work.lock):
        said = obstacles(runs, named(*runs), "cosine")
    assert said == [
        "bare was not measured with cosine during training.",
        "third is still running: a race needs finished runs.",
    ]
    assert obstacles(list(two), named(*two), "euclidean") == []
    assert obstacles([two[0]], named(two[0]), "cosine") == ["A race needs at least two runs."]


def test_a_clock_that_ran_beside_other_work_is_marked(two, toy_corpus):
    slow, quick = two
    for row in ({"kind": "Fine-tuning", "at": 1767261660.0}, {"kind": "Measuring", "at": 1767261720.0}):  # 10:01, 10:02
        append_row(slow.stages, row)
    quick_state = read_json(quick.state)
    write_json(quick.state, quick_state | {"started": "2026-01-01T10:03:00+00:00"})
    assert worked_beside(slow) == []
    own, other = create_run("map_before", {"of": slow.id}), create_run("evaluate", {"run": quick.id})
    for job in (own, other):
        write_state(job, State.FINISHED, started="2026-01-01T10:01:30+00:00", ended="2026-01-01T10:05:00+00:00")
    assert worked_beside(slow) == ["evaluate"]
