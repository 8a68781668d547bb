"""Every printed number says its distance: those by cosine, and they alone, are under a key with its name.

All values by Euclidean distance lie below 0.5 here and all by cosine above it, so one of the other is seen anywhere.
"""

from collections.abc import Iterator

import numpy as np
import pytest
from builders import (
    both,
    change,
    finished,
    judged,
    knn,
    layer_row,
    layers_of,
    leave_point,
    leave_predictions,
    leave_result,
    line,
    shares,
)

from embedlab.api.run import Run
from embedlab.cli.comparing import classes
from embedlab.cli.diagnosing import show_layers
from embedlab.comparison.pivot import Pivot, PivotCell
from embedlab.comparison.siblings import TextsLeftOut
from embedlab.distance import COSINE, EUCLIDEAN
from embedlab.errors import RunError
from embedlab.jobs.requests.drawing import WriteNeighbors
from embedlab.measurement import Difference
from embedlab.metrics.base import MetricResult
from embedlab.neighbors import neighbor_graph
from embedlab.progress import silent
from embedlab.report.contract import (
    layers_rows,
    printed,
    printed_change,
    printed_comparison,
    printed_curve,
    printed_layers,
    printed_left_out,
    printed_pivot,
    printed_value,
)
from embedlab.report.result_lines import _against_lines, _values
from embedlab.runs.folder import RunFolder
from embedlab.runs.result import Development, Folds
from embedlab.runs.state import State
from embedlab.studies.measures import OverSeeds
from embedlab.studies.points import DevelopedPoint, MeasuredSeed
from embedlab.studies.printed import printed_study
from embedlab.studies.request import asked_study
from embedlab.studies.store import Study
from embedlab.studies.summary import MeasuredStudy, StudySummary
from embedlab.tasks.draw.drawing import graph_of
from embedlab.tasks.export import neighbors

LOW, HIGH = (0.11, 0.12, 0.13), (0.91, 0.92, 0.93)


def numbers(value: object, path: str = "") -> Iterator[tuple[str, float]]:
    """Every share in what is printed, with the keys that lead to it."""
    if isinstance(value, dict):
        for name, each in value.items():
            yield from numbers(each, f"{path}/{name}")
    elif isinstance(value, list):
        for each in value:
            yield from numbers(each, path)
    elif isinstance(value, float):
        yield path, value


def assert_each_has_its_distance(value: object, *, least: int) -> None:
    found = [(path, number) for path, number in numbers(value) if "error" not in path]
    assert {path for path, number in found if number > 0.5} == {path for path, _ in found if COSINE in path}
    assert len(found) >= least and any(number > 0.5 for _, number in found)


@pytest.fixture
def result(toy_corpus):
    """A result whose numbers are all different by the two distances."""
    verdict = both(judged(LOW, {"tfidf": LOW}), judged(HIGH, {"tfidf": HIGH}))
    folds = Folds(before=shares(0.11, 0.91), after=shares(0.12, 0.92), judged=verdict)
    chosen = Development(before=shares(0.11, 0.91, n=9), after=shares(0.13, 0.93, n=9), step=4)
    facts = {"knn": knn(LOW, HIGH), "judged": verdict, "folds": folds, "development": chosen}
    return leave_result(finished(toy_corpus), toy_corpus, references={"tfidf": line(0.13, 0.93)}, steps=8, **facts)


def test_the_result_of_a_run(result):
    values = printed(result)
    for name, least in {"knn": 12, "folds": 16, "development": 4, "references": 2}.items():
        assert_each_has_its_distance(values[name], least=least)
    assert values["against"] == {"tfidf": change(*HIGH).model_dump()} and values["difference"] == 0.91
    assert values["decided_by"] == {"distance": COSINE, "protocol": "folds", "n": 12}
    assert values["knn"]["standard_error"] != values["knn"][COSINE]["standard_error"]
    assert values["folds"]["sentence"] != values["folds"][COSINE]["sentence"]
    assert values["references"]["tfidf"]["distance"] == EUCLIDEAN and values["development"]["texts"] == 9


def test_what_two_runs_gain_on_test_texts_that_one_left_out(result):
    printed_runs = printed_left_out(TextsLeftOut(result, result.model_copy(update={"run": "twin"}), is_example=False))
    assert_each_has_its_distance(printed_runs, least=20)
    assert (printed_runs["test_texts"], printed_runs["unread"]["run"]) == (12, "twin")
    expected = {"before": HIGH[0], "after": HIGH[1], **change(*HIGH).model_dump()}
    assert printed_runs["read"][COSINE] == expected and printed_left_out(None) is None


def test_values_and_changes_of_a_metric():
    one, other = (MetricResult(value=each[0], error=0.1, n=12, facts={"low": each[1], "high": each[2]})
                  for each in (LOW, HIGH))  # fmt: skip
    assert_each_has_its_distance(printed_value(both(one, other)), least=6)
    assert_each_has_its_distance(printed_change(both(Difference(*LOW, n=12), Difference(*HIGH, n=12))), least=6)


def test_a_comparison_and_a_table_of_recipes():
    groups = {EUCLIDEAN: {"rows": {"a": {"value": 0.11}}}, COSINE: {"rows": {"a": {"value": 0.91}}}}
    assert_each_has_its_distance(printed_comparison({"knn": {"c": groups}}), least=2)
    assert printed_comparison({"linear": {"c": groups[EUCLIDEAN]}})["linear"]["c"] == groups[EUCLIDEAN]
    cells = ({("token", "crops"): {"c": PivotCell(mean, None, 1)}} for mean in (0.11, 0.91))
    pivot = Pivot("knn", {"c": "posts"}, both(*cells))
    assert_each_has_its_distance(printed_pivot(pivot), least=2)
    assert pivot.cell(("token", "crops"), "c", COSINE).mean == 0.91 and pivot.is_by_both


def test_layers():
    rows = layers_of([layer_row(1, "mean", (0.11, 0.91), (0.12, 0.92))])
    printed_rows = printed_layers(rows)
    assert_each_has_its_distance(printed_rows["layers"], least=4)
    assert [printed_rows["best"][each]["after"]["value"] for each in (EUCLIDEAN, COSINE)] == [0.12, 0.92]
    assert_each_has_its_distance(layers_rows(rows).to_pylist(), least=4)
    of_one = {"value": 0.11, "error": 0.1, "gained": 1, "lost": 2}
    curve = {"rows": [{"layer": 1, "pooling": "mean", "zero_vectors": 0,
                       "knn": {EUCLIDEAN: of_one, COSINE: of_one | {"value": 0.91}}}]}  # fmt: skip
    assert_each_has_its_distance(printed_curve(curve), least=2)
    assert printed_curve(None) is None


def test_the_points_of_a_study(toy_corpus):
    def measured(low, high, sd):
        over = {"before": sd, "measured": {"loss": OverSeeds(low, low, low, low, low)}}
        numbers = {"accuracy": low, "development": high, "development_error": high, **over}
        counts = {"development_texts": 9, "steps": 8, "usable_texts": 9, "test_texts": 9}
        seed = MeasuredSeed(seed=0, run="r", state="finished", standard_error=high, seconds=2, **numbers, **counts)
        bounds = {"error": high, "sd": sd, "low": low, "high": high}
        point = DevelopedPoint(0.05, "0.05", (seed,), **numbers, **bounds, **counts)
        return MeasuredStudy([point], point, "", {"tfidf": low}, counted=None)

    design = asked_study("temperature", toy_corpus.info, values=(0.05,))
    facts = {"corpus": "toy", "state": State.FINISHED, "failure": None, "finished": 1, "planned": 1}
    by = both(measured(*LOW), measured(*HIGH))
    study = printed_study(StudySummary(Study.create(design), design, **facts, measured=by))
    least = {name: study[name] for name in ("points", "line", "references", COSINE)}
    assert_each_has_its_distance(least, least=20)
    assert study["points"][0]["development_is_whole"] and study["points"][0]["seeds"][0]["development_is_whole"]


def test_layers_are_printed_by_both():
    row = {"layer": 1, "pooling": "mean", "before": 0.11, "after": 0.12, COSINE: {"before": 0.91, "after": 0.92}}
    facts = {"flat_because": None, "best": {}, "measured_on": "nine texts", "vectors": "", "layers": [row]}
    assert show_layers(facts)[1] == ("layer  1  mean  91.0 % → 92.0 % (cosine), 11.0 % → 12.0 % (Euclidean distance)")


@pytest.fixture
def predicted(toy_corpus):
    """A run that read labels; half of four test texts are right by Euclidean distance after it, all by cosine."""
    run = finished(toy_corpus, recipe="supervised")
    leave_result(run, toy_corpus, supervised=True, knn=knn((0.5, 0.5), (0.5, 1.0), n=4).model_dump(exclude_unset=True))
    by = ([*"bbbb"], [*"abba"]), ([*"abba"], [*"aabb"])
    leave_predictions(run, [*"aabb"], *by)
    return run


def test_classes_and_predictions(predicted):
    found = classes(None, predicted.id).facts
    assert [each["after"] for each in found["classes"]] == [0.5, 0.5] and found["gained"] == [0]
    assert [each["after"] for each in found[COSINE]["classes"]] == [1, 1] and found[COSINE]["gained"] == [1, 3]
    assert found["of_test_texts"] and found["suspicious"] is None and found["printed_by"] == COSINE
    assert "".join(Run(predicted).to_pandas("predictions")["after"]) == "aabb"


def test_a_curve_as_a_table(predicted):
    leave_point(predicted, 0, 0.11, 0.91)
    leave_point(predicted, 4, 0.12, 0.92)
    curve = Run(predicted).to_pandas("curve")
    assert list(curve["knn"]) == [0.91, 0.92] and list(curve["knn_euclidean"]) == [0.11, 0.12]


def test_lines_of_a_metric_say_by_which_distance():
    assert _values("match-title", {"value": 3.0, COSINE: 2.5}) == "3.00, cosine 2.50"
    assert _values("knn", {"value": 0.11, COSINE: 0.91}) == "91.0 % (cosine), 11.0 % (Euclidean distance)"
    change = {"difference": 0.1, "low": -0.1, "high": 0.3, "value": 0.5}
    (line_of_one,) = _against_lines({"name": "TF-IDF", "linear": change})
    assert line_of_one.startswith("linear against TF-IDF (50.0 %): ") and "with" not in line_of_one
    by_both = change | {COSINE: 0.6} | {f"{COSINE}_{name}": 2 * change[name] for name in ("difference", "low", "high")}
    first, second = _against_lines({"name": "TF-IDF", "knn": by_both})
    assert "(60.0 %)" in first and first.endswith("with cosine") and second.endswith("with Euclidean distance")


def test_neighbors_that_are_not_there_yet_are_looked_for_where_they_are_made(predicted, tmp_path):
    for distance, place in ((EUCLIDEAN, "when its maps are drawn"), (COSINE, "when all its labeled texts")):
        with pytest.raises(RunError, match=place):
            neighbors(RunFolder(tmp_path), WriteNeighbors(run=predicted.id, side="after", distance=distance), silent)


def test_the_graph_of_vectors_of_length_one_is_that_of_both(predicted):
    rows = np.random.default_rng(0).standard_normal((30, 4))
    unit = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    predicted.embeddings("after").parent.mkdir(exist_ok=True)
    np.save(predicted.embeddings("after"), unit)
    by_cosine, expected = (
        graph_of(predicted, "after", unit, silent, COSINE),
        neighbor_graph(unit, k=29, distance=COSINE),
    )
    assert (
        by_cosine.distance == COSINE and (by_cosine.indices == expected.indices[:, : by_cosine.indices.shape[1]]).all()
    )
    assert np.allclose(by_cosine.distances, expected.distances[:, : by_cosine.indices.shape[1]], atol=1e-6)
    assert predicted.neighbors("after", EUCLIDEAN).exists()  # from which the other one is
