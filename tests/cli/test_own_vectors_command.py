"""Vectors of one's own on the command line: joined by ids, their faults said; scikit-learn has the right values."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sklearn.neighbors import KNeighborsClassifier
from toy_corpora import toy_texts

from embedlab.cli import main
from embedlab.jobs.runner import wait
from embedlab.metrics.split import paper_split
from embedlab.report.methods import methods_of
from embedlab.runs.result import read_result
from embedlab.runs.store import list_runs

N = 120


@pytest.fixture
def table(store, tmp_path) -> dict:
    """A corpus whose column id is shuffled, and vectors that sort its classes, in the corpus's order."""
    rng = np.random.default_rng(0)
    texts, labels = toy_texts()
    ids = rng.permutation(N)
    names = sorted(set(labels))
    vectors = np.eye(4)[[names.index(label) for label in labels]] + 0.4 * rng.standard_normal((N, 4))
    lines = "".join(f'{id},"{text}",{label}\n' for id, text, label in zip(ids, texts, labels, strict=True))
    (tmp_path / "corpus.csv").write_text(f"id,text,label\n{lines}", encoding="utf-8")
    pq.write_table(
        pa.table({"text": texts, "label": labels, "id": ids, "embedding": list(vectors)}), tmp_path / "all.parquet"
    )
    return {"corpus": str(tmp_path / "corpus.csv"), "ids": ids, "vectors": vectors, "texts": texts, "labels": labels}


def by_scikit_learn(table: dict, vectors: np.ndarray) -> float:
    """Share of the paper's test texts that ten neighbors among the train texts tell right; without zero vectors."""
    labels = np.array(table["labels"])
    split = paper_split(table["texts"], labels.astype(object), np.arange(N))
    train = split.train[vectors[split.train].any(axis=1)]
    test = split.test[vectors[split.test].any(axis=1)]
    found = KNeighborsClassifier(10).fit(vectors[train], labels[train]).predict(vectors[test])
    return (found == labels[test]).sum() / len(split.test)


def shuffled(table: dict, path) -> str:
    """The vectors in another order, with the ids of the corpus beside them."""
    order = np.random.default_rng(1).permutation(N)
    pq.write_table(pa.table({"id": table["ids"][order], "embedding": list(table["vectors"][order])}), path)
    return str(path)


def test_vectors_are_joined_by_the_corpus_ids_and_not_taken_for_row_numbers(call, table, tmp_path):
    file = shuffled(table, tmp_path / "vectors.parquet")
    code, found = call("evaluate", "--embeddings", file, "--corpus", table["corpus"])
    assert code == 0 and found["metrics"]["knn"]["value"] == by_scikit_learn(table, table["vectors"]) > 0.8
    assert found["joined"] == {"by": "column id", "texts": N, "of": N, "unused": 0,
                               "sentence": "Joined by column id: 120 of 120 texts."}  # fmt: skip
    assert found["warnings"] == [] and found["vectors"]["zero"]["total"] == 0
    by_row = call("evaluate", "--embeddings", file, "--corpus", table["corpus"], "--vector-ids", "row")[1]
    assert by_row["metrics"]["knn"]["value"] < 0.6 and by_row["joined"]["by"] == "row numbers in column id"


def test_one_file_is_the_corpus_and_its_vectors(call, table, tmp_path):
    file = str(tmp_path / "all.parquet")
    code, found = call("evaluate", "--embeddings", file, "--corpus", file)
    assert code == 0 and found["metrics"]["knn"]["value"] == by_scikit_learn(table, table["vectors"])


def test_an_archive_of_arrays_is_joined_by_its_ids(call, table, tmp_path):
    order = np.random.default_rng(2).permutation(N)
    np.savez(tmp_path / "v.npz", ids=table["ids"][order], embeddings=table["vectors"][order])
    file = str(tmp_path / "v.npz")
    code, found = call("evaluate", "--embeddings", file, "--corpus", table["corpus"])
    assert code == 0 and found["metrics"]["knn"]["value"] == by_scikit_learn(table, table["vectors"])
    np.savez(tmp_path / "v.npz", ids=table["ids"].astype(str).astype(object), embeddings=table["vectors"])
    code, found = call("evaluate", "--embeddings", file, "--corpus", table["corpus"])
    assert code == 2 and "the array 'ids' of 'v.npz' contains Python objects" in found["error"]["message"]


def test_packed_bits_are_measured_as_bits(call, table, tmp_path):
    bits = np.hstack([table["vectors"] > 0.5, np.random.default_rng(3).random((N, 28)) < 0.5])
    np.save(tmp_path / "packed.npy", np.packbits(bits, axis=1))
    np.save(tmp_path / "bits.npy", bits.astype(np.float32))
    packed, plain = (
        call("evaluate", "--embeddings", str(tmp_path / name), "--corpus", table["corpus"])[1]
        for name in ("packed.npy", "bits.npy")
    )
    assert packed["metrics"]["knn"] == plain["metrics"]["knn"]
    assert "32 in all" in packed["warnings"][0]["message"]


def test_zero_vectors_are_said_by_whatever_measures_them(call, table, tmp_path, capfd):
    vectors = table["vectors"].astype(np.float32)
    vectors[:40] = 0
    file = str(tmp_path / "zero.npy")
    np.save(file, vectors)
    said = "40 of 120 vectors are zero (rows 1, 2, 3, 4, 5 …)"
    code, found = call("evaluate", "--embeddings", file, "--corpus", table["corpus"])
    assert code == 0 and found["metrics"]["knn"]["value"] == by_scikit_learn(table, vectors)
    assert found["vectors"]["zero"] == {"total": 40, "first": [1, 2, 3, 4, 5]}
    for command in (
        ["evaluate", "--embeddings", file, "--corpus", table["corpus"]],
        ["map", "--embeddings", file, "--method", "pca", "--out", str(tmp_path / "map.parquet")],
        ["import", "--corpus", table["corpus"], "--before", file],
    ):
        capfd.readouterr()
        assert main([*command, "--quiet"]) == 0
        assert said in capfd.readouterr().out, command
    for job in list_runs("jobs"):  # the maps that are drawn beside
        wait(job)
    (run,) = list_runs()
    result = read_result(run)
    assert result.vectors["after"].zero.total == 40 and said in result.vector_faults[0]
    assert result.joined["before"].sentence == "Joined by row order: 120 of 120 texts."
    written = methods_of(run).text
    assert said in written and "Joined by row order" in written
    assert call("compare", run.id)[1]["warnings"][0]["message"] == result.vector_faults[0]  # one run needs no name
    assert said in " ".join(each["message"] for each in call("moves", "--run", run.id)[1]["warnings"])


def test_vectors_that_are_no_numbers_are_measured_with_their_count_but_not_imported(call, table, tmp_path):
    vectors = table["vectors"].copy()
    vectors[2], vectors[4, 1] = np.nan, np.inf
    file = str(tmp_path / "nan.npy")
    np.save(file, vectors)
    code, found = call("evaluate", "--embeddings", file, "--corpus", table["corpus"])
    assert code == 0 and [found["vectors"][kind]["first"] for kind in ("nan", "infinite")] == [[3], [5]]
    code, found = call("import", "--corpus", table["corpus"], "--before", file)
    assert code == 2 and "row 3, value 1 of 'nan.npy' is nan" in found["error"]["message"]


def test_a_map_is_imported_for_the_texts_it_was_drawn_of(call, table, tmp_path):
    vectors, drawn = shuffled(table, tmp_path / "vectors.parquet"), tmp_path / "map.parquet"
    np.save(tmp_path / "vectors.npy", table["vectors"])
    places = {}
    for name, file in (("shuffled", vectors), ("in order", str(tmp_path / "vectors.npy"))):
        assert call("map", "--embeddings", file, "--method", "pca", "--out", str(drawn))[0] == 0
        code, found = call("import", "--corpus", table["corpus"], "--coordinates", str(drawn))
        assert code == 0
        run = next(run for run in list_runs() if run.id == found["run"])
        places[name] = pq.read_table(run.map("after", "own")).to_pandas()[["x", "y"]].to_numpy()
    assert np.allclose(np.abs(places["shuffled"]), np.abs(places["in order"]), atol=1e-4)
