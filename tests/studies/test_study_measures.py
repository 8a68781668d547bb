"""What may stand on the y axis of a study: numbers of its runs by hand, over seeds; what is missing says why."""

from dataclasses import replace

import pytest
from builders import leave_state

from embedlab.distance import COSINE, EUCLIDEAN
from embedlab.figures.studies.curve import study_curve
from embedlab.figures.studies.files import study_html, study_png, study_svg
from embedlab.figures.studies.heat import heat_line, in_cell, study_heat
from embedlab.runs.store import append_row
from embedlab.studies.drawing import bars_of, offered, seen_by
from embedlab.studies.measures import MEASURES, OverSeeds, final_loss, over_seeds
from embedlab.studies.plan import Cell
from embedlab.studies.summary import rows_of, summary

BLOCKS = {"series": "objective.blocks", "series_values": (1, 2), "recipe": "vicreg"}


def lose(run, *losses: float) -> None:
    for step, loss in enumerate(losses, start=1):
        append_row(run.terms, {"step": step, "loss": loss})


def test_the_final_loss_is_the_mean_of_the_last_tenth_of_the_recorded_steps(study_of, put):
    study, _ = study_of("temperature", values=(0.05,), seeds=(0, 1))
    runs = [put(study, Cell("value", 0.05, seed), [1, 0]) for seed in (0, 1)]
    lose(runs[0], *[9.0] * 18, 2.0, 4.0)
    assert final_loss(runs[0]) == 3 and final_loss(runs[1]) is None
    assert "loss" not in summary(study).measured.euclidean.points[0].measured  # of one of two seeds
    lose(runs[1], 5.0)
    (row,) = rows_of(summary(study), COSINE)
    assert row["final loss"] == 4 and row["sd of final loss"] == pytest.approx(2**0.5)


def test_over_seeds_by_hand_and_one_seed_has_no_error():
    """1, 2, 3: sd 1, error 1/√3, t(2) = 4.303."""
    found = over_seeds([1.0, 2.0, 3.0])
    assert (found.value, found.sd) == (2, 1) and found.error == pytest.approx(3**-0.5)
    assert found.high == pytest.approx(2 + 4.303 * 3**-0.5, abs=1e-3)
    assert over_seeds([2.0]) == OverSeeds(2, sd=None, error=None, low=None, high=None)
    assert over_seeds([2.0, 2.0]).error is None


def test_the_difference_to_untouched_is_paired_by_text_and_drawn_in_points(study_of, put):
    """``before`` is wrong everywhere here: the difference is the accuracy itself where the result says 0 before."""
    study, _ = study_of("temperature", values=(0.05,), seeds=(0,))
    put(study, Cell("value", 0.05, 0), [1, 1, 1, 0], before=0.0)
    seen = seen_by(summary(study), EUCLIDEAN, "difference")
    (point,) = seen.points
    assert point.height == 75 and point.error == pytest.approx(100 * (0.75 * 0.25 / 4) ** 0.5)
    assert seen.references == {} and "texts and the spread" in bars_of(seen)
    figure = study_curve(seen)
    assert figure.layout.yaxis.title.text == "Difference to untouched (Euclidean distance), paper's split (points)"
    assert "0.05 +75.0 points ± 21.7" in figure.layout.meta["alt"] and not figure.layout.shapes


def test_only_what_runs_hold_is_offered_and_the_rest_says_why(study_of, put):
    study, _ = study_of("temperature", values=(0.05, 0.5), seeds=(0,))
    nothing, said = offered(summary(study), COSINE)
    assert [measure.key for measure in nothing] == ["accuracy"] and said == []
    run = put(study, Cell("value", 0.05, 0), [1, 0], development=0.5)
    lose(run, 1.5)
    append_row(run.metrics, {"full": False, "step": 10, "uniformity": -2.5, "effective_rank": None})
    leave_state(run, peak_bytes=2_500_000_000)
    there, said = offered(summary(study), COSINE)
    keys = {measure.key for measure in there}
    assert keys == {"accuracy", "difference", "development", "loss", "uniformity", "seconds", "memory"}
    assert "Kept" not in " ".join(said) and "kNN accuracy (cosine): no ten folds were measured." in said
    assert len(there) + len(said) == len(MEASURES)
    found = summary(study)
    heights = {key: seen_by(found, COSINE, key).points[0].height for key in ("loss", "uniformity", "memory")}
    assert heights == {"loss": 1.5, "uniformity": -2.5, "memory": 2.5}
    assert bars_of(seen_by(found, COSINE, "loss")) == "One seed each: no error."


@pytest.mark.parametrize("key", [measure.key for measure in MEASURES])
def test_every_measure_can_be_drawn_as_lines_and_as_a_heat_map_also_with_none(study_of, put, key):
    study, _ = study_of("learning-rate", values=(0.1, 0.5), seeds=(0, 1), **BLOCKS)
    for empty in (True, False):
        seen = seen_by(summary(study), COSINE, key)
        assert study_curve(seen).layout.yaxis.title.text.startswith(seen.measure_title.removesuffix(")"))
        assert study_svg(replace(seen, view="heat")).startswith(b"<svg") and study_svg(seen).startswith(b"<svg")
        if empty:
            run = put(study, Cell("value", 0.1, 0, 2), [1, 0], development=0.5)
            lose(run, 1.5)


def test_a_heat_map_writes_every_cell_with_the_sd_of_its_seeds_and_says_what_is_missing(study_of, put):
    study, _ = study_of("learning-rate", values=(0.1, 0.5), seeds=(0, 1), **BLOCKS)
    put(study, Cell("value", 0.1, 0, 1), [1, 1, 1, 0])
    put(study, Cell("value", 0.1, 1, 1), [1, 1, 0, 0])
    put(study, Cell("value", 0.5, 0, 1), [1, 0, 0, 0])
    put(study, Cell("value", 0.5, 0, 2), state="failed")
    seen = seen_by(summary(study), COSINE)
    assert seen.is_grid and not replace(seen, series=()).is_grid
    assert [in_cell(seen, point) for point in seen.points] == [
        ("62.5 %", "± 17.7"), ("25.0 %", "one seed"), ("not run yet", ""), ("gap", ""),
    ]  # fmt: skip
    figure = study_heat(seen)
    heat = figure.data[0]
    assert [list(row) for row in heat.z] == [[0.625, 0.25], [None, None]]
    assert list(figure.layout.xaxis.ticktext) == ["0.1", "0.5"]
    assert list(figure.layout.yaxis.ticktext) == ["blocks 1", "blocks 2"]
    assert (
        heat.colorbar.title.text == "kNN accuracy (cosine), paper's split"
        and figure.layout.yaxis.title.text == "objective.blocks"
    )
    assert "The loss became NaN or infinite." in heat.customdata[1][1]
    assert "standard deviation of its 2 seeds" in heat_line(seen)
    drawn = replace(seen, view="heat")
    assert b">62.5 %<" in study_svg(drawn) and b">gap<" in study_svg(drawn) and study_png(drawn)[:4] == b"\x89PNG"
    assert b"heatmap" in study_html(drawn)
