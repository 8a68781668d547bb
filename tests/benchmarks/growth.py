"""How cost grows with the number of texts: seconds and peak memory of each piece of work.  ``[1000,10000,100000]``

python -m tests.benchmarks.growth 1000,10000,100000 [--only tsne,umap] [--keep FOLDER] [--picture FILE.png]

Every measurement has a process of its own, which first does the same with a few texts, so that neither imports nor
compiling count; its peak memory holds both. What was measured is kept in ``FOLDER/measured.json``, and the next call
goes on from there; to measure a piece anew, delete its lines. Printed is a Markdown table with the exponent of each
piece: the slope, by least squares, of log seconds over log texts.

Texts: drawn with replacement from ``docs`` (seed 0). Each keeps its sentences and the last word of each; of the other
words a random four fifths are kept, in random order: no two texts are copies, and crops find sentences in them.
"""

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from tests.benchmarks.peak_memory import in_a_child, measured

PIECES = {
    "token": "embedding, `token`",
    "bert": "embedding, `scratch:bert-tiny`",
    "epoch": "an epoch of crops, `token`",
    "graph": "neighbor graph, k = 90",
    "tsne": "t-SNE, its graph there",
    "umap": "UMAP, its graph there",
}
NEEDS = {"token": (), "bert": (), "epoch": (), "graph": ("token",), "tsne": ("token", "graph"),
         "umap": ("token", "graph")}  # fmt: skip
ENCODERS = {"token": "token", "bert": "scratch:bert-tiny"}
FEW = 500  # texts of the work that is not counted
THREADS = os.cpu_count() or 1
KEPT_SHARE = 0.8


class Kept:
    """What of each number of texts lies in the folder."""

    def __init__(self, folder: Path, texts: int):
        self.corpus = folder / f"corpus-{texts}.json"
        self.vectors = folder / f"vectors-{texts}.npy"
        self.graph = folder / f"graph-{texts}"

    def has(self, piece: str) -> bool:
        """Whether what a later piece reads of this one is there."""
        return {"token": self.vectors, "graph": self.graph}[piece].exists()


def make_corpus(texts: int, kept: Kept) -> dict:
    """Store the varied texts; their fingerprint."""
    import numpy as np

    from embedlab.corpora import load_corpus
    from embedlab.corpora.base import Draft, store_corpus
    from embedlab.store_root import write_json

    docs, rng = load_corpus("docs"), np.random.default_rng(0)
    drawn = docs.kept[rng.integers(len(docs.kept), size=texts)]
    varied_texts = [varied(docs.texts[row], rng) for row in drawn]
    corpus = store_corpus(Draft(f"docs, {texts:,} varied", "growth", varied_texts, [docs.labels[row] for row in drawn]))
    write_json(kept.corpus, {"fingerprint": corpus.fingerprint})
    return {"texts": len(corpus.kept)}


def varied(text: str, rng) -> str:
    """Four fifths of the words of each sentence in another order; its last word stays."""
    from embedlab.sentences import sentences

    said = []
    for sentence in sentences(text):
        *words, last = sentence.split() or [""]
        order = rng.permutation(len(words))[: math.ceil(KEPT_SHARE * len(words))]
        said.append(" ".join([*(words[place] for place in order), last]))
    return " ".join(said)


def work_of(piece: str, kept: Kept) -> tuple[Callable, Callable]:
    """The piece as a function of how many texts (None: all), and what keeps its outcome for the next piece."""
    import numpy as np

    from embedlab.neighbors import NeighborGraph, neighbor_graph

    if piece in ENCODERS:
        from embedlab.encoders.embed import embed
        from embedlab.encoders.load import load_encoder

        corpus = corpus_of(kept)
        encoder = load_encoder(ENCODERS[piece], corpus=corpus, seed=0)
        keep = (lambda found: np.save(kept.vectors, found)) if piece == "token" else nothing
        return lambda count: embed(encoder, corpus.texts[:count]), keep
    if piece == "epoch":
        return epoch_of(corpus_of(kept)), nothing
    vectors = np.load(kept.vectors, mmap_mode="r")
    if piece == "graph":
        return lambda count: neighbor_graph(vectors[:count]), lambda graph: graph.save(kept.graph)
    from embedlab.maps import MAPS

    method, graph = MAPS[piece], NeighborGraph.load(kept.graph)

    def laid_out(count):
        near = graph if count is None else neighbor_graph(vectors[:count])
        return method.lay_out(vectors[:count], near, method.config_class(), threads=THREADS)

    return laid_out, nothing


def nothing(found) -> None:
    """No later piece reads it."""


def corpus_of(kept: Kept):
    """The stored corpus of that many texts."""
    from embedlab.corpora.base import open_corpus

    return open_corpus(json.loads(kept.corpus.read_text(encoding="utf-8"))["fingerprint"])


def epoch_of(corpus) -> Callable:
    """An epoch of the recipe at its defaults, over the rows from the first on."""
    import torch

    from embedlab.config import validated
    from embedlab.tasks.fine_tune.opening import load_for
    from embedlab.training.batches import Batches
    from embedlab.training.loop import train
    from embedlab.training.settings import RunSettings

    asked = {"corpus": corpus.fingerprint, "encoder": "token", "recipe": "crops"}
    settings = validated(RunSettings, asked)
    encoder = load_for(settings, corpus, lambda *said: None)

    def trained(count) -> int:
        torch.manual_seed(settings.seed)
        batches = Batches(
            augmentation=settings.make_augmentation(corpus, corpus.kept[:count].tolist()),
            encoder=encoder,
            batch_size=settings.batch_size,
            seed=settings.seed,
            max_length=settings.training_length,
        )
        steps, objective = batches.per_epoch, settings.make_objective(encoder)
        optimiser = settings.make_optimiser(encoder, objective, per_epoch=steps, steps=steps)
        common = {"encoder": encoder, "objective": objective, "optimiser": optimiser, "batches": batches}
        for _ in train(**common, first=0, last=steps, device="cpu", precision="fp32"):
            pass
        return steps

    return trained


def child(piece: str, texts: str, folder: str) -> dict:
    """One measurement: the seconds of the whole, without the few texts before it."""
    kept = Kept(Path(folder), int(texts))
    if piece == "corpus":
        return make_corpus(int(texts), kept)
    work, keep = work_of(piece, kept)
    if int(texts) > FEW:
        work(FEW)
    began = time.perf_counter()
    found = work(None)
    seconds = time.perf_counter() - began
    keep(found)
    return {"work": round(seconds, 3), **({"steps": found} if piece == "epoch" else {})}


def measure(sizes: list[int], pieces: list[str], folder: Path) -> dict[str, dict[str, dict]]:
    """``{piece: {texts: {seconds, gigabytes}}}``, kept after every measurement; what is kept is not measured again."""
    from embedlab.store_root import write_json

    file = folder / "measured.json"
    known = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    for texts in sizes:
        kept = Kept(folder, texts)
        needed = [need for piece in pieces for need in NEEDS[piece] if not kept.has(need)]
        for piece in [piece for piece in PIECES if piece in pieces or piece in needed]:
            if str(texts) in known.get(piece, {}) and piece not in needed:
                continue
            if not kept.corpus.exists():
                in_a_child(__file__, "corpus", texts, folder)
            try:
                found = in_a_child(__file__, piece, texts, folder)
            except subprocess.CalledProcessError as error:
                print(f"{PIECES[piece]}, {texts:,} texts: ended with code {error.returncode}", file=sys.stderr)
                continue
            steps = {"steps": found["steps"]} if "steps" in found else {}
            known.setdefault(piece, {})[str(texts)] = {
                "seconds": found["work"],
                "gigabytes": found["gigabytes"],
                **steps,
            }
            write_json(file, known)
            print(f"{PIECES[piece]}, {texts:,} texts: {found['work']:.1f} s", file=sys.stderr)
    return known


def exponent(of: dict[str, dict]) -> float | None:
    """The slope of log seconds over log texts, by least squares; None with fewer than two sizes."""
    points = [(math.log(int(texts)), math.log(found["seconds"])) for texts, found in of.items()]
    if len(points) < 2:
        return None
    middle = [sum(values) / len(points) for values in zip(*points, strict=True)]
    across = sum((x - middle[0]) ** 2 for x, _ in points)
    return sum((x - middle[0]) * (y - middle[1]) for x, y in points) / across


def table(known: dict, sizes: list[int]) -> str:
    """Markdown: one line a piece."""
    lines = [f"| | {' | '.join(f'{texts:,} texts' for texts in sizes)} | exponent |", "|---" * (len(sizes) + 2) + "|"]
    for piece, title in PIECES.items():
        of = {str(texts): known[piece][str(texts)] for texts in sizes if str(texts) in known.get(piece, {})}
        if of:
            slope = exponent(of)
            cells = [cell(of.get(str(texts))) for texts in sizes]
            lines.append(f"| {title} | {' | '.join(cells)} | {'–' if slope is None else f'{slope:.2f}'} |")
    return "\n".join(lines)


def cell(found: dict | None) -> str:
    """``12 s, 0.9 GB``, the steps of an epoch beside it."""
    if found is None:
        return "–"
    steps = f" ({found['steps']:,} steps)" if "steps" in found else ""
    return f"{found['seconds']:.3g} s{steps}, {found['gigabytes']:.2f} GB"


def draw(known: dict, sizes: list[int], path: Path) -> None:
    """Seconds over texts, both logarithmic, the name and the exponent at the end of each line."""
    from matplotlib.figure import Figure

    from embedlab.figures.frame import apart
    from embedlab.figures.print_type import printing
    from embedlab.palette import GRID, GROUND, QUIET_INK, categorical, shade, text_shade

    titles = {piece: title.replace("`", "") for piece, title in PIECES.items() if piece in known}
    quiet, grid = shade(QUIET_INK, False), shade(GRID, False)
    with printing([*titles.values()]):
        figure = Figure(figsize=(7.5, 4.6), facecolor=shade(GROUND, False))
        axes = figure.add_axes((0.1, 0.13, 0.52, 0.8), frameon=False)
        axes.set(xscale="log", yscale="log")
        ends = []
        for (piece, title), colour in zip(titles.items(), categorical(len(titles)), strict=True):
            of = {texts: known[piece][str(texts)]["seconds"] for texts in sizes if str(texts) in known[piece]}
            if not of:
                continue
            slope = exponent({str(texts): {"seconds": seconds} for texts, seconds in of.items()})
            axes.plot(of.keys(), of.values(), color=shade(colour, False), linewidth=2, marker="o", markersize=5)
            name = title if slope is None else f"{title}: {slope:.2f}"
            ends.append((list(of.values())[-1], name, text_shade(colour, False)))
        axes.grid(color=grid, linewidth=0.6)
        axes.tick_params(colors=quiet, which="both", length=0)
        axes.minorticks_off()
        axes.set_xticks(sizes, [f"{texts:,}" for texts in sizes])
        axes.yaxis.set_major_formatter(lambda seconds, _: f"{seconds:,g}")
        axes.set_xlabel("texts", color=quiet)
        axes.set_ylabel("seconds", color=quiet)
        wanted = [axes.transAxes.inverted().transform(axes.transData.transform((1, end[0])))[1] for end in ends]
        for (seconds, name, colour), place in zip(ends, apart(wanted, 0.06), strict=True):
            axes.annotate(
                name, (max(sizes), seconds), (1.06, place), textcoords="axes fraction", color=colour, va="center",
                fontsize=9, arrowprops={"arrowstyle": "-", "color": grid, "linewidth": 0.8, "relpos": (0, 0.5)},
            )  # fmt: skip
        figure.savefig(path, dpi=150)


def main() -> None:
    """Read what is asked, measure what is not known, print the table, draw the picture."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sizes", nargs="?", default="1000,10000,100000")
    parser.add_argument("--only", default=",".join(PIECES), help="some of " + ",".join(PIECES))
    parser.add_argument("--keep", type=Path, default=Path(tempfile.gettempdir()) / "embedlab-growth")
    parser.add_argument("--picture", type=Path)
    asked = parser.parse_args()
    pieces, sizes = asked.only.split(","), sorted(int(texts) for texts in asked.sizes.split(","))
    if unknown := set(pieces) - set(PIECES):
        parser.error(f"there is no piece {', '.join(sorted(unknown))}; choose from {', '.join(PIECES)}")
    asked.keep.mkdir(parents=True, exist_ok=True)
    os.environ["EMBEDLAB_HOME"] = str(asked.keep / "store")
    known = measure(sizes, pieces, asked.keep.resolve())
    print(table(known, sizes))
    if asked.picture is not None:
        draw(known, sizes, asked.picture)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        measured(lambda: child(*sys.argv[2:]))
    else:
        main()
