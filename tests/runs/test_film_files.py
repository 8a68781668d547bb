"""A film on disk: frames in order, dropped after a step, shown only where texts have a place."""

import numpy as np
import pytest
from builders import knn_row

from embedlab.measurement import from_row
from embedlab.runs.film_files import (
    FrameFacts,
    append_frame,
    begin_film,
    frame_rows,
    keep_frames_until,
    probe_of,
    read_film,
)
from embedlab.runs.store import create_run

ROWS = np.array([3, 5, 8])
FRAME = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 2.0]], np.float32)


@pytest.fixture
def run(store):
    run = create_run("train", {"corpus": "x"})
    begin_film(run, ROWS)
    for step in (0, 4, 8):
        append_frame(run, FRAME + step, step=step, texts=16 * step, seconds=step / 2, knn=knn_row(0.5))
    return run


def test_frames_come_back_in_order_with_what_is_known_of_them(run):
    film = read_film(run)
    assert film.rows.tolist() == [3, 5, 8] and [facts.step for facts in film.facts] == [0, 4, 8]
    assert all(np.array_equal(drawn, FRAME + step) for drawn, step in zip(film.frames, (0, 4, 8), strict=True))
    assert film.facts[1] == FrameFacts(step=4, file="frame-000004.npy", knn=from_row(knn_row(0.5)))


def test_frames_after_a_step_are_dropped_with_their_files(run):
    keep_frames_until(run, 4)
    assert [row.step for row in frame_rows(run)] == [0, 4]
    assert sorted(path.name for path in run.film.glob("frame*")) == ["frame-000000.npy", "frame-000004.npy"]


def test_a_text_without_a_place_at_first_is_left_out_and_one_that_loses_it_stays(run):
    begin_film(run, ROWS)
    first, second = FRAME.copy(), FRAME + 1
    first[0], second[1] = np.nan, np.nan
    append_frame(run, first, step=0)
    append_frame(run, second, step=1)
    film = read_film(run)
    assert film.rows.tolist() == [5, 8] and np.array_equal(film.frames[1], [[1.0, 0.0], [1.0, 3.0]])


def test_beginning_anew_leaves_nothing_of_the_old_film(run):
    begin_film(run, ROWS[:2])
    assert read_film(run) is None and probe_of(run).tolist() == [3, 5] and not list(run.film.glob("frame*"))


def test_a_damaged_frame_is_passed_over_and_no_film_is_none(run, store):
    (run.film / "frame-000004.npy").write_bytes(b"\x93NUMPY torn")
    assert [facts.step for facts in read_film(run).facts] == [0, 8]
    assert read_film(create_run("train", {"corpus": "x"})) is None
