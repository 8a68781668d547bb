"""The maps of a run, before and after: the map before is drawn once per encoder and corpus and never moves."""

from embedlab.config import validated
from embedlab.maps import MAPS
from embedlab.runs.folder import RunFolder
from embedlab.runs.store import open_run
from embedlab.store_root import read_json, write_json
from embedlab.tasks.map_drawing import Drawing, draw_both, draw_onto
from embedlab.tasks.map_files import graph_of, threads, write_map

__all__ = ["graph_of", "run", "threads", "write_map"]


def run(folder: RunFolder, asked: dict, progress) -> None:
    """``run``, ``method`` and ``config`` -> two Parquet files in that run's folder, aligned on each other.

    A large corpus is drawn as a preview first, which the full maps grow out of.  ``onto``: another run on the same
    corpus; then only this run's map after is drawn, from that run's map after.
    """
    from embedlab.tasks.map_reading import read_maps

    method = MAPS[asked.get("method", "tsne")]
    drawing = Drawing(
        open_run(asked["run"]), method, validated(method.config_class, asked.get("config", {}), where="map"), progress
    )
    other = None if asked.get("onto") in (None, asked["run"]) else open_run(asked["onto"])
    if other is not None:
        seconds = {"onto": draw_onto(drawing, other)}
    else:
        seconds = draw_both(drawing)
    read_maps(drawing.drawn, method.key, progress, **({} if other is None else {"against": other.id}))
    facts = {"run": drawing.drawn.id, "method": method.key, "texts": len(drawing.corpus.kept), "seconds": seconds}
    paths = [drawing.drawn.map_facts(name, method.key) for name in ("before", "after")] if other is None else []
    for drawn in map(read_json, paths):
        facts |= {name: drawn[name] for name in ("approximate", "recall_15", "queries") if name in drawn}
    write_json(folder.result, facts | ({} if other is None else {"onto": other.id}))
