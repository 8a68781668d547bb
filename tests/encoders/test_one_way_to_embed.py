"""Texts become vectors in one place, ``embedlab.encoders.embed``: every page, command and notebook goes through it."""

import ast
from pathlib import Path

import numpy as np
import pytest
import torch
from doing import do
from tiny_models import hub_folder, tiny_encoder

import embedlab
import embedlab.api as el
from embedlab.api.run import OwnEncoder
from embedlab.distance import DISTANCES
from embedlab.encoders.folder_format import IDENTITY, Dense, Normalize
from embedlab.encoders.load import load_encoder
from embedlab.metrics.knn import knn_by_both
from embedlab.progress import silent
from embedlab.runs.predictions import folds_of
from embedlab.runs.result import read_result
from embedlab.tasks.encoders import encoder_of_run
from embedlab.tasks.measure.diagnose import encoder_loaders, looked_at
from embedlab.tasks.measure.embedded import embed_aside, load_embeddings
from embedlab.tasks.measure.layers import layers_of_run
from embedlab.tasks.measure.subjects import OneEncoder, RunState
from embedlab.tasks.questions import embedded

PACKAGE = Path(embedlab.__file__).parent
INNER = {"collate", "hidden_states", "token_vectors", "read_out", "read_out_below", "after_pooling"}  # of an encoder
READERS = {
    "encoders/embed.py": "the one place",
    "encoders/parts.py": "views of a training batch",
    "encoders/transformer.py": "what an encoder is",
    "encoders/folder_format.py": "writes the modules",
    "diagnostics/attention_gain.py": "attention weights, not vectors",
    "tasks/onnx_export.py": "traces the graph",
}
TRAINING = ("objectives/", "training/")  # they read batches with gradients


def reads_an_encoder(node: ast.AST) -> bool:
    """Return whether this calls an encoder, or a part of it below ``embed``."""
    if isinstance(node, ast.Attribute):
        return node.attr in INNER
    if not isinstance(node, ast.Call):
        return False
    name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
    return name in ("encoder", "_encoder") and len(node.args) == 1


def test_no_other_file_reads_an_encoder_below_embed():
    """A new one embeds by ``embed``, ``embed_tokens`` or ``embed_layers``, or says here why it cannot."""
    found = set()
    for file in PACKAGE.rglob("*.py"):
        name = file.relative_to(PACKAGE).as_posix()
        tree = ast.parse(file.read_text(encoding="utf-8"))
        if not name.startswith(TRAINING) and any(map(reads_an_encoder, ast.walk(tree))):
            found.add(name)
    assert found == set(READERS)


def dense() -> Dense:
    torch.manual_seed(0)
    return Dense(16, 12, bias=True, activation=IDENTITY)


@pytest.fixture(params=["plain", "normalized", "dense", "decoder"])
def run(request, toy_corpus, tmp_path):
    """A run of two steps with an encoder of this kind."""
    folder, texts = tmp_path / "encoder", list(toy_corpus.texts)
    if request.param == "decoder":
        hub_folder(folder, "qwen3", texts, pooling="lasttoken")
    else:
        after = {"plain": [], "normalized": [Normalize()], "dense": [dense(), Normalize()]}[request.param]
        tiny_encoder(texts, after_pooling=after).save(folder)
    settings = {"corpus": toy_corpus.fingerprint, "encoder": str(folder), "recipe": "crops", "max_steps": 2}
    return do("train", {**settings, "batch_size": 8, "maps": False, "live_texts": 0})


def test_every_page_embeds_a_text_as_the_run_did(run, toy_corpus):
    texts, stored = list(toy_corpus.texts), np.array(load_embeddings(run, "after"))
    encoder = encoder_of_run(run, "after")
    view = looked_at({"after": (lambda: encoder, None)}, toy_corpus, silent)["after"]
    pages = {
        "Diagnostics, its texts": view.vectors,
        "Diagnostics, other texts": view.embed(texts),
        "Layers": view.layers(np.arange(len(texts)), [encoder.pooling])[encoder.pooling][-1],
        "Neighbors and Map": embedded(encoder, texts),
        "Scores": RunState(run, "after", silent).embed(texts),
        "command line": OneEncoder(load_encoder(str(run.encoder)), silent, "fp32").rows(toy_corpus),
        "runs": embed_aside(encoder, toy_corpus, device="cpu", progress=silent, name="these"),
        "api, run": el.embed(el.open_run(run.id), texts, progress=False),
        "api, encoder": OwnEncoder(run).encode(texts),
    }
    for page, vectors in pages.items():
        np.testing.assert_allclose(vectors, stored, atol=1e-5, err_msg=page)


def test_recomputed_layers_predict_what_the_result_says(run, toy_corpus):
    """Both distances, before and after; the numbers of *Layers* are those of the result to the last bit."""
    loaders = {state: (load, None) for state, (load, _) in encoder_loaders(run).items()}
    for state, view in looked_at(loaders, toy_corpus, silent, of=run).items():
        vectors = view.layers(np.arange(toy_corpus.info.rows), [view.encoder.pooling])[view.encoder.pooling][-1]
        found = knn_by_both(embeddings=vectors, labels=toy_corpus.labels, splits=view.folds)
        for distance in DISTANCES:
            predicted = folds_of(run, distance)
            assert found.by(distance).test_rows.tolist() == predicted.rows.tolist()
            assert found.by(distance).predictions.tolist() == getattr(predicted, state).tolist()
    curves, folds = layers_of_run(run, silent), read_result(run).folds
    last = max((row for row in curves.layers if row.pooling == curves.pooling), key=lambda row: row.layer)
    for state, result in last.results.items():
        for distance in DISTANCES:
            assert result.knn.by(distance).value == getattr(folds, state).by(distance).value
