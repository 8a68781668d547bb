"""Exports in other formats: written once, loaded by everybody who should, and compared with the run's encoder."""

import io
import json
import zipfile

import numpy as np
import pytest
import torch
from doing import do
from safetensors.numpy import load_file
from safetensors.torch import save_file

from embedlab.cli import main
from embedlab.corpora.base import Draft, store_corpus
from embedlab.encoders.embed import embed
from embedlab.encoders.load import load_encoder
from embedlab.errors import EncoderError
from embedlab.progress import silent
from embedlab.report.exports import encoder_zip
from embedlab.tasks import onnx_export
from embedlab.tasks.onnx_export import REQUIREMENTS
from embedlab.tasks.smaller_encoder import compare

TEXTS = ["the star above the comet", "flour and butter", "a keel"]


def exported(run, format_: str, folder, capsys) -> tuple[dict, str]:
    """The JSON of the command, and the folder of what it wrote."""
    out = folder / "encoder.zip"
    assert main(["runs", "export", run.id, "--format", format_, "--out", str(out), "--json", "--quiet"]) == 0
    with zipfile.ZipFile(out) as archive:
        archive.extractall(folder)
    return json.loads(capsys.readouterr().out), folder / f"encoder-{run.id}-{format_}"


def test_fp16_is_what_numpy_rounds_to_and_our_own_door_admits_it(layered_run, tmp_path, capsys):
    result, folder = exported(layered_run, "fp16", tmp_path, capsys)
    full, half = (load_file(each / "model.safetensors") for each in (layered_run.encoder, folder))
    assert full.keys() == half.keys() and all(value.dtype == np.float16 for value in half.values())
    assert all(np.array_equal(half[name], full[name].astype(np.float16)) for name in full)
    one, two = (embed(load_encoder(str(each)), TEXTS) for each in (layered_run.encoder, folder))
    assert not np.array_equal(one, two)
    np.testing.assert_allclose(one, two, atol=3e-3)
    compared = result["compared"]
    assert 0.9999 < compared["cosine_lowest"] <= compared["cosine_mean"] <= 1 and compared["texts"] == 120
    assert compared["knn"]["low"] <= 0 <= compared["knn"]["high"]
    assert result["sentence"] in (folder / "README.md").read_text(encoding="utf-8")
    assert json.loads((folder / "config.json").read_text())["dtype"] == "float16"


@pytest.mark.parametrize("format_", ["fp16", "bf16"])
def test_sentence_transformers_reads_it(token_run, tmp_path, capsys, format_):
    sentence_transformers = pytest.importorskip("sentence_transformers")
    _, folder = exported(token_run, format_, tmp_path, capsys)
    ours = embed(load_encoder(str(folder)), TEXTS)
    theirs = sentence_transformers.SentenceTransformer(str(folder), device="cpu", local_files_only=True).encode(
        TEXTS, show_progress_bar=False, convert_to_tensor=True
    )
    cosines = torch.nn.functional.cosine_similarity(torch.from_numpy(ours), theirs.float().cpu())
    assert float(cosines.min()) > 0.999


def test_weights_that_fp16_cannot_hold_are_refused_and_bf16_takes_them(token_run, tmp_path, capsys):
    file = token_run.encoder / "model.safetensors"
    weights = {name: torch.from_numpy(value) for name, value in load_file(file).items()}
    save_file({name: value.clone().index_fill_(0, torch.tensor([5]), 1e5) for name, value in weights.items()}, file)
    facts = json.loads((token_run.encoder / "embedlab.json").read_text())
    (token_run.encoder / "embedlab.json").write_text(json.dumps({**facts, "weights_sha256": None}))
    out = str(tmp_path / "encoder.zip")
    assert main(["runs", "export", token_run.id, "--format", "fp16", "--out", out, "--json"]) == 2
    error = json.loads(capsys.readouterr().out)["error"]
    assert error["code"] == "E-EXPORT-RANGE" and "65,504" in error["message"]
    exported(token_run, "bf16", tmp_path, capsys)


def test_without_labels_cosines_alone_are_compared_and_zero_vectors_have_none(token_run):
    texts = [*TEXTS * 4, "\u2603\u2603\u2603"]
    corpus = store_corpus(Draft(name="bare", source="toy", texts=texts))
    encoder = load_encoder(str(token_run.encoder))
    with torch.no_grad():
        turned = load_encoder(str(token_run.encoder))
        turned.embedding.weight.neg_()
    compared = compare(encoder, turned, corpus, lambda *_: None)
    vectors = embed(encoder, texts)
    assert compared.knn is None and compared.texts == int((np.linalg.norm(vectors, axis=1) > 0).sum())
    assert compared.cosine_lowest == pytest.approx(-1) and compared.cosine_mean == pytest.approx(-1)


def test_cut_dimensions_are_those_of_truncate_dim(token_run, tmp_path, capsys):
    """What sentence-transformers gives for ``truncate_dim``, read from the export; kNN accuracy is compared."""
    sentence_transformers = pytest.importorskip("sentence_transformers")
    out = tmp_path / "cut.zip"
    arguments = ["runs", "export", token_run.id, "--out", str(out), "--json", "--quiet"]
    assert main([*arguments, "--dimensions", "5"]) == 0
    result = json.loads(capsys.readouterr().out)
    with zipfile.ZipFile(out) as archive:
        archive.extractall(tmp_path)
    folder, how = tmp_path / f"encoder-{token_run.id}-5", {"device": "cpu", "local_files_only": True}
    theirs = sentence_transformers.SentenceTransformer(str(token_run.encoder), **how).encode(TEXTS, truncate_dim=5)
    np.testing.assert_allclose(embed(load_encoder(str(folder)), TEXTS), theirs, atol=1e-6)
    np.testing.assert_allclose(sentence_transformers.SentenceTransformer(str(folder), **how).encode(TEXTS), theirs)
    assert result["compared"]["cosine_mean"] is None and result["compared"]["knn"]["n"] > 0
    card = (folder / "README.md").read_text(encoding="utf-8")
    assert result["sentence"] in card and "It keeps the first 5 dimensions of each vector. kNN" in card
    with zipfile.ZipFile(io.BytesIO(encoder_zip(token_run, 5))) as archive:  # the page's download holds the same
        name = f"encoder-{token_run.id}/config_sentence_transformers.json"
        assert json.loads(archive.read(name)) == json.loads((folder / "config_sentence_transformers.json").read_text())
    assert main([*arguments, "--dimensions", "9999"]) == 2
    assert "Choose a number from 1 to" in capsys.readouterr().out
    assert main([*arguments, "--dimensions", "5", "--adapter", "separate"]) == 2


@pytest.mark.slow  # torch.onnx takes ten seconds and more to load and trace
@pytest.mark.parametrize("format_", ["onnx", "onnx-int8"])
def test_onnx_gives_the_vectors_of_the_run_and_is_not_loaded_again(layered_run, tmp_path, capsys, format_):
    onnxruntime = pytest.importorskip("onnxruntime", reason=f"onnxruntime is not installed: {REQUIREMENTS}")
    result, folder = exported(layered_run, format_, tmp_path, capsys)
    graph = onnxruntime.InferenceSession(folder / "onnx" / "model.onnx")
    encoder = load_encoder(str(layered_run.encoder))
    for texts in (TEXTS, TEXTS[1:2]):  # other numbers of texts and tokens than it was traced with
        tokens = encoder.collate(encoder.tokenize(texts))
        (hidden,) = graph.run(["last_hidden_state"], {name: value.numpy() for name, value in tokens.items()})
        vectors = encoder.pool(torch.from_numpy(hidden), tokens).numpy()
        np.testing.assert_allclose(vectors, embed(encoder, texts), atol=1e-4 if format_ == "onnx" else 0.1)
    assert result["compared"]["cosine_lowest"] > (0.999999 if format_ == "onnx" else 0.99)
    assert (result["compared"]["difference"] < 1e-5) == (format_ == "onnx")
    assert not list(folder.rglob("*.safetensors")) and (folder / "1_Pooling" / "config.json").is_file()
    card = (folder / "README.md").read_text(encoding="utf-8")
    assert result["sentence"] in card and 'backend="onnx"' in card and "does not load again" in card
    with pytest.raises(EncoderError, match="ONNX files only"):
        load_encoder(str(folder))


@pytest.mark.slow  # as above
def test_a_graph_of_t5_is_traced_by_its_plain_attention(tmp_path):
    """What torch's own gives it is a view that the exporter refuses."""
    pytest.importorskip("onnxruntime", reason=f"onnxruntime is not installed: {REQUIREMENTS}")
    from tiny_models import hub_folder

    encoder = load_encoder(str(hub_folder(tmp_path / "hub", "t5", TEXTS)))
    encoder.save(tmp_path / "graph")
    texts = [*TEXTS, "the star above the comet and the keel below the flour " * 3]  # longer than those traced
    np.testing.assert_allclose(
        embed(onnx_export.as_onnx(tmp_path / "graph", "onnx", silent), texts), embed(encoder, texts), atol=1e-4
    )


def test_onnx_of_a_token_layer_and_without_its_packages_is_refused(
    token_run, layered_run, tmp_path, monkeypatch, capsys
):
    def refusal(run) -> dict:
        assert main(["runs", "export", run.id, "--format", "onnx", "--out", str(tmp_path / "x.zip"), "--json"]) == 2
        return json.loads(capsys.readouterr().out)["error"]

    monkeypatch.setattr(onnx_export, "find_spec", lambda name: None if name == "onnxscript" else object())
    assert "of which onnxscript cannot be found" in refusal(layered_run)["message"]
    monkeypatch.setattr(onnx_export, "find_spec", lambda name: object())
    assert "table of token vectors" in refusal(token_run)["message"]


def test_a_graph_that_gives_other_vectors_is_not_exported(layered_run, tmp_path, monkeypatch, capsys):
    def turned(folder, *_):
        encoder = load_encoder(str(folder))
        with torch.no_grad():
            next(encoder.model.parameters()).mul_(1.01)
        return encoder

    monkeypatch.setattr("embedlab.tasks.smaller_encoder.as_onnx", turned)
    out = tmp_path / "encoder.zip"
    assert main(["runs", "export", layered_run.id, "--format", "onnx", "--out", str(out), "--json"]) == 2
    assert "but differs by" in json.loads(capsys.readouterr().out)["error"]["message"] and not out.exists()


def test_a_job_writes_the_same_file(token_run):
    job = do("export_encoder", {"run": token_run.id, "format": "fp16"})
    assert zipfile.ZipFile(job.path / "encoder.zip").testzip() is None
    assert json.loads(job.result.read_text())["format"] == "fp16"
