"""The maps of a run, before and after: the map before is drawn once per encoder and corpus and never moves."""

from embedlab.config import validated
from embedlab.maps import MAPS
from embedlab.progress import in_words
from embedlab.runs.drawn_map import read_map_facts
from embedlab.runs.folder import RunFolder
from embedlab.runs.frames import is_drawn_onto
from embedlab.runs.store import open_run
from embedlab.store_root import write_json
from embedlab.tasks.draw.drawing import Drawing, draw_before, draw_both, draw_onto
from embedlab.tasks.draw.movement import floor_before
from embedlab.tasks.draw.readings import read_before


def run(folder: RunFolder, asked: dict, progress) -> None:
    """``run``, ``method`` and ``config`` -> two Parquet files in that run's folder, aligned on each other.

    A large corpus is drawn as a preview first, which the full maps grow out of.  ``onto``: another run on the same
    corpus; then only this run's map after is drawn, from that run's map after.
    """
    from embedlab.tasks.draw.readings import read_maps

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
    facts = {"run": drawing.drawn.id, "method": method.key, "texts": len(drawing.kept), "seconds": seconds}
    paths = [drawing.drawn.map_facts(name, method.key) for name in ("before", "after")] if other is None else []
    for drawn in map(read_map_facts, paths):
        if drawn.approximate:
            facts |= drawn.model_dump(include={"approximate", "recall_15", "queries"})
    write_json(folder.result, facts | ({} if other is None else {"onto": other.id}))


WORTH_IT = 5_000  # texts; fewer are drawn in the time that a process takes to start


def run_before(folder: RunFolder, asked: dict, progress) -> None:
    """``of`` (a run; not ``run``, beside whose training this keeps to one thread) -> its map before, and what it tells.

    Trust, clusters and the noise floor of the untouched encoder are known as soon; the maps find all of it.
    """
    method = MAPS["tsne"]
    drawing = Drawing(open_run(asked["of"]), method, method.config_class(), progress)
    draw_before(drawing)
    read_before(drawing.drawn, method.key, progress)
    floor_before(drawing.drawn, progress)
    write_json(folder.result, {"run": drawing.drawn.id, "method": method.key})


def run_gallery(folder: RunFolder, asked: dict, progress) -> None:
    """``runs``, the first of them the frame, and ``method`` -> maps in these runs' folders; what is there stays."""
    runs, method = [open_run(run_id) for run_id in asked["runs"]], asked["method"]
    first, made = runs[0], []
    for number, one in enumerate(runs, start=1):
        of_one = in_words(progress, f"Map {number} of {len(runs)}: {{}}".format)
        if not one.map_facts("after", method).exists():
            run(folder, {"run": one.id, "method": method}, of_one)
            made.append(one.id)
        if not is_drawn_onto(one, first, method):
            run(folder, {"run": one.id, "method": method, "onto": first.id}, of_one)
            made.append(one.id)
    write_json(folder.result, {"method": method, "runs": asked["runs"], "drawn": list(dict.fromkeys(made))})
