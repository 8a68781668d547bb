"""A stopped run opens its best step: every reader tells that one, 56.0 % by cosine, and none the last, 61.0 %."""

import numpy as np
import pytest
from builders import change_result

from embedlab.cli.listing import runs
from embedlab.cli.running import followed
from embedlab.cli.terminal import Terminal
from embedlab.comparison.rows import compared_rows
from embedlab.comparison.values import values_of
from embedlab.figures.curves import knn_curve
from embedlab.measurement import CurvePoint
from embedlab.metrics.per_class import confusions
from embedlab.report.class_tables import mistakes_table
from embedlab.report.methods import methods_of
from embedlab.report.replay import words_by
from embedlab.runs.result import read_result
from embedlab.runs.state import State, write_state
from embedlab.ui.components.pair_of_maps import Compared
from embedlab.ui.components.run_maps import corner_of

BEST, LAST = "56.0", "61.0"


@pytest.fixture
def stopped(made_run):
    run = made_run("token", state="stopped")
    settings = {"encoder": "token", "recipe": "crops", "batch_size": 16, "seed": 0, "optimiser": "adam"}
    change_result(run, max_length=512, kept={"step": 8, "reason": "Stopped."})
    write_state(run, State.STOPPED, settings=settings)
    return run


READERS = {
    "runs list": lambda run: runs(Terminal(quiet=True)).lines[0],
    "train": lambda run: "\n".join(followed(run, Terminal(quiet=True)).lines),
    "the corner of its map": lambda run: corner_of(run, "after", None),
    "the corner on the left of another": lambda run: Compared(run, run.id).corner("before"),
    "the replay": lambda run: str(words_by(run, read_result(run), "cosine").numbers),
    "the methods paragraph": lambda run: methods_of(run).text,
    "compare": lambda run: f"{100 * values_of(compared_rows([run])[-1], distance='cosine')['knn'].value:.1f}",
}


@pytest.mark.parametrize("reader", READERS)
def test_a_stopped_run_is_told_by_the_step_that_is_opened(stopped, reader, monkeypatch):
    monkeypatch.setattr("embedlab.ui.components.run_maps.shown_distance", lambda: "cosine")
    said = READERS[reader](stopped)
    assert BEST in said and LAST not in said


def test_the_change_is_that_of_the_step_that_is_opened(stopped):
    """From 41.0 % to 56.0 %; the last step, 61.0 %, would be 20."""
    assert words_by(stopped, read_result(stopped), "cosine").numbers[1][2] == "+15.0 points"


def test_so_is_the_small_map_of_it_on_home(open_page, stopped, made_run, toy_corpus):
    corners = []
    other = made_run("token", name="other")
    stopped.map("after", "tsne").parent.mkdir(exist_ok=True)
    stopped.map("after", "tsne").touch()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            "embedlab.ui.components.run_maps.small_map", lambda run, corpus, *, corner: corners.append(corner)
        )
        at = open_page("home", run=other.id)
    assert not at.exception and corners == ["kNN 56.0 % ± 14.3 (cosine)"]


def test_the_band_reaches_one_standard_error_up_and_as_far_down():
    """Of 100 test texts half are right: 5 points either way."""
    figure = knn_curve([CurvePoint(0, 0.5, test_texts=100), CurvePoint(1, 0.5, test_texts=100)])
    (band,) = [trace for trace in figure.data if trace.fill == "toself"]
    assert sorted(band.y) == pytest.approx([0.45, 0.45, 0.55, 0.55])


def test_a_mistake_made_less_often_has_a_change_below_nought():
    """Ten texts of law: four were taken for sailing, one still is."""
    labels, before = np.array(["law"] * 10), np.array(["sailing"] * 4 + ["law"] * 6)
    after = np.array(["sailing"] + ["law"] * 9)
    (mistake,) = confusions(labels=labels, before=before, after=after)
    assert mistakes_table([mistake])["change"].to_pylist() == [-3]
