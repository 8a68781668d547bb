"""Test your reading: one experiment on a run's own texts, with four maps of at most 2,000 of them."""

from dataclasses import asdict

import numpy as np

from embedlab.corpora.base import open_corpus
from embedlab.errors import CorpusError, UserError
from embedlab.jobs.requests.drawing import DrawLab
from embedlab.maps.lab import EXPERIMENTS, TEXTS, four_maps, stratified
from embedlab.progress import Progress
from embedlab.runs.drawn_map import rows_to_draw, write_four_maps
from embedlab.runs.folder import RunFolder
from embedlab.runs.label_lineage import saw_labels
from embedlab.runs.store import fingerprint_of, open_run
from embedlab.store_root import write_json
from embedlab.tasks.draw.drawing import threads
from embedlab.tasks.measure.embedded import load_embeddings
from embedlab.vectors.exact import usable
from embedlab.vectors.files import taken

FEWEST = 30


def run(folder: RunFolder, request: DrawLab, progress: Progress) -> None:
    """Writes a folder of ``lab`` into the run's folder."""
    drawn, side, experiment = open_run(request.run), request.side, request.experiment
    if experiment not in EXPERIMENTS:
        names = ", ".join(EXPERIMENTS)
        raise UserError(
            "E-EXPERIMENT", f"The experiment must be one of {names}, but found {experiment!r}. Choose one of them."
        )
    corpus = open_corpus(fingerprint_of(drawn))
    embeddings, rows = load_embeddings(drawn, side), rows_to_draw(corpus)
    placed = rows[usable(taken(embeddings, rows))]
    if len(placed) < FEWEST:
        raise CorpusError(
            "E-FEW-TEXTS",
            f"These experiments need at least {FEWEST} texts with a vector, but found {len(placed)}. Add texts.",
        )
    rows = stratified(corpus.labels, placed, size=request.texts or TEXTS)
    labels = None if corpus.labels is None or saw_labels(drawn, side) else corpus.labels[rows]  # for ten folds
    vectors = np.asarray(embeddings[rows])
    four = four_maps(experiment, vectors, rows, labels, of=len(placed), progress=progress, threads=threads())
    write_four_maps(drawn, side, experiment, four)
    write_json(folder.result, {"run": drawn.id, "side": side, "experiment": experiment, **asdict(four.facts)})
