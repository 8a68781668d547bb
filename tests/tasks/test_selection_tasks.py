"""What workers make of selections and maps: a corpus, a figure, the neighbors as a file."""

import json
import shutil

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from builders import change_result, knn, leave_result, leave_state
from doing import do
from PIL import Image

from embedlab.config import validated
from embedlab.corpora.base import Draft, open_corpus, store_corpus
from embedlab.errors import CorpusError, RunError, SettingsError
from embedlab.jobs.requests.drawing import DrawFigure
from embedlab.maps.drawing import Drawn
from embedlab.progress import silent
from embedlab.runs.selections import keep
from embedlab.runs.store import create_run
from embedlab.store_root import read_json, write_json
from embedlab.tasks.draw.figure import drawn_figure


@pytest.fixture
def mapped(toy_corpus):
    """A run of which both t-SNE maps and a neighbor graph are there."""
    run = create_run("train", {"corpus": toy_corpus.fingerprint, "encoder": "token", "recipe": "crops"}, name="first")
    leave_state(run, corpus=toy_corpus)
    leave_result(run, toy_corpus, knn=knn((0.4, 0.6, 0.55)))
    rng = np.random.default_rng(0)
    for side in ("before", "after"):
        write_map(run.map(side, "tsne"), run.map_facts(side, "tsne"), toy_corpus.kept, rng.normal(size=(120, 2)))
    return run


def write_map(path, facts, rows, places) -> None:
    path.parent.mkdir(exist_ok=True)
    pq.write_table(pa.table({"id": rows, "x": places[:, 0], "y": places[:, 1]}), path)
    write_json(facts, {"method": "tsne", "seed": 42, "texts": len(rows)})


def figure_of(run, tmp_path, **asked) -> str:
    """The figure as SVG."""
    settings = validated(DrawFigure, {"run": run.id, "format": "svg", "dpi": 80, **asked})
    drawn_figure(settings, tmp_path / "figure.svg", silent)
    return (tmp_path / "figure.svg").read_text()


def test_the_corner_of_a_figure_names_its_distance_and_before_has_its_own_error(mapped, tmp_path):
    change_result(mapped, knn=knn((0.1, 0.5, 0.5), (0.1, 0.6, 0.7), n=100), stopped=True)
    drawn = figure_of(mapped, tmp_path)
    assert "kNN accuracy 10.0 % ± 3.0 (cosine)" in drawn and "kNN accuracy 70.0 % ± 4.6 (cosine)" in drawn
    assert "kNN accuracy 50.0 % ± 5.0 (Euclidean distance)" in figure_of(mapped, tmp_path, distance="euclidean")
    for side in ("before", "after"):  # whatever the map was drawn with
        facts = mapped.map_facts(side, "tsne")
        write_json(facts, read_json(facts) | {"distance": "euclidean", "knn_in_picture": 0.4})
    drawn = figure_of(mapped, tmp_path)
    assert "kNN accuracy 70.0 % ± 4.6 (cosine), 40.0 % in the picture" in drawn and "over ten folds" in drawn
    drawn = figure_of(mapped, tmp_path, distance="euclidean")
    assert "kNN accuracy 50.0 % ± 5.0 (Euclidean distance), 40.0 % in the picture" in drawn


def test_a_selection_becomes_a_corpus_with_its_checkup(toy_corpus):
    kept = keep(toy_corpus, "$law$ <b>", np.flatnonzero(toy_corpus.labels == "law"))
    job = do("subset", {"selection": kept.id, "name": "toy: law"})
    made = open_corpus(read_json(job.result)["fingerprint"])
    assert (made.name, made.info.texts, set(made.labels)) == ("toy: law", 30, {"law"})
    assert "30 of 120 texts of toy, the selection “$law$ <b>”." in [note.message for note in made.info.notes]
    assert list(made.folder.glob("*.json")) != [made.folder / "corpus.json"]  # the check-up lies there too


def test_a_deleted_selection_is_refused(toy_corpus):
    with pytest.raises(CorpusError, match="no selection"):
        do("subset", {"selection": "0" * 13, "name": "x"})


def test_a_figure_says_method_seed_texts_and_measure(mapped, tmp_path):
    svg = figure_of(mapped, tmp_path)
    assert svg.count("<image ") == 2
    corners = (f"kNN accuracy {share} % ± 14.1 (cosine)" for share in ("40.0", "60.0"))
    for line in ("Before: untouched", "After: fine-tuned", *corners):
        assert f">{line}</text>" in svg
    assert "t-SNE, seed 42, 120 texts of toy, 4 classes." in svg and "12 test texts" in svg
    assert "Gray" not in svg


def test_one_map_without_caption(mapped, tmp_path):
    svg = figure_of(mapped, tmp_path, maps="right", caption=False, names="legend", right_title="<mine>")
    assert svg.count("<image ") == 1 and "seed" not in svg and "Before" not in svg
    assert ">&lt;mine&gt;</text>" in svg and ">sailing</text>" in svg


def test_of_a_selection_only_its_texts_keep_their_colour(mapped, toy_corpus, tmp_path):
    kept = keep(toy_corpus, "courts", [0, 1])
    svg = figure_of(mapped, tmp_path, selection=kept.id)
    assert "In color: courts (2 texts)." in svg
    plain = tmp_path / "plain.png", tmp_path / "chosen.png"
    for out, selection in zip(plain, ("", kept.id), strict=True):
        drawn_figure(
            validated(DrawFigure, {"run": mapped.id, "format": "png", "names": "none", "selection": selection}),
            out, silent,
        )  # fmt: skip
    colourful = [
        int((np.ptp(np.asarray(Image.open(out).convert("RGB")).astype(int), axis=2) > 60).sum()) for out in plain
    ]
    assert 0 < colourful[1] < 0.2 * colourful[0]


def test_two_runs_stand_beside_each_other(mapped, toy_corpus, tmp_path):
    other = create_run(
        "train", {"corpus": toy_corpus.fingerprint, "encoder": "token", "recipe": "crops"}, name="second"
    )
    leave_state(other, corpus=toy_corpus)
    with pytest.raises(RunError, match=f"run {other.id}, but they are not drawn"):
        figure_of(mapped, tmp_path, against=other.id)
    write_map(other.map("after", "tsne"), other.map_facts("after", "tsne"), toy_corpus.kept, np.ones((120, 2)))
    onto, facts = mapped.map_onto(other.id, "tsne"), mapped.map_onto(other.id, "tsne").with_suffix(".json")
    write_map(onto, facts, toy_corpus.kept, np.zeros((120, 2)))
    svg = figure_of(mapped, tmp_path, against=other.id)
    assert ">second</text>" in svg and ">first</text>" in svg and "40.0" not in svg


def test_brought_places_are_laid_over_each_other(mapped, toy_corpus, tmp_path, monkeypatch):
    other = create_run(
        "train", {"corpus": toy_corpus.fingerprint, "encoder": "token", "recipe": "crops"}, name="second"
    )
    leave_state(other, corpus=toy_corpus)
    places = np.random.default_rng(3).normal(size=(120, 2))
    write_map(other.map("after", "own"), other.map_facts("after", "own"), toy_corpus.kept, places)
    turned = 7 * places @ np.array([[0.0, 1.0], [-1.0, 0.0]]) + 5
    write_map(mapped.map("after", "own"), mapped.map_facts("after", "own"), toy_corpus.kept, turned)
    drawn = []
    monkeypatch.setattr(
        "embedlab.tasks.draw.figure.draw",
        lambda picture, out, **size: drawn.append(picture) or out.touch() or Drawn(1, 1, ""),
    )
    figure = {"run": mapped.id, "method": "own", "against": other.id}
    drawn_figure(validated(DrawFigure, figure), tmp_path / "figure.pdf", silent)
    left, right = drawn[0].panels
    assert right.coordinates == pytest.approx(left.coordinates, abs=1e-4)


def test_texts_without_label_are_grey_and_a_corpus_without_labels_has_no_names(store, tmp_path):
    for labels, wanted in ((["a", "b", None], "Gray: no label."), (None, "seed 42, 3 texts of few.")):
        corpus = store_corpus(Draft(name="few", source="x", texts=["x", "y", f"{labels}"], labels=labels))
        run = create_run("train", {"corpus": corpus.fingerprint})
        leave_state(run, corpus=corpus)
        for side in ("before", "after"):
            write_map(run.map(side, "tsne"), run.map_facts(side, "tsne"), corpus.kept, np.eye(3, 2))
        assert wanted in figure_of(run, tmp_path)


def test_the_worker_writes_figure_and_preview(mapped):
    job = do("figure", {"run": mapped.id, "format": "pdf", "width_mm": 85.0})
    result = read_json(job.result)
    assert (job.path / result["file"]).read_bytes().startswith(b"%PDF")
    with Image.open(job.path / "preview.png") as preview:
        assert preview.size[0] == round(85 / 25.4 * 150)


@pytest.mark.parametrize("wrong", [{"format": "gif"}, {"width_mm": 5}, {"dpi": 10_000}, {"colour": "red"}])
def test_a_wrong_setting_is_named(mapped, wrong):
    with pytest.raises(SettingsError, match=next(iter(wrong))):
        validated(DrawFigure, {"run": mapped.id, **wrong}, where="figure")


def test_neighbors_are_corpus_rows_nearest_first(store):
    corpus = store_corpus(Draft(name="holes", source="x", texts=["a", "", "b", "c"]))  # kept rows: 0, 2, 3
    run = create_run("train", {"corpus": corpus.fingerprint})
    leave_state(run, corpus=corpus)
    graph = run.neighbors("after", "euclidean")
    graph.mkdir(parents=True)
    np.save(graph / "indices.npy", np.array([[1, 2], [2, 0], [0, -1]], np.int32))
    np.save(graph / "distances.npy", np.array([[0.5, 1.0], [0.25, 0.5], [1.0, np.inf]], np.float32))
    write_json(graph / "graph.json", {"distance": "euclidean"})
    job = do("neighbors_file", {"run": run.id, "side": "after"})
    table = pq.read_table(job.path / read_json(job.result)["file"])
    assert table.to_pydict() == {
        "id": [0, 2, 3], "neighbors": [[2, 3], [3, 0], [0]], "distances": [[0.5, 1.0], [0.25, 0.5], [1.0]]
    }  # fmt: skip
    assert json.loads(table.schema.metadata[b"embedlab"]) == {
        "distance": "euclidean",
        "run": run.id,
        "encoder": "after",
    }
    with pytest.raises(RunError, match=r"\(Euclidean distance\) have not been computed yet"):
        do("neighbors_file", {"run": run.id, "side": "before"})
    by_cosine = {"run": run.id, "side": "after", "distance": "cosine"}
    with pytest.raises(RunError, match=r"\(cosine\) have not been computed yet"):
        do("neighbors_file", by_cosine)
    shutil.copytree(graph, run.neighbors("after", "cosine"))
    np.save(run.neighbors("after", "cosine") / "indices.npy", np.array([[2, 1], [0, 2], [1, -1]], np.int32))
    job = do("neighbors_file", by_cosine)
    assert pq.read_table(job.path / read_json(job.result)["file"])["neighbors"].to_pylist() == [[3, 2], [0, 3], [2]]


def test_neighbors_of_many_texts_are_written_in_parts(store, monkeypatch):
    monkeypatch.setattr("embedlab.tasks.export.TEXTS_AT_ONCE", 7)
    corpus = store_corpus(Draft(name="many", source="x", texts=[f"text {n}" for n in range(20)]))
    run = create_run("train", {"corpus": corpus.fingerprint})
    leave_state(run, corpus=corpus)
    graph = run.neighbors("after", "euclidean")
    graph.mkdir(parents=True)
    near = (np.arange(20)[:, None] + np.arange(1, 4)) % 20
    np.save(graph / "indices.npy", near.astype(np.int32))
    np.save(graph / "distances.npy", near.astype(np.float32))
    write_json(graph / "graph.json", {"distance": "euclidean"})
    job = do("neighbors_file", {"run": run.id, "side": "after"})
    table = pq.read_table(job.path / "neighbors.parquet").to_pydict()
    assert table["neighbors"] == near.tolist() and table["id"] == list(range(20))
