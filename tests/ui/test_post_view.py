"""The folded section of a finished run: buttons for what is missing, one job, and sentences that stay honest."""

import pytest
from builders import change_result, leave_state
from doing import asked_of
from pydantic import TypeAdapter
from seen import drawn, words

from embedlab.jobs.requests.measuring import Evaluate
from embedlab.measurement import Change
from embedlab.postprocessing import POSTPROCESSING
from embedlab.report.post_words import among, best_sentence, post_table, remarks
from embedlab.runs.evaluations import Post
from embedlab.runs.store import list_runs
from embedlab.store_root import write_json

TITLES = {"raw": "Raw", **{step.key: step.title for step in POSTPROCESSING}}


def numbers(value: float, cosine: float, *, against: tuple[float, float] | None = None, tests: int = 400) -> dict:
    """One measured cell pair; ``against``: the differences to raw, each ± 4 points."""
    told = {"euclidean": (value, 0.02), "cosine": (cosine, 0.03)}
    knn = {each: {"value": share, "error": error, "n": tests} for each, (share, error) in told.items()}
    row = {"knn": knn, "k": 10, "remarks": []}
    if against is not None:
        around = ({"difference": d, "low": d - 0.04, "high": d + 0.04} for d in against)
        row["against_raw"] = dict(zip(("euclidean", "cosine"), around, strict=True))
    return row


@pytest.fixture
def found() -> dict:
    """Like Table S2 of the crops paper: whitening helps the untouched encoder by cosine, and nothing afterwards."""
    return {
        "raw": {"before": numbers(0.374, 0.396), "after": numbers(0.589, 0.593)},
        "centre": {
            "before": numbers(0.374, 0.370, against=(0, -0.026)),
            "after": numbers(0.589, 0.589, against=(0, -0.004)),
        },
        "whiten": {
            "before": numbers(0.176, 0.469, against=(-0.198, 0.073)),
            "after": numbers(0.362, 0.565, against=(-0.227, -0.028)),
        },
    }


@pytest.fixture
def train(open_page, monkeypatch):
    """The page; a job that is started gets its folder and no process."""

    def opened(run):
        monkeypatch.setattr("embedlab.jobs.runner.start", lambda folder, on=None: folder)
        at = open_page("result", run=run.id)
        return at.run()

    return opened


def test_nothing_is_measured_until_somebody_asks(train, made_run):
    at = train(made_run())
    assert not at.exception
    labels = [button.label for button in at.button if str(button.key).startswith("post-")]
    assert labels == ["Measure all three", "Measure centering", "Measure whitening", "Measure BERT-flow"]
    assert not list_runs("jobs")


def test_a_button_starts_one_job_and_its_progress_stands_there(train, made_run):
    run = made_run()
    at = train(run)
    at.button("post-centre-whiten-flow").click().run()
    (job,) = list_runs("jobs")
    assert not at.exception
    assert asked_of(job) == Evaluate(run=run.id, post=("centre", "whiten", "flow"))
    assert "Measure" not in words(at)
    leave_state(job, "failed", error={"code": "E", "message": "The disk is full."})
    at.run()
    assert "The disk is full" in words(at) and "Measure all three" in words(at)


def test_what_was_measured_is_a_picture_a_table_and_a_sentence_each(train, made_run, found):
    run = made_run()
    write_json(run.evaluations, {"post": found})
    at = train(run)
    assert not at.exception
    said = words(at)
    assert "Measure BERT-flow" in said and "Measure centering" not in said and "Measure both" not in said
    figure = next(each for each in drawn(at) if "after each step" in each["layout"]["title"]["text"])
    points = {trace["name"]: trace["x"] for trace in figure["data"]}
    assert points["cosine, before"] == [0.396, 0.37, 0.469] and points["Euclidean, after"] == [0.589, 0.589, 0.362]
    assert "Whitening: Euclidean before 17.6 %, cosine before 46.9 %" in figure["layout"]["meta"]["alt"]
    (table,) = (each.value for each in at.table)
    assert list(table["embeddings"]) == ["Raw", "Centering", "Whitening"]
    assert list(table["Euclidean, after"]) == ["58.9 % ± 2.0", "58.9 % ± 2.0", "36.2 % ± 2.0"]
    assert (
        "Before fine-tuning, whitening (cosine) is best: 46.9 %, +7.3 points against raw with the same distance" in said
    )
    assert "After fine-tuning, no step does better than the raw embeddings (cosine), 59.3 %" in said


def test_the_shown_distance_stands_first_and_is_filled_and_larger(train, made_run, found):
    run = made_run()
    write_json(run.evaluations, {"post": found})
    at = train(run)
    for shown, beside in (("cosine", "Euclidean"), ("Euclidean", "cosine")):
        figure = next(each for each in drawn(at) if "after each step" in each["layout"]["title"]["text"])
        marks = {trace["name"]: (trace["marker"]["symbol"], trace["marker"]["size"]) for trace in figure["data"]}
        assert marks[f"{shown}, after"][0] == "circle" and marks[f"{beside}, after"][0] == "diamond-open"
        assert marks[f"{shown}, after"][1] > marks[f"{beside}, after"][1]
        (table,) = (each.value for each in at.table)
        names = [f"{distance}, {state}" for distance in (shown, beside) for state in ("before", "after")]
        assert list(table.columns) == ["embeddings", *names]
        at.session_state["distance"] = "euclidean"
        at.run()


def test_a_run_without_labels_has_no_such_section(train, made_run):
    run = made_run()
    change_result(run, knn=None, judged=None, references={})
    at = train(run)
    assert not at.exception and "Measure centering" not in words(at)


def test_a_change_within_its_error_is_called_no_clear_change(found):
    found["whiten"]["before"]["against_raw"]["cosine"] = {"difference": 0.03, "low": -0.01, "high": 0.07}
    said = best_sentence(post(found), titles_of(found), "before", opening="Here")
    assert said.startswith(
        "Here, no step is clearly better: whitening (cosine) comes out best with 46.9 %, +3.0 points"
    )


def test_the_best_of_many_needs_more_than_one_would(found):
    # ± 4.0 points for one comparison are ± 5.1 for the best of four: 4.5 points would be clear, and no longer are
    difference = {"difference": 0.045, "low": 0.005, "high": 0.085}
    assert among(Change(**difference), of=1)[1] == pytest.approx(0.005, abs=1e-5)
    assert among(Change(**difference), of=4)[1:] == pytest.approx(
        (0.045 - 0.04 * 2.4977 / 1.96, 0.045 + 0.04 * 2.4977 / 1.96), abs=1e-4
    )
    found["whiten"]["before"]["against_raw"]["cosine"] = difference
    assert "no step is clearly better" in best_sentence(post(found), titles_of(found), "before", opening="Here")
    only = {key: found[key] for key in ("raw", "whiten")}
    only["whiten"]["before"]["against_raw"]["cosine"] = {"difference": 0.06, "low": 0.01, "high": 0.11}
    assert "is best" in best_sentence(post(only), titles_of(only), "before", opening="Here")


def test_below_fifty_test_texts_no_change_is_clear(found):
    for step in found.values():
        for measured in step["before"]["knn"].values():
            measured["n"] = 49
    assert "no step is clearly better" in best_sentence(post(found), titles_of(found), "before", opening="Here")


def test_a_step_that_was_refused_is_an_empty_cell_and_says_why(found):
    found["flow"] = {
        "before": {"refused": "BERT-flow needs at least 5 dimensions."},
        "after": numbers(0.6, 0.6, against=(0, 0)),
    }
    found["flow"]["after"] |= {"bits_per_dimension": -1.5, "bits_per_dimension_start": 2.25}
    table = post_table(post(found), titles_of(found), ["before", "after"])
    assert (
        table["Euclidean, before"].to_pylist()[-1] == "–" and table["cosine, after"].to_pylist()[-1] == "60.0 % ± 3.0"
    )
    said = "\n".join(remarks(post(found), titles_of(found), ["before", "after"]))
    assert "BERT-flow, before: not measured. BERT-flow needs at least 5 dimensions." in said
    assert "BERT-flow, after: 2.25 → −1.50 bits per dimension" in said


def titles_of(found: dict) -> dict[str, str]:
    return {key: title for key, title in TITLES.items() if key in found}


def post(found: dict) -> Post:
    """As it is read back."""
    return TypeAdapter(Post).validate_python(found)
