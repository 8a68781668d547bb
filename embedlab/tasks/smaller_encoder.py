"""A run's encoder in another format (half precision, ONNX, int8) or with fewer dimensions, compared with the run's."""

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.torch import load_file, save_file

from embedlab.corpora.base import Corpus, open_corpus
from embedlab.distance import COSINE
from embedlab.encoder_catalog.facts import read_saved_facts
from embedlab.encoders.embed import embed
from embedlab.encoders.encoder import Encoder
from embedlab.encoders.load import load_encoder
from embedlab.errors import UnfitError
from embedlab.jobs.requests.drawing import Comparison, ExportedEncoder
from embedlab.metrics.knn import knn_accuracy
from embedlab.metrics.split import Split
from embedlab.numbers import counted
from embedlab.progress import Progress
from embedlab.report.exports import cut_files, require_encoder, zip_folder
from embedlab.report.model_card import CARD, model_card
from embedlab.runs.folder import RunFolder
from embedlab.runs.store import fingerprint_of
from embedlab.scratch import scratch_folder
from embedlab.statistics.intervals import paired_shares
from embedlab.store_root import read_json, write_json
from embedlab.tasks.measure.embedded import labels_of, split_of
from embedlab.tasks.onnx_export import ONNX_FORMATS, as_onnx, require_equal

FORMATS = {"fp16": torch.float16, "bf16": torch.bfloat16}
TEST_TEXTS, NEIGHBORS = 500, 1500  # of the run's corpus, at most, by which both encoders are compared


def write_smaller(
    run: RunFolder, out: Path, progress: Progress, *, format_: str | None = None, dimensions: int | None = None
) -> ExportedEncoder:
    """Write the encoder's folder as a ZIP, whose card holds the comparison too.

    ``format_``: of its weights; ``dimensions``: the first so many that it keeps of each vector.
    """
    require_encoder(run)
    corpus, cut = open_corpus(fingerprint_of(run)), cut_files(run, dimensions)
    with scratch_folder() as scratch:
        folder = scratch / "-".join(str(part) for part in ("encoder", run.id, format_, dimensions) if part is not None)
        shutil.copytree(run.encoder, folder, ignore=shutil.ignore_patterns("*.part"))
        for name, content in cut.items():
            write_json(folder / name, content)
        what = [] if dimensions is None else [f"It keeps the first {counted(dimensions, 'dimension')} of each vector."]
        onnx = None
        if format_ in ONNX_FORMATS:
            onnx = as_onnx(folder, format_, progress)
            how = "with weights of 8 bits" if format_ == "onnx-int8" else "in fp32"
            reads = "which sentence-transformers reads and embedlab does not load again"
            what.append(f"Its transformer is ONNX {how}, {reads}.")
        elif format_ is not None:
            progress(f"Rounding the weights to {format_}")
            _round_weights(folder, format_)
            what.append(f"Its weights are {format_}.")
        compared = compare(load_encoder(str(run.encoder)), onnx or load_encoder(str(folder)), corpus, progress)
        if format_ == "onnx":
            require_equal(compared.difference)
        backend = "torch" if onnx is None else "onnx"
        written = write_zip(run, folder, out, " ".join(what), compared, dimensions=dimensions, backend=backend)
    asked_for = {"format": format_, "dimensions": dimensions}
    return written.model_copy(update={name: value for name, value in asked_for.items() if value is not None})


def write_zip(run: RunFolder, folder: Path, out: Path, what: str, compared: Comparison, **card: Any) -> ExportedEncoder:
    """Pack a folder with its card, which says ``what`` it is and how it compares."""
    sentence = compared.sentence(what)
    (folder / CARD).write_text(model_card(run, remark=sentence, **card), encoding="utf-8")
    files, size = zip_folder(folder, out), out.stat().st_size
    return ExportedEncoder(run=run.id, out=str(out), files=files, bytes=size, compared=compared, sentence=sentence)


def _round_weights(folder: Path, format_: str) -> None:
    dtype = FORMATS[format_]
    for file in folder.rglob("*.safetensors"):
        weights = {name: each.to(dtype) if each.is_floating_point() else each for name, each in load_file(file).items()}
        if not all(bool(each.isfinite().all()) for each in weights.values()):
            raise UnfitError(
                "E-EXPORT-RANGE",
                f"{format_} holds numbers up to {torch.finfo(dtype).max:,.0f}, but {file.name} has larger ones. "
                "Choose bf16.",
            )
        save_file(weights, file, metadata={"format": "pt"})
    if (folder / "config.json").is_file() and (config := read_json(folder / "config.json")).get("dtype"):
        write_json(folder / "config.json", config | {"dtype": str(dtype).removeprefix("torch.")})
    rounded = read_saved_facts(folder).model_copy(update={"format": format_, "weights_sha256": None})
    rounded.write(folder)
    rounded.model_copy(update={"weights_sha256": load_encoder(str(folder)).weights_hash()}).write(folder)


def compare(full: Encoder, other: Encoder, corpus: Corpus, progress: Progress) -> Comparison:
    """Cosines of the two vectors of a text, and the change of kNN accuracy where there are labels.

    Over at most ``TEST_TEXTS`` texts of the test part among at most ``NEIGHBORS`` others, evenly spaced; without
    labels over as many texts of the corpus. Texts of which either encoder gives a zero vector have no cosine.
    """
    split, _ = split_of(corpus)
    if split is not None:
        split = Split(_some(split.train, NEIGHBORS), _some(split.test, TEST_TEXTS), copies=split.copies)
    rows = _some(corpus.kept, TEST_TEXTS + NEIGHBORS) if split is None else split.rows
    texts = list(corpus.texts.at(rows))
    progress(f"Comparing the vectors of {counted(len(texts), 'text')}")
    one, two = (embed(encoder, texts).astype(np.float64) for encoder in (full, other))
    lengths = np.linalg.norm(one, axis=1) * np.linalg.norm(two, axis=1)
    usable = lengths > 0
    both = one[:, : two.shape[1]]
    difference = float(np.abs(both - two).max(initial=0) / np.abs(both).max(initial=1e-12))
    compared = Comparison(int(usable.sum()), difference)
    if one.shape == two.shape and usable.any():
        cosines = (one * two).sum(axis=1)[usable] / lengths[usable]
        compared = replace(compared, cosine_lowest=float(cosines.min()), cosine_mean=float(cosines.mean()))
    if split is None:
        return compared
    labels, among = labels_of(corpus)[rows], split.among(rows)
    before, after = (
        knn_accuracy(embeddings=each, labels=labels, split=among, distance=COSINE).correct for each in (one, two)
    )
    return replace(compared, knn=paired_shares(before=before, after=after))


def _some(rows: np.ndarray, most: int) -> np.ndarray:
    return rows[:: max(1, -(-len(rows) // most))]
