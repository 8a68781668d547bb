"""Movement between two encoders of a corpus, stored in the run's folder: texts, groups, class neighbors."""

from contextlib import suppress
from dataclasses import asdict, dataclass

import numpy as np
import pyarrow as pa

from embedlab.corpora.base import Corpus, open_corpus
from embedlab.damage import read_model, read_table
from embedlab.encoders.encoder import Encoder
from embedlab.errors import RunError
from embedlab.limits import LIMITS
from embedlab.measurement import share_error
from embedlab.metrics.movement import (
    NEAREST,
    NO_CLASS,
    above,
    class_effect,
    class_links,
    group_moves,
    movement,
    nearest_others,
    related_order,
    same_class,
)
from embedlab.progress import Progress
from embedlab.runs.drawn_map import UNTOUCHED, rows_to_draw
from embedlab.runs.folder import RunFolder
from embedlab.runs.label_lineage import labels_read_of_run
from embedlab.runs.map_readings import LabelsRead, MovesFacts, NoiseFloor, Share
from embedlab.runs.store import differ_only_in_seed, fingerprint_of, open_run
from embedlab.store_root import UnreadableFile, write_json
from embedlab.table_files import write_parquet
from embedlab.tasks.draw.drawing import graph_of
from embedlab.tasks.draw.noise_floor import floor_of_precision, floor_of_seeds
from embedlab.tasks.measure.embedded import embeddings_of

OTHERS = "other classes"
UNLABELED = "no label"


@dataclass(frozen=True)
class RunEncoder:
    """One of the two encoders: its run, and which of the run's embeddings."""

    run: RunFolder
    name: str

    @property
    def has_embeddings(self) -> bool:
        """False for a run imported as coordinates."""
        return self.run.embeddings(self.name).exists()


def sides_of(drawn: RunFolder, against: str) -> tuple[RunEncoder, RunEncoder]:
    """Left: the run's own before, or another run's after; right: the run's after."""
    if against == UNTOUCHED:
        left = RunEncoder(drawn, "before")
    else:
        left = RunEncoder(open_run(against), "after")
        if fingerprint_of(left.run) != fingerprint_of(drawn):
            raise RunError(
                "E-OTHER-CORPUS",
                f"Movement compares two runs on the same texts, but {against} and {drawn.id} have different corpora. "
                "Choose a run on the same corpus.",
            )
    return left, RunEncoder(drawn, "after")


def drawn_embeddings(side: RunEncoder, corpus: Corpus) -> np.ndarray:
    """(texts, dim), one per drawn row; they stay on disk if these are all rows."""
    return embeddings_of(side.run, side.name, rows_to_draw(corpus))


def write_moves(drawn: RunFolder, against: str, progress: Progress) -> MovesFacts:
    """Measure movement and store it: a table of texts, a table of classes, and the facts, which are returned."""
    corpus = open_corpus(fingerprint_of(drawn))
    rows = rows_to_draw(corpus)
    progress("Looking for copies")
    copies = corpus.copies[rows]
    sides, near = sides_of(drawn, against), []
    for side in sides:
        graph = graph_of(side.run, side.name, drawn_embeddings(side, corpus), progress)
        near.append(nearest_others(graph.indices, copies))
    before, after = near
    progress("Comparing the neighbors")
    moved = movement(before=before, after=after)
    names, classes = [each.label for each in corpus.info.classes], corpus.class_numbers[rows]
    read = labels_read_of_run(sides[0].run, sides[0].name) | labels_read_of_run(sides[1].run, sides[1].name)
    was_read = read.in_corpus(corpus, rows)
    compared_classes = classes if len(names) > 1 else np.full_like(classes, NO_CLASS)  # a single class is nobody's gain
    same_before, same_after = (_of_unread(same_class(near, compared_classes), was_read) for near in (before, after))
    effect = class_effect(same_before=same_before, same_after=same_after)
    if against != UNTOUCHED and differ_only_in_seed(drawn, sides[0].run):
        floor = floor_of_seeds(moved)
    else:
        base = before if against == UNTOUCHED else _untouched(drawn, corpus, copies, progress)
        floor = _floor(drawn, corpus, copies, base, progress)
    raised = above(moved, floor.value)
    texts = {
        "id": pa.array(rows, pa.int64()),
        "movement": pa.array(moved, pa.float32(), from_pandas=True),
        "class_effect": pa.array(effect, pa.float32(), from_pandas=True),
        "same_before": pa.array(same_before, pa.int8(), mask=same_before < 0),
        "same_after": pa.array(same_after, pa.int8(), mask=same_after < 0),
        "above": pa.array(raised),
        "nearest_before": _lists(before, rows),
        "nearest_after": _lists(after, rows),
    }
    write_parquet(drawn.moves(against), pa.table(texts))
    _write_classes(drawn, against, names, classes, *(_of_unread(near, was_read) for near in (before, after)))
    clusters = sides[0].run.clusters(sides[0].name)
    groups = np.full(len(moved), NO_CLASS)
    if clusters.exists():
        groups = read_table(clusters, ["cluster"]).column(0).to_numpy()
    has_neighbors, labelled = np.isfinite(moved), np.isfinite(effect)
    facts = MovesFacts(
        run=drawn.id,
        against=against,
        texts=len(moved),
        neighbors=NEAREST,
        floor=floor,
        labels_read=_labels_read(was_read) if read.saw_labels else None,
        median=float(np.median(moved[has_neighbors])) if has_neighbors.any() else None,
        mean=float(moved[has_neighbors].mean()) if has_neighbors.any() else None,
        moved=_share(raised, has_neighbors),
        helped=_share(raised & (effect > 0), labelled),
        hurt=_share(raised & (effect < 0), labelled),
        class_effect=float(effect[labelled].mean()) if labelled.any() else None,
        classes=group_moves(moved=moved, effect=effect, is_above=raised, groups=compared_classes, names=names),
        clusters=group_moves(moved=moved, effect=effect, is_above=raised, groups=groups),
        clusters_of=(sides[0].run.id, sides[0].name),
    )
    write_json(drawn.moves_facts(against), asdict(facts))
    return facts


def floor_before(drawn: RunFolder, corpus: Corpus, progress: Progress, reader: Encoder | None = None) -> None:
    """Measure the noise floor with the untouched encoder, which needs nothing of the map, and store it.

    ``reader``: the trained encoder, whose token ids the untouched one can use.
    """
    copies = corpus.copies[rows_to_draw(corpus)]
    _floor(drawn, corpus, copies, _untouched(drawn, corpus, copies, progress), progress, reader)


def _floor(
    drawn: RunFolder,
    corpus: Corpus,
    copies: np.ndarray,
    before: np.ndarray,
    progress: Progress,
    reader: Encoder | None = None,
) -> NoiseFloor:
    """The floor stored since the untouched embeddings were written, otherwise measured and, if known, stored."""
    file, source = drawn.noise_floor, drawn.embeddings("before")
    if file.exists() and source.exists() and file.stat().st_mtime_ns >= source.stat().st_mtime_ns:
        with suppress(UnreadableFile):  # else it is measured again
            return read_model(file, NoiseFloor)
    floor = floor_of_precision(drawn, corpus, copies, before, progress, reader)
    if floor.value is not None:
        write_json(file, asdict(floor))
    return floor


def _of_unread(counted: np.ndarray, was_read: np.ndarray) -> np.ndarray:
    """Leaves out the class of texts whose label trained one of the encoders. (texts, …)"""
    return np.where(was_read.reshape(-1, *[1] * (counted.ndim - 1)), np.array(-1, counted.dtype), counted)


def _labels_read(was_read: np.ndarray) -> LabelsRead:
    left = int((~was_read).sum())
    return LabelsRead(
        int(was_read.sum()),
        f"Trained with labels: whether a move helped its class is only reported for the {left:,} texts whose labels "
        "were not used.",
    )


def _untouched(drawn: RunFolder, corpus: Corpus, copies: np.ndarray, progress: Progress) -> np.ndarray:
    if not drawn.embeddings("before").exists():
        return np.full((len(copies), NEAREST), -1, np.int32)
    graph = graph_of(drawn, "before", drawn_embeddings(RunEncoder(drawn, "before"), corpus), progress)
    return nearest_others(graph.indices, copies)


def _share(which: np.ndarray, among: np.ndarray) -> Share:
    """The share of some texts among others.  2 x (texts,) bool"""
    total = int(among.sum())
    share = float(which[among].mean()) if total else None
    return Share(share, None if share is None else share_error(share, total), int(which[among].sum()), total)


def _lists(near: np.ndarray, drawn_rows: np.ndarray) -> pa.Array:
    """Neighbors as corpus rows, nearest first, -1 for none."""
    rows = np.where(near >= 0, drawn_rows[near], -1).astype(np.int32)
    return pa.FixedSizeListArray.from_arrays(pa.array(rows.ravel()), near.shape[1])


def _write_classes(
    drawn: RunFolder, against: str, names: list[str], classes: np.ndarray, before: np.ndarray, after: np.ndarray
) -> None:
    """Class neighbors as counts: columns ``class neighbor before after``, related classes adjacent.

    Of very many classes the largest have a row of their largest; texts without a label are a class like others.
    """
    path = drawn.class_neighbors(against)
    if not names:
        path.unlink(missing_ok=True)
        return
    largest = names[: LIMITS.class_matrix]
    codes = np.where(classes >= len(largest), len(largest), classes)
    matrix_names = [*largest, OTHERS] if len(names) > len(largest) else list(largest)
    if (classes == NO_CLASS).any():
        codes, matrix_names = np.where(classes == NO_CLASS, len(matrix_names), codes), [*matrix_names, UNLABELED]
    count = len(matrix_names)
    both = [class_links(near, codes, count) for near in (before, after)]
    order = np.concatenate([related_order(both[0][: len(largest), : len(largest)]), np.arange(len(largest), count)])
    both = [links[np.ix_(order, order)] for links in both]
    labels = pa.array([matrix_names[number] for number in order])
    table = {
        "class": labels.take(pa.array(np.repeat(np.arange(count), count))),
        "neighbor": labels.take(pa.array(np.tile(np.arange(count), count))),
        "own": pa.array(np.repeat(order < len(largest), count)),
        "before": pa.array(both[0].ravel()),
        "after": pa.array(both[1].ravel()),
    }
    write_parquet(path, pa.table(table))
