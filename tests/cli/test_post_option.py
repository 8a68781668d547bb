"""``--post`` of evaluate, embed and map: the step's numbers beside the raw ones, and a sentence for a mistake."""

import json

import numpy as np
import pyarrow.parquet as pq
import pytest

from embedlab.cli import main
from embedlab.postprocessing.centre_whiten import Centre, NormaliseConfig, Whiten
from embedlab.runs.evaluations import Evaluations
from embedlab.runs.store import create_run
from embedlab.tasks import TASKS


@pytest.fixture
def vectors(toy_corpus, tmp_path):
    """A file of vectors of the toy corpus, one direction a class, far from the origin."""
    rng = np.random.default_rng(0)
    classes = np.unique(toy_corpus.labels, return_inverse=True)[1]
    found = (np.eye(8)[classes] + rng.normal(scale=0.8, size=(120, 8)) + 5).astype(np.float32)
    np.save(tmp_path / "vectors.npy", found)
    return tmp_path / "vectors.npy"


def test_evaluate_measures_each_step_beside_the_raw_vectors(call, toy_corpus, vectors):
    corpus = toy_corpus.info.fingerprint
    told = ("--embeddings", str(vectors), "--corpus", corpus, "--metrics", "knn,linear", "--protocol", "cv10")
    code, found = call("evaluate", *told, "--post", "centre, flow", "--set", "post.flow.epochs=2")
    assert code == 0 and set(found["post"]) == {"centre", "flow"}
    assert found["metrics"] == call("evaluate", *told)[1]["metrics"] and "post" not in call("evaluate", *told)[1]
    assert found["post"]["centre"]["knn"]["value"] == found["metrics"]["knn"]["value"]
    assert 0 <= found["post"]["flow"]["knn"]["cosine"] <= 1 and found["post"]["flow"]["knn"]["protocol"] == "cv10"
    assert found["post"]["centre"]["linear"]["protocol"] == "cv10"
    assert np.isfinite(found["post"]["flow"]["bits_per_dimension"]) and found["post"]["flow"]["steps"] == 2 * 2


def test_the_numbers_are_those_of_the_changed_vectors(call, toy_corpus, vectors, tmp_path):
    corpus, raw = toy_corpus.info.fingerprint, np.load(vectors)
    np.save(tmp_path / "white.npy", Whiten.fit_transform(raw, np.arange(120), NormaliseConfig()).embeddings)
    found = call("evaluate", "--embeddings", str(vectors), "--corpus", corpus, "--post", "whiten", "--protocol", "cv10")
    white = call("evaluate", "--embeddings", str(tmp_path / "white.npy"), "--corpus", corpus, "--protocol", "cv10")
    assert found[1]["post"]["whiten"]["knn"] == white[1]["metrics"]["knn"] != found[1]["metrics"]["knn"]


def test_embed_and_map_take_one_step(call, toy_corpus, vectors, tmp_path):
    out = tmp_path / "map.parquet"
    code, found = call(
        "map", "--embeddings", str(vectors), "--method", "pca", "--post", "whiten", "--set",
        "post.whiten.normalise_first=true", "--out", str(out),
    )  # fmt: skip
    assert code == 0 and found["post"] == "whiten"
    table = pq.read_table(out)
    spread = np.stack([table["x"], table["y"]]).std(axis=1)
    assert spread[0] == pytest.approx(spread[1], rel=0.01)  # all components are equally wide

    corpus = toy_corpus.info.fingerprint
    files = {name: tmp_path / f"{name}.npy" for name in ("none", "centre")}
    for name, file in files.items():
        told = ("--encoder", "token", "--corpus", corpus, "--out", str(file))
        code, found = call("embed", *told, "--post", name)
        assert code == 0 and found.get("post", "none") == name
    raw, centred = (np.load(file) for file in files.values())
    expected = Centre.fit_transform(raw, np.arange(120), NormaliseConfig()).embeddings
    np.testing.assert_array_equal(centred, expected)


def test_without_labels_the_steps_still_say_what_they_found(call, toy_corpus, vectors, tmp_path):
    file = tmp_path / "bare.jsonl"
    file.write_text("\n".join(json.dumps({"text": text}) for text in toy_corpus.texts), encoding="utf-8")
    code, found = call("evaluate", "--embeddings", str(vectors), "--corpus", str(file), "--post", "whiten")
    assert code == 0 and found["metrics"] == {"knn": None} and found["warnings"][0]["code"] == "W-NO-LABELS"
    assert found["post"]["whiten"] == {"knn": None, "texts": 120, "left_out": 0, "remarks": [], "components": 8}


def test_a_runs_steps_are_kept_as_the_page_measures_them(call, token_run):
    """So the page does not offer to measure them again."""
    told = ("evaluate", "--run", token_run.id, "--metrics", "knn")
    call(*told, "--post", "flow", "--set", "post.flow.epochs=2")
    assert "post" not in Evaluations(token_run.path).all(), "by other settings than the page's"
    found = call(*told, "--post", "centre,whiten")[1]["post"]
    kept = Evaluations(token_run.path).all()["post"]
    assert set(kept) == {"raw", "centre", "whiten"}
    assert found["whiten"]["knn"]["value"] == kept["whiten"]["after"]["knn"]["euclidean"]["value"]
    asked = {"run": token_run.id, "post": ["centre", "whiten"]}
    TASKS["evaluate"].run(create_run("evaluate", asked), TASKS["evaluate"].read(asked), lambda *said: None)
    assert Evaluations(token_run.path).all()["post"] == kept


MISTAKES = {
    "an unknown step": (["--post", "whitn"], "'whiten'"),
    "a setting of a step that is not asked for": (["--post", "centre", "--set", "post.flow.epochs=2"], "post.flow"),
    "a setting that is not a step's": (["--post", "flow", "--set", "epochs=2"], "post.flow.epochs=5"),
    "an unknown setting": (["--post", "flow", "--set", "post.flow.epoch=2"], "post.flow.epoch"),
    "a value out of range": (["--post", "flow", "--set", "post.flow.epochs=0"], "greater than or equal to 1"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_exits_2_with_one_sentence(call, toy_corpus, vectors, name):
    arguments, said = MISTAKES[name]
    code, found = call("evaluate", "--embeddings", str(vectors), "--corpus", toy_corpus.info.fingerprint, *arguments)
    assert code == 2 and said in found["error"]["message"]


def test_two_steps_cannot_make_one_file(call, vectors, tmp_path):
    code, found = call(
        "map", "--embeddings", str(vectors), "--post", "centre,flow", "--out", str(tmp_path / "m.parquet")
    )
    assert code == 2 and "one step" in found["error"]["message"]


def test_a_person_reads_a_line_a_metric_and_step(toy_corpus, vectors, capsys):
    told = [
        "evaluate",
        "--embeddings",
        str(vectors),
        "--corpus",
        toy_corpus.info.fingerprint,
        "--post",
        "centre",
        "--quiet",
    ]
    assert main(told) == 0
    joined, raw, head, line, *_ = capsys.readouterr().out.splitlines()
    assert joined == "Joined by row order: 120 of 120 texts."
    assert raw.startswith("knn: ") and head == "after centre" and line.startswith("  knn: ") and "cosine" in line


@pytest.mark.parametrize("command", ["evaluate", "embed", "map"])
def test_help_names_the_steps(command, capsys):
    with pytest.raises(SystemExit):
        main([command, "--help"])
    assert "whiten" in capsys.readouterr().out
