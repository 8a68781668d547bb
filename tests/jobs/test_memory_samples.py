"""Memory and processor of a worker are written down while it works, and read without its pauses."""

import threading

import pytest
from builders import finished

from embedlab.figures.curves import resources_curve
from embedlab.jobs import sampling as looking
from embedlab.jobs.sampling import LOOKS, MOST_POINTS, SECONDS, resources_of, sampling
from embedlab.runs.store import append_row, create_run, read_rows


def looked(run, times: int) -> list[float]:
    """Sample a run so many times without waiting; the seconds that were asked for between."""
    asked, reached = [], threading.Event()

    def wait(seconds: float) -> bool:
        asked.append(seconds)
        if len(asked) > times:
            reached.set()
        return len(asked) > times

    with sampling(run, wait):
        assert reached.wait(60)
    return asked


def test_every_look_is_a_row_of_this_process(store):
    run = create_run("train", {})
    looked(run, 3)
    rows = read_rows(run.resources)
    assert len(rows) == 4 and all(row["memory"] > 10**6 and row["cores"] >= 0 for row in rows)
    assert [row["at"] for row in rows] == sorted(row["at"] for row in rows)


def test_long_runs_are_looked_at_less_often(store):
    asked = looked(create_run("train", {}), 2 * LOOKS + 2)
    assert asked[1] == SECONDS and asked[LOOKS] == 2 * SECONDS and asked[2 * LOOKS] == 4 * SECONDS


def test_a_full_disk_ends_the_samples_and_not_the_run(store, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(looking, "append_row", full)
    run, worked = create_run("train", {}), False
    with sampling(run):
        worked = True
    assert worked and not run.resources.exists()


def test_a_pause_between_two_goes_takes_no_time(store):
    run = create_run("train", {})
    for at in (100.0, 102.0, 104.0, 90_000.0, 90_002.0):
        append_row(run.resources, {"at": at, "memory": 10**9, "cores": 1.5})
    append_row(run.stages, {"kind": "Fine-tuning", "at": 101.0})
    found = resources_of(run)
    assert found.seconds == [0, 2, 4, 4, 6] and found.stages == ["Starting", *["Fine-tuning"] * 4]
    assert found.gpu_memory == []


def test_many_rows_become_few_points_with_their_largest_memory(store):
    run = create_run("train", {})
    for at in range(2 * MOST_POINTS):
        append_row(run.resources, {"at": 2.0 * at, "memory": at, "cores": at % 2, "gpu_memory": 5})
    found = resources_of(run)
    assert len(found.seconds) == MOST_POINTS and found.memory[0] == 1 and found.memory[-1] == 2 * MOST_POINTS - 1
    assert found.cores[0] == 0.5 and found.gpu_memory[0] == 5


@pytest.mark.parametrize("rows", [[], [{"at": 1.0, "memory": 1, "cores": 0}], [{"x": 1}, {"x": 2}]])
def test_nothing_to_draw_is_none(store, rows):
    run = create_run("train", {})
    for row in rows:
        append_row(run.resources, row)
    assert resources_of(run) is None


def test_the_picture_says_the_most_memory_and_the_mean_of_the_cores():
    figure = resources_curve(seconds=[0, 10], memory=[1e9, 2.5e9], cores=[1.0, 2.0], gpu_memory=[0, 4e9], of_cores=2)
    assert figure.layout.meta["alt"] == (
        "The run took up to 2.5 GB of memory, 4.0 GB on the GPU, and 1.5 cores on average, over 10 seconds of work."
    )
    assert [trace.name for trace in figure.data] == ["memory", "GPU memory", "cores"]


def test_a_run_without_samples_shows_nothing_of_them(toy_corpus):
    assert resources_of(finished(toy_corpus)) is None
