"""The maps of a run, before and after, and the measurements that follow: trust, movement, clusters."""

from dataclasses import asdict
from pathlib import Path

import numpy as np
import pyarrow as pa

from embedlab.config import validated
from embedlab.corpora.base import Corpus, open_corpus
from embedlab.encoder_catalog.names import is_token_layer
from embedlab.jobs.requests.base import read_request
from embedlab.jobs.requests.drawing import AlignMaps, DrawMapBefore, DrawMaps, MeasureMoves
from embedlab.map_methods import ALL_MAPS
from embedlab.maps import MAPS
from embedlab.maps.clusters import PICTURE_TEXTS
from embedlab.maps.trust import trust
from embedlab.neighbors import neighbor_graph
from embedlab.progress import Progress, in_words
from embedlab.runs.drawn_map import UNTOUCHED, is_drawn_onto, read_map_facts, read_places, right_map, rows_to_draw
from embedlab.runs.folder import RunFolder
from embedlab.runs.imported import no_embeddings
from embedlab.runs.store import fingerprint_of, open_run
from embedlab.store_root import write_json
from embedlab.table_files import write_parquet
from embedlab.tasks.draw.clustering import write_full_space, write_of_picture
from embedlab.tasks.draw.drawing import MapDrawing, draw_before, draw_both, draw_onto, graph_of
from embedlab.tasks.draw.movement import RunEncoder, drawn_embeddings, floor_before, sides_of, write_moves
from embedlab.training.settings import RunSettings
from embedlab.vectors.exact import usable


def run(folder: RunFolder, request: DrawMaps, progress: Progress) -> None:
    """Writes two Parquet files into the run's folder; the maps of a large corpus start from a preview."""
    method = MAPS[request.method]
    config = validated(method.config_class, request.config, where="map")
    drawing = MapDrawing(open_run(request.run), method, config, progress, request.dimensions)
    other = None if request.onto in (None, request.run) else open_run(request.onto)
    if other is not None:
        seconds = {"onto": draw_onto(drawing, other)}
    else:
        seconds = draw_both(drawing)
    read_maps(drawing.drawn, method.key, progress, against=UNTOUCHED if other is None else other.id)
    facts = {"run": drawing.drawn.id, "method": method.key, "texts": len(drawing.kept), "seconds": seconds}
    paths = [drawing.drawn.map_facts(name, method.key) for name in ("before", "after")] if other is None else []
    for drawn in map(read_map_facts, paths):
        if drawn is not None and drawn.approximate:
            facts |= drawn.model_dump(include={"approximate", "recall_15", "queries"})
    write_json(folder.result, facts | ({} if other is None else {"onto": other.id}))


WORTH_IT = 5_000  # texts; fewer are drawn in the time that a process takes to start


def run_before(folder: RunFolder, request: DrawMapBefore, progress: Progress) -> None:
    """Draws the map before of a run, and measures it.

    Trust, clusters and the noise floor of the untouched encoder are known as soon; the maps find all of it. The floor
    of a token layer, a matter of seconds, is left to the training, which has the token ids.
    """
    method = MAPS["tsne"]
    drawing = MapDrawing(open_run(request.of), method, method.config_class(), progress)
    draw_before(drawing)
    _read_side(RunEncoder(drawing.drawn, "before"), drawing.drawn.map("before", method.key), drawing.corpus, progress)
    if not is_token_layer(read_request(drawing.drawn, RunSettings).encoder):
        floor_before(drawing.drawn, drawing.corpus, progress)
    write_json(folder.result, {"run": drawing.drawn.id, "method": method.key})


def run_gallery(folder: RunFolder, request: AlignMaps, progress: Progress) -> None:
    """Draws maps into these runs' folders; existing ones stay."""
    runs, method = [open_run(run_id) for run_id in request.runs], request.method
    first, made = runs[0], []
    for number, one in enumerate(runs, start=1):
        of_one = in_words(progress, f"Map {number} of {len(runs)}: {{}}".format)
        if not one.map_facts("after", method).exists():
            run(folder, DrawMaps(run=one.id, method=method), of_one)
            made.append(one.id)
        if not is_drawn_onto(one, first, method):
            run(folder, DrawMaps(run=one.id, method=method, onto=first.id), of_one)
            made.append(one.id)
    write_json(folder.result, {"method": method, "runs": list(request.runs), "drawn": list(dict.fromkeys(made))})


_ROWS_AT_ONCE = 4096


def read_maps(drawn: RunFolder, method: str, progress: Progress, *, against: str = UNTOUCHED) -> None:
    """Measure trust of both maps, movement, class neighbors and clusters, into the run's folder."""
    corpus = open_corpus(fingerprint_of(drawn))
    left, right = sides_of(drawn, against)
    other = None if against == UNTOUCHED else left.run
    pictures = (left.run.map(left.name, method), right_map(drawn, against, other, method))
    for side, picture in zip((left, right), pictures, strict=True):
        _read_side(side, picture, corpus, progress)
    if not (left.has_embeddings and right.has_embeddings):
        return  # places that were brought have no neighbors in a full space
    made = [drawn.moves(against), drawn.moves_facts(against)]
    if not is_fresh(made, left.run.embeddings(left.name), right.run.embeddings(right.name)):
        write_moves(drawn, against, progress)


def _read_side(side: RunEncoder, picture: Path, corpus: Corpus, progress: Progress) -> None:
    """Measure clusters in the full space, and trust and clusters of the map, where each is there."""
    if side.has_embeddings and not is_fresh(with_facts(side.run.clusters(side.name)), side.run.embeddings(side.name)):
        write_full_space(side.run, side.name, drawn_embeddings(side, corpus), corpus, progress)
    if picture.exists():
        read_picture(side, picture, corpus, progress)


def read_picture(side: RunEncoder, drawn: Path, corpus: Corpus, progress: Progress) -> None:
    """Measure trust and clusters of one drawn map, unless stored results are newer than the map.

    Trust is columns ``id true kept``, with means and chance level as JSON beside them.
    """
    rows, coordinates = read_places(drawn)
    placed = np.isfinite(coordinates).all(axis=1)
    rows, coordinates = rows[placed], coordinates[placed].astype(np.float64)
    if len(rows) < 2:
        return
    if side.has_embeddings and not is_fresh(with_facts(side.run.trust(drawn)), drawn):
        indices = _among_shown(side, drawn, rows, corpus, progress)
        progress(f"Comparing neighbors on the map and in the full space, {side.name}")
        trusted = trust(coordinates, indices)
        columns = {"id": pa.array(rows, pa.int64())}
        shares = {"true": trusted.true, "kept": trusted.retained}
        columns |= {name: pa.array(values, pa.float32(), from_pandas=True) for name, values in shares.items()}
        table, facts = with_facts(side.run.trust(drawn))
        write_parquet(table, pa.table(columns))
        write_json(facts, asdict(trusted.means()))
    name = drawn.stem
    if len(rows) <= PICTURE_TEXTS and not is_fresh(with_facts(side.run.clusters(name)), drawn):
        write_of_picture(side.run, name, coordinates, rows, corpus, progress)


def is_fresh(made: list[Path], *sources: Path) -> bool:
    """Whether files exist and are not older than what they were made from."""
    newest = max(source.stat().st_mtime_ns for source in sources)
    return all(path.exists() and path.stat().st_mtime_ns >= newest for path in made)


def with_facts(table: Path) -> list[Path]:
    """A table, and its facts as JSON beside it."""
    return [table, table.with_suffix(".json")]


def _among_shown(side: RunEncoder, drawn: Path, rows: np.ndarray, corpus: Corpus, progress: Progress) -> np.ndarray:
    """The nearest shown texts of each shown text: from the stored graph if all are shown, otherwise from a new one.

    Of a map of cut vectors they are those of the cut ones.  -> (points, 90) of points
    """
    facts = read_map_facts(drawn.with_suffix(".json"))
    dimensions = None if facts is None else facts.dimensions
    embeddings = drawn_embeddings(side, corpus)[:, :dimensions]
    every = rows_to_draw(corpus)
    places = np.searchsorted(every, rows)
    is_shown = np.zeros(len(every), bool)
    is_shown[places] = True
    missing = np.flatnonzero(~is_shown)
    parts = (missing[start : start + _ROWS_AT_ONCE] for start in range(0, len(missing), _ROWS_AT_ONCE))
    if dimensions is not None or any(usable(embeddings[part]).any() for part in parts):
        return neighbor_graph(np.asarray(embeddings[places]), progress=progress).indices
    number = np.full(len(every) + 1, -1, np.int32)  # the last entry answers for -1, nobody
    number[places] = np.arange(len(rows), dtype=np.int32)
    return number[graph_of(side.run, side.name, embeddings, progress).indices[places]]


def run_moves(folder: RunFolder, request: MeasureMoves, progress: Progress) -> None:
    """Writes ``moves/`` into the run's folder, and clusters and trust."""
    drawn, against = open_run(request.run), request.against
    for side in sides_of(drawn, against):
        if not side.has_embeddings:
            raise no_embeddings(side.run)
    methods = [each for each in ALL_MAPS if all(drawn.map(name, each).exists() for name in ("before", "after"))]
    read_maps(drawn, methods[0] if methods else "tsne", progress, against=against)
    if request.again:
        write_moves(drawn, against, progress)
    corpus = open_corpus(fingerprint_of(drawn))
    for method in methods[1:]:
        for name in ("before", "after"):
            read_picture(RunEncoder(drawn, name), drawn.map(name, method), corpus, progress)
    write_json(folder.result, {"run": drawn.id, "against": against})
