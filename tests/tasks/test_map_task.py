"""The map task: previews of a large corpus and the maps that grow out of them, maps laid onto another run's."""

import os
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import asdict, replace

import numpy as np
import pyarrow.parquet as pq
import pytest
from doing import do

from embedlab.corpora.base import Draft, open_corpus, store_corpus
from embedlab.errors import CorpusError
from embedlab.jobs.worker_process import worker_environment
from embedlab.limits import LIMITS
from embedlab.progress import silent
from embedlab.runs.drawn_map import Preview, write_map_facts
from embedlab.runs.state import State, read_state
from embedlab.runs.store import create_run, fingerprint_of
from embedlab.store_root import read_json
from embedlab.tasks.draw import drawing, maps, movement
from embedlab.tasks.draw.noise_floor import NoiseFloor
from embedlab.tasks.encoders import encoder_of_run
from embedlab.tasks.fine_tune import train

QUICK = {"early_iterations": 20, "iterations": 30, "aligned_iterations": 250}


@pytest.fixture
def finished(token_run, monkeypatch):
    monkeypatch.setattr(maps, "read_maps", lambda drawn, method, progress, **more: READ.append((method, more)))
    READ.clear()
    return token_run


READ: list = []


def drawn(run, name, method="tsne"):
    return pq.read_table(run.map(name, method)), read_json(run.map_facts(name, method))


def test_a_large_corpus_is_previewed_first_and_says_how_many_are_shown(finished, monkeypatch):
    monkeypatch.setattr(drawing, "LIMITS", replace(LIMITS, preview_texts=40))
    written = []
    honest = drawing.write_map
    monkeypatch.setattr(drawing, "write_map", lambda path, rows, xy: written.append((path.stem, rows, xy)) or
                        honest(path, rows, xy))  # fmt: skip
    facts = []
    monkeypatch.setattr(drawing, "write_map_facts", lambda path, found: facts.append((path.name, found)) or
                        write_map_facts(path, found))  # fmt: skip
    job = do("map", {"run": finished.id, "method": "tsne", "config": QUICK})
    assert [name for name, _, _ in written] == ["before-tsne", "after-tsne", "before-tsne", "after-tsne"]
    assert [len(rows) for _, rows, _ in written] == [40, 40, 120, 120]
    assert np.array_equal(written[0][1], written[1][1]) and np.bincount(written[0][1] % 4).tolist() == [10] * 4
    said = [found for name, found in facts if name in ("before-tsne.json", "after-tsne.json")]
    assert [found.preview for found in said] == [Preview(shown=40, of=120)] * 2 + [None] * 2
    assert [found.aligned for found in said] == [False, True, False, True]
    assert said[1].initialization == "the map before" and said[2].initialization == "the preview"
    assert set(read_json(job.result)["seconds"]) == {"before_preview", "after_preview", "before", "after"}
    assert READ == [("tsne", {"against": "before"})] and drawn(finished, "after")[0].num_rows == 120


def test_a_small_corpus_has_no_preview(finished):
    do("map", {"run": finished.id, "method": "pca"})
    assert all("preview" not in drawn(finished, name, "pca")[1] for name in ("before", "after"))


def test_a_map_onto_another_run_starts_from_that_runs_map_and_draws_it_if_it_must(finished, tiny):
    other = do("train", {**tiny, "seed": 3, "epochs": 1})
    job = do("map", {"run": finished.id, "method": "tsne", "config": QUICK, "onto": other.id})
    path = finished.map_onto(other.id, "tsne")
    facts = read_json(path.with_suffix(".json"))
    assert other.map("after", "tsne").exists() and not finished.map("after", "tsne").exists()
    assert facts["onto"] == other.id and facts["aligned"] and facts["initialization"] == "the map before"
    assert pq.read_table(path).column("id").to_pylist() == list(range(120))
    assert READ == [("tsne", {"against": other.id})] and read_json(job.result)["onto"] == other.id
    theirs = drawn(other, "after")[0]
    here, there = (np.column_stack([t["x"].to_numpy(), t["y"].to_numpy()]) for t in (pq.read_table(path), theirs))
    assert np.allclose(here.mean(axis=0), there.mean(axis=0), atol=1e-3)


def test_maps_of_different_corpora_are_not_laid_over_each_other(finished, tiny, toy_corpus):
    fewer = store_corpus(Draft(name="fewer", source="test", texts=toy_corpus.texts[:80]))
    other = do("train", {**tiny, "corpus": fewer.fingerprint, "epochs": 1})
    with pytest.raises(CorpusError, match="only be aligned on the same corpus"):
        do("map", {"run": finished.id, "method": "pca", "onto": other.id})


@pytest.mark.slow
def test_an_approximate_graph_is_said_in_the_facts(finished, monkeypatch):
    from embedlab.neighbors import approximate, graph

    small = replace(LIMITS, exact_neighbors=100, recall_queries=50)
    monkeypatch.setattr(graph, "LIMITS", small)
    monkeypatch.setattr(approximate, "LIMITS", small)
    monkeypatch.setattr(approximate, "_descended", lambda points, k, effort, seed: np.tile(np.arange(120), (120, 1)))
    finished.neighbors("before", "euclidean").joinpath("graph.json").unlink(missing_ok=True)
    job = do("map", {"run": finished.id, "method": "pca"})
    facts = drawn(finished, "before", "pca")[1]
    assert facts["approximate"] and facts["recall_15"] == 1 and facts["queries"] == 50
    assert read_json(job.result)["recall_15"] == 1


def test_the_map_before_and_what_it_tells_are_there_while_its_run_trains_and_are_then_left(finished, monkeypatch):
    """What ``train`` submits beside a large corpus: the map task neither draws nor reads the map before again."""
    do("map_before", {"of": finished.id})
    assert not finished.noise_floor.exists()  # of a token layer the training measures it
    monkeypatch.setattr(maps, "is_token_layer", lambda reference: False)
    do("map_before", {"of": finished.id})
    before = finished.map("before", "tsne")
    made = [before, finished.map_facts("before", "tsne"), finished.trust(before), finished.noise_floor]
    made += [finished.clusters("before"), finished.clusters("before-tsne")]
    when = [path.stat().st_mtime_ns for path in made]
    assert len(pq.read_table(before)) == len(open_corpus(fingerprint_of(finished)).kept)
    assert not finished.map("after", "tsne").exists()
    read_so_far = len(READ)
    do("map", {"run": finished.id})
    assert len(READ) == read_so_far + 1 and finished.map("after", "tsne").exists()
    assert [path.stat().st_mtime_ns for path in made] == when


def test_one_process_draws_both_maps_of_a_token_layer_s_training_which_measures_the_floor(tiny, monkeypatch):
    order = []

    @contextmanager
    def ready():
        order.append("ready")
        yield
        order.append("over")

    monkeypatch.setattr(train, "WORTH_IT", 100)
    monkeypatch.setattr(train, "drawing_ready", ready)
    monkeypatch.setattr(train, "enqueue_followup", lambda request: order.append(request.task))
    run = do("train", {**tiny, "maps": True})
    assert order == ["ready", "map_before", "map", "over"] and read_json(run.noise_floor)["how"] == "bf16"


@pytest.mark.slow
def test_the_process_that_is_ready_draws_what_it_is_given_until_no_more_comes(token_run):
    jobs = [create_run("map_before", {"of": token_run.id}), create_run("map", {"run": token_run.id})]
    lines = "".join(f"{job.path}\n" for job in jobs)
    command = [sys.executable, "-m", "embedlab.worker.waiting", "--drawing"]
    subprocess.run(command, input=lines, text=True, env=worker_environment(), check=True)
    assert [read_state(job).state for job in jobs] == [State.FINISHED] * 2
    assert all(token_run.map(name, "tsne").exists() for name in ("before", "after"))


def test_another_setting_draws_the_map_before_anew(finished):
    do("map_before", {"of": finished.id})
    first = drawn(finished, "before")[0]
    do("map", {"run": finished.id, "config": QUICK})
    table, facts = drawn(finished, "before")
    assert facts["iterations"] == 50 and not table.equals(first)


def test_the_noise_floor_is_kept_until_the_untouched_embeddings_are_written_anew(finished, monkeypatch):
    corpus = open_corpus(fingerprint_of(finished))
    movement.floor_before(finished, corpus, silent, reader=encoder_of_run(finished, "after"))
    kept = read_json(finished.noise_floor)
    monkeypatch.setattr(movement, "floor_of_precision", lambda *_: pytest.fail("measured again"))
    facts = movement.write_moves(finished, "before", silent)
    assert asdict(facts.floor) == kept and kept["value"] is not None and kept["how"] == "bf16"
    later = finished.noise_floor.stat().st_mtime_ns + 10**9
    os.utime(finished.embeddings("before"), ns=(later, later))
    measured = NoiseFloor(0.25, "bf16", 120, 120, "anew")
    monkeypatch.setattr(movement, "floor_of_precision", lambda *_: measured)
    assert movement.write_moves(finished, "before", silent).floor == measured


def test_a_map_of_cut_vectors_says_so_and_leaves_the_graph_of_the_whole_ones(finished):
    graph = finished.neighbors("before", "euclidean") / "indices.npy"
    of_whole = graph.read_bytes() if graph.exists() else None
    do("map", {"run": finished.id, "method": "pca", "dimensions": 2})
    assert (graph.read_bytes() if graph.exists() else None) == of_whole
    for name in ("before", "after"):
        assert drawn(finished, name, "pca")[1]["dimensions"] == 2
    kept = open_corpus(fingerprint_of(finished)).kept
    cut = np.load(finished.embeddings("before"))[kept, :2].astype(np.float64)
    places = np.column_stack([drawn(finished, "before", "pca")[0][axis] for axis in "xy"]).astype(np.float64)

    def apart(points):
        return np.linalg.norm(points[:, None] - points, axis=2)

    assert np.corrcoef(apart(cut).ravel(), apart(places).ravel())[0, 1] > 0.9999  # of two dimensions PCA is a turn
    do("map", {"run": finished.id, "method": "pca"})
    assert "dimensions" not in drawn(finished, "after", "pca")[1]
